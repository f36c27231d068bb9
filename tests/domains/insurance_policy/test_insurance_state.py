"""What becomes of policies and claims: states of literal histories, merged as in a run."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.engine.merge import with_verdicts
from cutline.engine.project import project
from cutline.tables.event import EVENTS
from cutline_domains.insurance_policy import CLAIM, INSURANCE_POLICY, POLICY

CUT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
BOUND = ("PolicyBound", "2025-03-01", {"product": "HOME", "covered_from": "2025-03-01"})


def premium(begun: str, cents: int, revision: int = 1) -> tuple[str, str, dict[str, Any]]:
    return ("PremiumChanged", begun, {"premium_cents": cents, "revision": revision})


def cover(no: int, begun: str, cents: int) -> tuple[str, str, dict[str, Any]]:
    return ("CoverageAdded", begun, {"coverage_no": no, "sum_insured_cents": cents})


def amended(
    name: str, on: str, cents: int, kind: str = "Issued"
) -> tuple[str, str, dict[str, Any]]:
    data = {"endorsement_no": name, "premium_delta_cents": cents}
    return (f"Endorsement{kind}", on, data)


def term(begun: str, ended: str) -> tuple[str, str, dict[str, Any]]:
    return ("TermAgreed", begun, {"term_from": begun, "term_to": ended})


POLICIES: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "bound": [BOUND],
    "lapsed": [BOUND, ("PolicyLapsed", "2025-06-01", {})],
    "back-on-the-day": [
        BOUND,
        ("PolicyReinstated", "2025-06-01", {}),
        ("PolicyLapsed", "2025-06-01", {}),
    ],
    "lapsed-again": [
        BOUND,
        ("PolicyLapsed", "2025-06-01", {}),
        ("PolicyReinstated", "2025-07-01", {}),
        ("PolicyLapsed", "2025-09-01", {}),
    ],
    "rests": [BOUND, ("PolicySuspended", "2025-06-01", {})],
    "expired": [BOUND, ("PolicyExpired", "2026-03-01", {})],
    "cancelled": [BOUND, ("PolicyLapsed", "2025-06-01", {}), ("PolicyCancelled", "2025-08-01", {})],
    "corrected": [
        BOUND,
        term("2025-03-01", "2026-03-01"),
        premium("2025-03-01", 100),
        term("2026-03-01", "2027-03-01"),
        premium("2026-03-01", 103),
        premium("2026-03-01", 99, revision=2),
        premium("2025-03-01", 90, revision=2),
    ],
    "amended": [
        BOUND,
        amended("a", "2025-04-01", 50),
        amended("b", "2025-05-01", -20),
        amended("c", "2025-06-01", 7),
        amended("a", "2025-09-01", 50, kind="Withdrawn"),
        cover(1, "2025-03-01", 1_000),
        cover(2, "2025-03-01", 70),
        ("CoverageEnded", "2026-01-01", {"coverage_no": 2, "sum_insured_cents": 70}),
    ],
    "too-early": [BOUND, amended("a", "2025-02-28", 50)],
}
CLAIMS = {
    "registered": [("ClaimRegistered", "2026-10-01", {"policy_no": "P"})],
    "reopened": [
        ("ClaimRegistered", "2026-10-01", {"policy_no": "P"}),
        ("ReserveSet", "2026-10-01", {"reserve_no": 1, "reserve_cents": 5}),
        ("ClaimDeclined", "2026-10-05", {}),
        ("ClaimReopened", "2026-10-05", {}),
        ("ReserveSet", "2026-10-06", {"reserve_no": 2, "reserve_cents": 8}),
    ],
    "paid": [
        ("ClaimSettled", "2026-10-09", {"paid_cents": 3}),
        ("ClaimApproved", "2026-10-05", {"approved_cents": 4}),
        ("ClaimRegistered", "2026-10-01", {"policy_no": "P"}),
    ],
    "orphan": [("ClaimApproved", "2026-10-05", {"approved_cents": 4})],
}


@pytest.fixture(scope="module")
def merged(spark: SparkSession):
    """Verdicts of all histories; facts are told apart by their place."""
    rows = []
    for aggregate, histories in (("policy", POLICIES), ("claim", CLAIMS)):
        for subject, history in histories.items():
            for i, (kind, on, data) in enumerate(history):
                attributes = {
                    "id": f"{subject}-{i:02d}",
                    "source": "urn:test",
                    "type": kind,
                    "subject": subject,
                    "time": dt.datetime.fromisoformat(on).replace(tzinfo=dt.UTC),
                    "datacontenttype": "application/json",
                    "partitionkey": subject,
                    "sequence": f"{i:02d}",
                    "migorigin": "synthetic",
                    "migreplaysafe": False,
                    "migconfidence": "exact",
                    "migtimebasis": "effective",
                    "migfactkey": f"{subject}-{i}",
                    "aggregate": aggregate,
                    "side": "before",
                    "data": json.dumps(data),
                }
                rows.append(tuple(attributes.get(n) for n in EVENTS.names))
    return with_verdicts(spark.createDataFrame(rows, EVENTS.ddl), INSURANCE_POLICY).cache()


@pytest.fixture(scope="module")
def states(merged):
    """(aggregate, subject) -> the columns of its state."""
    timeline = merged.where("ordinal is not null")
    return {
        (aggregate.name, r["subject"]): r.asDict()
        for aggregate in (POLICY, CLAIM)
        for r in project(timeline, aggregate).collect()
    }


def test_the_last_word_is_the_status_and_days_tie_in_the_declared_order(states) -> None:
    statuses = {name: states["policy", name]["status"] for name in POLICIES}
    assert statuses == {
        "bound": "in_force",
        "lapsed": "lapsed",
        "back-on-the-day": "in_force",
        "lapsed-again": "lapsed",
        "rests": "suspended",
        "expired": "expired",
        "cancelled": "cancelled",
        "corrected": "in_force",
        "amended": "in_force",
        "too-early": "in_force",
    }


def test_a_correction_of_an_earlier_period_leaves_the_present_premium(states) -> None:
    state = states["policy", "corrected"]
    assert (state["premium_cents"], state["covered_until"]) == (99, dt.date(2027, 3, 1))


def test_what_was_withdrawn_or_ended_counts_no_more(states) -> None:
    state = states["policy", "amended"]
    assert (state["endorsements"], state["endorsed_cents"]) == (2, -13)
    assert (state["coverages"], state["sum_insured_cents"]) == (1, 1_000)
    none = states["policy", "bound"]
    assert (none["endorsements"], none["endorsed_cents"], none["coverages"]) == (0, 0, 0)
    assert states["policy", "too-early"]["endorsements"] == 0


def test_claims(states) -> None:
    statuses = {name: states["claim", name]["status"] for name in CLAIMS if name != "orphan"}
    assert statuses == {"registered": "registered", "reopened": "registered", "paid": "settled"}
    assert states["claim", "reopened"]["reserve_cents"] == 8
    paid = states["claim", "paid"]
    assert (paid["policy_no"], paid["approved_cents"], paid["paid_cents"]) == ("P", 4, 3)
    assert ("claim", "orphan") not in states


def test_what_comes_before_its_beginning_is_held(merged) -> None:
    rules_of_held = {r["id"]: r["rule"] for r in merged.where("verdict = 'held'").collect()}
    assert rules_of_held == {
        "too-early-01": "EndorsementIssued-requires-PolicyBound",
        "orphan-00": "ClaimApproved-requires-ClaimRegistered",
    }
