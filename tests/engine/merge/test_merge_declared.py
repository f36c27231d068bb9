"""A project and its regions lay parameters over the rules that a context declares."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from cutline.context import Context, Foreign, LateArrivals, MergePolicy
from cutline.engine.merge import slice_policy
from cutline.errors import ConfigurationError
from cutline.project.load import load
from cutline.project.merge import MergeSection
from support.sample_project import document, write
from support.shop import ORDER

SHOP = Context(name="shop", doc="", aggregates=(ORDER,))


def project(folder: Path, merge: dict[str, Any], override: dict[str, Any] | None = None) -> Any:
    content = document()
    content["contexts"]["fulfilment"]["merge"] = merge
    if override is not None:
        laid = {"contexts": {"fulfilment": {"merge": override}}}
        content["regions"]["eu-west"] = {"override": laid}
    return load(write(folder, content), "eu-west")


def section(**rules: Any) -> MergeSection:
    return MergeSection.model_validate(rules)


def test_each_rule_and_parameter_has_its_key_in_a_project() -> None:
    rules = {f.name: f.default_factory() for f in dataclasses.fields(MergePolicy)}  # type: ignore[misc]
    keys = {
        name: set(type(getattr(MergeSection(), name)).model_fields)
        for name in MergeSection.model_fields
    }
    assert keys == {n: {f.name for f in dataclasses.fields(rule)} for n, rule in rules.items()}


def test_what_is_left_out_stays_as_the_context_declares_it() -> None:
    declared = MergePolicy(late_arrivals=LateArrivals(allowed=dt.timedelta(days=9)))
    context = dataclasses.replace(SHOP, merge=declared)
    assert slice_policy(context, MergeSection()) == declared
    policy = slice_policy(
        context,
        section(late_arrivals={"before": "2026-11-01T00:00:00Z"}, supersede={"enabled": False}),
    )
    assert policy.late_arrivals == LateArrivals(
        before=dt.datetime(2026, 11, 1, tzinfo=dt.UTC), allowed=dt.timedelta(days=9)
    )
    assert not policy.supersede.enabled
    assert policy.prefer_native == declared.prefer_native


def test_the_effective_date_of_a_cut_is_before_which_arrivals_are_late() -> None:
    begins = dt.datetime.fromisoformat("2026-11-01T00:00:00+01:00")
    assert slice_policy(SHOP, MergeSection(), begins).late_arrivals.before == begins
    declared = section(late_arrivals={"before": "2026-10-01T00:00:00Z"})
    assert slice_policy(SHOP, declared, begins).late_arrivals.before == dt.datetime(
        2026, 10, 1, tzinfo=dt.UTC
    )


def test_foreign_events_are_named_as_the_context_names_them() -> None:
    foreign = {"aggregate": "order", "region": "us", "origin": "native"}
    policy = slice_policy(SHOP, section(not_authoritative={"foreign": [foreign]}))
    assert policy.not_authoritative.foreign == (Foreign(**foreign),)
    for field, name, meant in (
        ("aggregate", "ordr", "order"),
        ("type", "Plaecd", "Placed"),
        ("origin", "nativ", "native"),
    ):
        with pytest.raises(
            ConfigurationError, match=f"no {field} {name!r}. Did you mean {meant!r}"
        ):
            slice_policy(SHOP, section(not_authoritative={"foreign": [{field: name}]}))
    with pytest.raises(ConfigurationError, match="an entry names nothing"):
        slice_policy(SHOP, section(not_authoritative={"foreign": [{}]}))


def test_a_region_lays_its_own_over_the_defaults(tmp_path: Path) -> None:
    merge = {"native_collision": {"enabled": True, "within": "PT5S"}}
    loaded = project(tmp_path, merge, {"native_collision": {"within": "PT7S"}})
    merge_section = loaded.file.contexts["fulfilment"].merge
    assert (merge_section.native_collision.enabled, merge_section.native_collision.within) == (
        True,
        dt.timedelta(seconds=7),
    )


@pytest.mark.parametrize(
    ("merge", "says"),
    [
        ({"prefer_nativ": {}}, r"merge.prefer_nativ: unknown key. Did you mean 'prefer_native'"),
        (
            {"overlap": {"idempotent_consumer": True}},
            r"overlap.idempotent_consumer: unknown key. Did you mean 'idempotent_consumers'",
        ),
        ({"native_collision": {"within": "soon"}}, r"merge.native_collision.within"),
        ({"native_collision": {"within": "-PT5S"}}, r"merge.native_collision.within"),
        ({"subject_too_long": {"limit": 0}}, r"merge.subject_too_long.limit"),
        ({"not_authoritative": {"foreign": [{"regoin": "x"}]}}, r"Did you mean 'region'"),
    ],
)
def test_what_is_no_rule_or_parameter_is_refused(
    tmp_path: Path, merge: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        project(tmp_path, merge)


def test_the_rules_are_part_of_what_names_a_run(tmp_path: Path) -> None:
    default_digest = project(tmp_path / "a", {}).digest
    assert project(tmp_path / "b", {"supersede": {"enabled": False}}).digest != default_digest
    assert project(tmp_path / "c", {}, {"supersede": {"enabled": False}}).digest != default_digest
