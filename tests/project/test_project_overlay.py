"""Regions are laid over the defaults, key by key, before anything is validated."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.project.load import load
from cutline.project.overlay import deep_merge
from support.sample_project import document, write

TREES = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)


def test_a_region_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    content = document()
    content["regions"]["us-east"]["override"] = {
        "contexts": {"fulfilment": {"cut": {"at": "2026-11-02T11:00:00Z"}}},
        "sources": {"erp": {"path": "extract/us/erp.db"}},
    }
    write(tmp_path, content)
    east, west = load(tmp_path, "us-east").file, load(tmp_path, "eu-west").file
    assert east.sources["erp"].path == "extract/us/erp.db"
    assert east.sources["erp"].tables == west.sources["erp"].tables
    assert east.contexts["fulfilment"].cut.at.day == 2
    assert west.contexts["fulfilment"].cut.at.day == 1
    assert west == load(tmp_path).file


def test_a_problem_in_an_overlay_is_named_there(tmp_path: Path) -> None:
    content = document()
    content["regions"]["us-east"]["override"] = {"sources": {"erp": {"kind": "oracle"}}}
    write(tmp_path, content)
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, "us-east")
    assert caught.value.what.startswith(
        "cutline.yaml: regions.us-east.override.sources.erp.kind: 'oracle' is none of"
    )
    assert load(tmp_path, "eu-west").file.sources["erp"].kind == "sqlite"


def test_a_region_may_have_a_read_model_of_its_own(tmp_path: Path) -> None:
    content = document()
    content["rollout"] = {"read_model": {"url": "sqlite:///a.db", "tables": {"order": "orders"}}}
    content["regions"]["us-east"]["override"] = {
        "rollout": {"read_model": {"url": "sqlite:///b.db"}}
    }
    write(tmp_path, content)
    west, east = (load(tmp_path, r).file.rollout.read_model for r in ("eu-west", "us-east"))
    assert west is not None
    assert east is not None
    assert west.url.get_secret_value() == "sqlite:///a.db"
    assert east.url.get_secret_value() == "sqlite:///b.db"
    assert east.tables == west.tables


def test_what_may_not_differ_by_region_is_refused(tmp_path: Path) -> None:
    content = document()
    content["regions"]["us-east"]["override"] = {"source": {}}
    write(tmp_path, content)
    with pytest.raises(
        ConfigurationError,
        match=r"sources, contexts, spark, rollout, readiness only\. Did you mean",
    ):
        load(tmp_path, "us-east")


@given(TREES, TREES)
def test_laying_over_twice_is_laying_over_once(defaults: object, override: object) -> None:
    once = deep_merge(defaults, override)
    assert deep_merge(once, override) == once


@given(TREES)
def test_nothing_laid_over_changes_nothing(tree: object) -> None:
    assert deep_merge(tree, tree) == tree
    if isinstance(tree, dict):
        assert deep_merge(tree, {}) == tree
