"""A small estate, whole: a region goes, and every row and event is explained as planted."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.estate import write_project
from cutline_translators.policy_admin.estate.kinds import SPOILT
from support.policy_books import answer, attached
from support.whole_runs import run_here

POLICIES = 200


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The estate."""
    folder = tmp_path_factory.mktemp("insurer")
    write_project(folder, POLICIES, 11)
    return folder


@pytest.fixture(scope="module")
def document(spark: SparkSession, project: Path) -> dict[str, Any]:
    """What the run of the first region says."""
    return run_here(project, "insurance_policy", "north").as_json()


def test_it_goes_and_nothing_is_left_unexplained(project: Path, document) -> None:
    _goes(project, "north", document)
    for verdict in ("accepted", "held", "after-cut", "native-preferred"):
        assert document["verdicts"][verdict] > 0, verdict
    for disposition in ("translated", "no-op", "quarantined", "ambiguous", "visible-in-snapshot"):
        assert document["dispositions"][disposition] > 0, disposition


@pytest.mark.soak
@pytest.mark.slow
def test_the_other_region_goes_as_well(spark: SparkSession, project: Path) -> None:
    _goes(project, "south", run_here(project, "insurance_policy", "south").as_json())


def _goes(project: Path, region: str, run: dict[str, Any]) -> None:
    """GO without a break, the notices of the legacy, and the exceptions that were planted."""
    assert (run["decision"], run["unexplained"]) == ("go", 0)
    assert run["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    notices = {what: n for what, n in run["outcomes"]["renewal_notices"].items() if n}
    assert notices == {"agree": len(answer(attached(project), "renewal_notices", region))}
    assert notices["agree"] > 3
    exceptions = {rule: n for rule, n in run["exceptions"].items() if n}
    for rule in ("unreadable-native-event", "unknown-event-type"):
        assert exceptions.pop(rule, 1) == 1
    assert exceptions == _planted() | _waiting_for_policies(project, region)


def _planted() -> dict[str, int]:
    """Exceptions per rule, of what history spoilt in a region."""
    expected: Counter[str] = Counter()
    for kind in SPOILT.values():
        if kind.rule not in ("test-policy", "only-quoted"):
            expected[kind.rule] += kind.per_region(POLICIES)
    return dict(expected)


def _waiting_for_policies(project: Path, region: str) -> dict[str, int]:
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
        counts_by_rule = {
            rule: database.execute(
                f"SELECT count(*) FROM {rows} {of_spoilt}", (region,)
            ).fetchone()[0]
            for rule, rows in counted.items()
        }
    return {rule: n for rule, n in counts_by_rule.items() if n}


def test_events_say_how_well_they_are_known(document, spark: SparkSession) -> None:
    lake = document["lake"]
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
    assert not events.where("migreplaysafe and migorigin = 'synthetic'").count()


def test_late_claims_and_corrections_keep_their_own_times(document, spark: SparkSession) -> None:
    lake = document["lake"]
    events = spark.read.parquet(f"{lake}/timeline").where("migsrctime is not null")
    claims = events.where("type = 'ClaimRegistered'").selectExpr(
        "cast(time as date) as at",
        "cast(get_json_object(data, '$.incident_on') as date) as incident",
    )
    assert claims.where("incident < at").count() > 0
    corrected = events.where("type = 'PremiumChanged' and get_json_object(data, '$.revision') > 1")
    assert corrected.where("time < migsrctime - interval 1 day").count() > 0
