"""The digest changes with what affects results, and with nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutline.project.digest import without_anchors
from cutline.project.load import load
from support.sample_project import document, write


def digest(folder: Path, content: dict[str, Any], region: str = "eu-west") -> str:
    return load(write(folder, content), region).digest


def changed(**sections: Any) -> dict[str, Any]:
    return {**document(), **sections}


def test_the_same_file_gives_the_same_text(tmp_path: Path) -> None:
    digest_text = digest(tmp_path / "here", document())
    assert digest_text == digest(tmp_path / "there", document())
    assert len(digest_text) == 16
    assert set(digest_text) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "content",
    [
        changed(lake="elsewhere"),
        changed(control="sqlite:///other.db"),
        changed(topics={"path": "else", "prefix": "retail", "partitions": 9}),
        changed(spark={"memory": "4g"}),
        changed(rollout={"read_model": {"url": "sqlite:///r.db", "tables": {"order": "orders"}}}),
        changed(regions={"eu-west": {"override": {"rollout": {"read_model": {"url": "x"}}}}}),
        changed(regions={"eu-west": {"override": {}}, "other": {"everything": True}}),
        changed(regions={"eu-west": {"override": {"spark": {"memory": "1g"}}}}),
    ],
)
def test_where_things_are_kept_does_not_count(tmp_path: Path, content: dict[str, Any]) -> None:
    assert digest(tmp_path / "a", content) == digest(tmp_path / "b", document())


@pytest.mark.parametrize(
    "content",
    [
        changed(topics={"prefix": "other"}),
        changed(regions={"eu-west": {"everything": True}}),
        changed(regions={"eu-west": {"override": {"sources": {"warehouse": {"delimiter": ";"}}}}}),
        changed(sources={"erp": {**document()["sources"]["erp"], "path": "extract/other.db"}}),
        changed(
            contexts={
                "fulfilment": {
                    **document()["contexts"]["fulfilment"],
                    "gates": {"state": {"min_match_rate": 0.99}},
                }
            }
        ),
    ],
)
def test_what_affects_results_counts(tmp_path: Path, content: dict[str, Any]) -> None:
    assert digest(tmp_path / "a", content) != digest(tmp_path / "b", document())


def test_regions_differ(tmp_path: Path) -> None:
    content = changed(regions={"a": {}, "b": {}})
    assert digest(tmp_path, content, "a") != digest(tmp_path, content, "b")


def test_inputs_moved_as_a_whole_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = document()
    content["sources"]["erp"]["path"] = "${ERP}"
    monkeypatch.setenv("ERP", "/data/a/erp.db")
    first = digest(tmp_path, content)
    monkeypatch.setenv("ERP", "b/erp.db")
    assert digest(tmp_path, content) == first


def test_a_moment_is_one_moment_in_every_zone(tmp_path: Path) -> None:
    content = document()
    content["contexts"]["fulfilment"]["cut"]["at"] = "2026-11-01T08:00:00+02:00"
    assert digest(tmp_path / "a", content) == digest(tmp_path / "b", document())


def test_what_a_section_got_later_changes_no_run_of_before(tmp_path: Path) -> None:
    """Left out, it is as it was before it could be said."""
    content = document()
    gates = without_anchors(load(write(tmp_path, content)).file.model_dump(mode="json"))
    assert "owed" not in gates["contexts"]["fulfilment"]["gates"]
    content["contexts"]["fulfilment"]["gates"] = {
        "owed": {"max_count": 1, "reason": "They go on.", "owner": "Ada"}
    }
    assert digest(tmp_path / "said", content) != digest(tmp_path / "left-out", document())
    assert "epochs" not in gates["contexts"]["fulfilment"]["live"]
    content = document()
    content["contexts"]["fulfilment"]["live"] = {"epochs": "required"}
    assert digest(tmp_path / "required", content) != digest(tmp_path / "left-out", document())
