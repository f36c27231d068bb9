"""A small estate, whole: both regions go, and every row and event is explained as planted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from policy_books import REGIONS, answer, attached
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.estate import write_project
from cutline_translators.policy_admin.estate.kinds import SPOILT
from support.whole_runs import run_here

POLICIES = 200


@pytest.fixture(scope="module")
def told(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """The project, and what the run of each region says."""
    project = tmp_path_factory.mktemp("insurer")
    write_project(project, POLICIES, 11)
    runs = {r: run_here(project, "insurance_policy", r).as_json() for r in REGIONS}
    return project, runs


def test_both_regions_go_and_nothing_is_left_unexplained(told) -> None:
    project, runs = told
    database = attached(project)
    for region, run in runs.items():
        assert (run["decision"], run["unexplained"]) == ("go", 0)
        assert run["breaks"] == {"record": 0, "state": 0, "outcome": 0}
        notices = {what: n for what, n in run["outcomes"]["renewal_notices"].items() if n}
        assert notices == {"agree": len(answer(database, "renewal_notices", region))}
        assert notices["agree"] > 3
        for verdict in ("accepted", "held", "after-cut", "native-preferred"):
            assert run["verdicts"][verdict] > 0, verdict
        for disposition in ("translated", "no-op", "quarantined", "ambiguous"):
            assert run["dispositions"][disposition] > 0, disposition
    assert sum(run["dispositions"]["visible-in-snapshot"] for run in runs.values()) > 0


def test_each_exception_is_one_that_was_planted(told) -> None:
    project, runs = told
    harmless = {"test-policy", "only-quoted"}
    expected: dict[str, int] = {}
    for kind in SPOILT.values():
        if kind.rule not in harmless:
            planted = kind.per_region(POLICIES)
            expected[kind.rule] = expected.get(kind.rule, 0) + planted
    for region, run in runs.items():
        found = {rule: n for rule, n in run["exceptions"].items() if n}
        live = {
            n: found.pop(n) for n in ("unreadable-native-event", "unknown-event-type") if n in found
        }
        assert set(live.values()) == {1}
        assert found == expected | _held(project, region), region
    assert {"unknown-event-type"} <= {rule for run in runs.values() for rule in run["exceptions"]}


def _held(project: Path, region: str) -> dict[str, int]:
    """What belongs to policies that nobody can read, by the rule that holds it."""
    of_spoilt = """region = ? AND policy_no IN (
        SELECT policy_no FROM policies WHERE status IN ('W', 'Z') OR inception_on IS NULL
        OR (status = 'C' AND reinstated_on > cancelled_on))"""
    counted = {
        "CoverageAdded-requires-PolicyBound": "coverages WHERE",
        "CoverageEnded-requires-PolicyBound": "coverages WHERE status = 'E' AND",
        "PremiumChanged-requires-PolicyBound": "premiums WHERE",
    }
    with closing(sqlite3.connect(project / "extract/pas.db")) as database:
        found = {
            rule: database.execute(
                f"SELECT count(*) FROM {rows} {of_spoilt}", (region,)
            ).fetchone()[0]
            for rule, rows in counted.items()
        }
    return {rule: n for rule, n in found.items() if n}


def test_events_say_how_well_they_are_known(told, spark: SparkSession) -> None:
    _, runs = told
    lake = runs["north"]["lake"]
    events = spark.read.parquet(f"{lake}/timeline")
    labels = {
        (r["type"], r["migtimebasis"], r["migconfidence"])
        for r in events.where("migorigin = 'synthetic'")
        .select("type", "migtimebasis", "migconfidence")
        .distinct()
        .collect()
    }
    assert ("PolicyBound", "effective", "exact") in labels
    assert ("PremiumChanged", "effective", "inferred") in labels
    assert ("EndorsementWithdrawn", "commit", "approximate") in labels
    assert not events.where("migreplaysafe").count()


def test_late_claims_and_corrections_keep_their_own_times(told, spark: SparkSession) -> None:
    _, runs = told
    lake = runs["north"]["lake"]
    events = spark.read.parquet(f"{lake}/timeline").where("migsrctime is not null")
    claims = events.where("type = 'ClaimRegistered'").selectExpr(
        "cast(time as date) as at", "data:incident_on::date as incident"
    )
    assert claims.where("incident < at").count() > 0
    corrected = events.where("type = 'PremiumChanged' and data:revision::int > 1")
    assert corrected.where("time < migsrctime - interval 1 day").count() > 0
