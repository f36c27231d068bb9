"""A good project file loads; a bad one is refused with file, key and allowed values."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.project.load import load
from support.sample_project import document, write


def refused(folder: Path, content: dict[str, Any] | str, region: str | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(write(folder, content), region)
    assert caught.value.exit_code == 2
    return caught.value.what


def test_a_project_knows_its_paths(tmp_path: Path) -> None:
    project = load(write(tmp_path, document()), "eu-west")
    assert project.region == "eu-west"
    assert project.path("extract/erp.db") == str(tmp_path / "extract/erp.db")
    assert project.path("/data/erp.db") == "/data/erp.db"
    assert project.path("s3a://bucket/lake") == "s3a://bucket/lake"
    assert project.lake == str(tmp_path / "lake")
    cut = project.file.contexts["fulfilment"].cut
    assert cut.at == dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)


def test_no_project_says_where_it_looked_and_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path)
    assert str(tmp_path) in caught.value.what
    assert "cutline demo --dir" in caught.value.next_step


def test_the_other_file_name_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "cutline.yml").write_text("version: 1\n")
    with pytest.raises(ConfigurationError, match=r"cutline\.yml is there"):
        load(tmp_path)


def test_an_unknown_region_names_the_regions(tmp_path: Path) -> None:
    says = refused(tmp_path, document(), "eu-wst")
    assert "eu-west, us-east" in says
    assert "Did you mean 'eu-west'?" in says


def test_every_problem_is_listed_by_key(tmp_path: Path) -> None:
    content = document()
    content["sources"]["erp"]["kind"] = "sqllite"
    content["sources"]["warehouse"]["encodng"] = "utf-8"
    del content["contexts"]["fulfilment"]["translation"]["major"]
    content["topics"]["partitions"] = 0
    content["background"] = "blue"
    assert sorted(refused(tmp_path, content).splitlines()) == [
        "cutline.yaml: background: unknown key. Known here: version, name, lake, control, topics, "
        "sources, contexts, regions, spark, rollout, readiness, replays, repairs, resends, "
        "rehydrations, rebuilds, handovers, backfills, lineage, telemetry.",
        "cutline.yaml: contexts.fulfilment.translation.major: is missing.",
        "cutline.yaml: sources.erp.kind: 'sqllite' is none of sqlite, csv, jsonl, parquet, "
        "log, postgresql, mysql. Did you mean 'sqlite'?",
        "cutline.yaml: sources.warehouse.encodng: unknown key. Did you mean 'encoding'? "
        "Known here: tables, extracted_at, changes, previous, truth, baseline, kind, path, "
        "delimiter, encoding, multiline.",
        "cutline.yaml: topics.partitions: must be greater than or equal to 1, not 0.",
    ]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("sources.erp.kind", None, "sources.erp.kind: is missing; one of sqlite, csv, jsonl"),
        ("contexts.fulfilment.cut", {"polcy": "lsn"}, "effective-date. Is 'polcy' meant for it?"),
        ("sources.warehouse.encoding", "utf8", "must be 'utf-8', 'iso-8859-1'"),
        ("sources.warehouse.delimiter", "\\", "delimits no values"),
        ("sources.warehouse.encoding", "utf8", "not 'utf8'. Did you mean 'utf-8'?"),
        ("sources.erp", "erp.db", "sources.erp: must hold keys of its own."),
        (
            "sources.erp.changes",
            "x",
            "changes: must hold keys of its own",
        ),
        (
            "sources.erp.changes",
            {"kind": "canal", "path": "x", "zone": "Europe/Berln"},
            "erp.changes.zone: must be a time zone such as Europe/Berlin, UTC or +01:00, not "
            "'Europe/Berln'. Did you mean 'Europe/Berlin'?",
        ),
        ("sources.erp.extracted_at", "2026-11-01 02:00:00", "erp.extracted_at: must be a date and"),
        ("contexts.fulfilment.cut.at", 20261101, "with its zone, such as 2026-11-01T06:00:00Z"),
        (
            "contexts.fulfilment.cut.at",
            "9999-12-31T23:59:59-14:00",
            "cut.at: must be a moment of the years 1 to 9999 in UTC, not '9999",
        ),
        ("contexts.fulfilment.cut.at", "20261101", "with its zone, such as 2026-11-01T06:00:00Z"),
        (
            "contexts.fulfilment.cut.policy",
            "lsn",
            "'lsn' is none of transaction-visibility, exported-snapshot",
        ),
        ("contexts.fulfilment.gates", {"state": {"min_match_rate": 99}}, "less than or equal to 1"),
        ("contexts.fulfilment.gates", {"acept": []}, "gates.acept: unknown key. Did you mean"),
        ("contexts.fulfilment.live", {"epochs": "needed"}, "live.epochs: must be 'required'"),
        ("contexts.Fulfilment", {}, "contexts.Fulfilment: must be lower-case letters"),
        ("sources.erp-2", {"kind": "sqlite"}, "sources.erp-2: must be lower-case letters"),
        ("regions.eu west", {}, "regions.eu west: must be letters, digits"),
        ("regions", {}, "regions: must not be empty"),
        ("spark", {"memory": "much"}, "spark.memory: must match"),
        ("version", 2, "version: must be 1, not 2"),
        ("version", "1", "version: must be 1, not '1'. Write it without quotes."),
    ],
)
def test_wrong_values_name_key_and_what_is_allowed(
    tmp_path: Path, key: str, value: Any, says: str
) -> None:
    content = document()
    *parents, last = key.split(".")
    section = content
    for parent in parents:
        section = section[parent]
    if value is None:
        del section[last]
    else:
        section[last] = value
    assert says in refused(tmp_path, content)


def test_tables_of_two_sources_may_not_meet_under_one_name(tmp_path: Path) -> None:
    content = document()
    content["sources"]["a"] = {"kind": "csv", "path": "a", "tables": {"b_c": {}}}
    content["sources"]["a_b"] = {"kind": "csv", "path": "a_b", "tables": {"c": {}}}
    assert "a.b_c and a_b.c would both be kept as changes_a_b_c" in refused(tmp_path, content)


def test_a_log_position_may_look_like_a_number(tmp_path: Path) -> None:
    content = document()
    content["sources"]["erp"]["changes"] = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": 33554432},
    }
    changes = load(write(tmp_path, content)).file.sources["erp"].changes
    assert changes is not None
    assert changes.snapshot.consistent_point == "33554432"


@pytest.mark.parametrize("key", ["hold", "freeze", "release", "denied", "frozen"])
@pytest.mark.parametrize("statement", ["", " ", [], ["SELECT 1", ""]])
def test_a_legacy_is_not_held_by_an_empty_statement(
    tmp_path: Path, key: str, statement: str | list[str]
) -> None:
    content = document()
    writes = dict.fromkeys(("hold", "freeze", "release", "denied", "frozen"), "SELECT 1")
    writes["url"] = "sqlite:///legacy.db"
    content["rollout"] = {"legacy_writes": writes}
    assert load(write(tmp_path, content)).file.rollout.legacy_writes
    content["rollout"] = {"legacy_writes": writes | {key: statement}}
    is_one_query = key in ("denied", "frozen") and isinstance(statement, list)
    says = "must be a valid string" if is_one_query else "must be filled in"
    assert f"rollout.legacy_writes.{key}: {says}" in refused(tmp_path, content)


@pytest.mark.parametrize("trial", ["us-east", "US-East", " us-east "])
def test_a_trial_region_is_none_whose_writes_are_real(tmp_path: Path, trial: str) -> None:
    content = document()
    content["regions"] |= {"us-east": {"everything": True}}
    writes = dict.fromkeys(("hold", "freeze", "release", "denied"), "SELECT 1")
    content["rollout"] = {
        "legacy_writes": writes | {"url": "sqlite:///legacy.db", "trial_region": "rehearsal"}
    }
    section = load(write(tmp_path, content)).file.rollout.legacy_writes
    assert section is not None
    assert section.trial_region == "rehearsal"
    content["rollout"]["legacy_writes"]["trial_region"] = trial
    assert (
        "rollout.legacy_writes.trial_region: us-east is one of `regions`, whose writes a rehearsal "
        "must not refuse"
    ) in refused(tmp_path, content)
    content["rollout"]["legacy_writes"]["trial_region"] = " "
    assert "rollout.legacy_writes.trial_region: must " in refused(tmp_path, content)


def test_topics_of_releases_must_be_ones_that_can_be_made(tmp_path: Path) -> None:
    content = document()
    content["rollout"] = {"release_topics": True}
    content["topics"] = {
        **{"kind": "kafka", "prefix": "shop", "create": "never"},
        "kafka": {"bootstrap": "broker:9092"},
    }
    assert "rollout.release_topics: each release has topics of its own" in refused(
        tmp_path, content
    )
    content["topics"] = document()["topics"]
    content["regions"]["eu..west"] = {}
    assert "region eu..west cannot be a part of a topic's name" in refused(tmp_path, content)
    del content["regions"]["eu..west"]
    assert load(write(tmp_path, content)).file.rollout.release_topics
