"""The system's own answers: on literal rows, and against Python on a whole estate."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from cutline_domains.insurance_policy import INSURANCE_POLICY
from cutline_translators.policy_admin.estate.rows import ddl
from cutline_translators.policy_admin.truth import TRUTH
from support.policy_books import REGIONS, answer, attached, rows_of

Row = dict[str, Any]


@pytest.fixture
def legacy() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ':memory:' AS pas")
    database.executescript(ddl().replace("CREATE TABLE ", "CREATE TABLE pas."))
    return database


def insert(database: sqlite3.Connection, table: str, **row: Any) -> None:
    marks = ", ".join("?" * len(row))
    database.execute(
        f"INSERT INTO pas.{table} ({', '.join(row)}) VALUES ({marks})", list(row.values())
    )


def policy(database: sqlite3.Connection, number: str, status: str = "A", **columns: Any) -> None:
    row = {
        "policy_no": number,
        "region": "north",
        "customer_no": "C-1",
        "product": "HOME",
        "status": status,
        "inception_on": "2024-12-15",
        "term_from": "2025-12-15",
        "term_to": "2026-12-15",
    }
    insert(database, "policies", **(row | columns))


def premium(database: sqlite3.Connection, number: str, begun: str, cents: int) -> None:
    insert(
        database,
        "premiums",
        policy_no=number,
        period_from=begun,
        region="north",
        premium_cents=cents,
    )


def endorsement(database: sqlite3.Connection, name: str, number: str, **columns: Any) -> None:
    row = {"endorsement_no": name, "policy_no": number, "region": "north", "status": "I"}
    row |= {"effective_on": "2026-01-01", "premium_delta_cents": 500}
    insert(database, "endorsements", **(row | columns))


def coverage(database: sqlite3.Connection, number: str, no: int, **columns: Any) -> None:
    row = {"policy_no": number, "coverage_no": no, "region": "north", "status": "A"}
    insert(database, "coverages", **(row | {"sum_insured_cents": 1000} | columns))


def claim(database: sqlite3.Connection, name: str, status: str = "R", **columns: Any) -> None:
    row = {
        "claim_no": name,
        "policy_no": "1",
        "region": "north",
        "status": status,
        "incident_on": "2026-09-01",
        "notified_on": "2026-09-10",
        "reserve_cents": 700,
    }
    insert(database, "claims", **(row | columns))


def test_each_letter_has_a_word_and_what_cannot_be_read_is_left_out(
    legacy: sqlite3.Connection,
) -> None:
    for number, letter in enumerate("ABLCXQWZ", start=1):
        policy(legacy, str(number), letter)
    policy(legacy, "9", customer_no="TEST-9")
    policy(legacy, "10", inception_on=None)
    policy(legacy, "11", "C", cancelled_on="2026-03-01", reinstated_on="2026-03-02")
    policy(legacy, "12", "C", cancelled_on="2026-03-01", reinstated_on="2026-02-02")
    policy(legacy, "13", "C", reinstated_on="2026-02-02")
    policy(legacy, "14", region="south")
    assert {row[0]: row[1] for row in answer(legacy, "policy", "north")} == {
        "1": "in_force",
        "2": "suspended",
        "3": "lapsed",
        "4": "cancelled",
        "5": "expired",
        "12": "cancelled",
        "13": "cancelled",
    }


def test_a_policy_costs_its_latest_premium_and_counts_what_holds(
    legacy: sqlite3.Connection,
) -> None:
    policy(legacy, "1", noticed_for="2025-12-15")
    premium(legacy, "1", "2024-12-15", 100)
    premium(legacy, "1", "2025-12-15", 103)
    endorsement(legacy, "a", "1")
    endorsement(legacy, "b", "1", premium_delta_cents=-200)
    endorsement(legacy, "void", "1", status="V")
    endorsement(legacy, "draft", "1", status="D")
    endorsement(legacy, "early", "1", effective_on="2024-12-14")
    endorsement(legacy, "first-day", "1", effective_on="2024-12-15", premium_delta_cents=1)
    endorsement(legacy, "no-day", "1", effective_on="31.12.2025")
    coverage(legacy, "1", 1)
    coverage(legacy, "1", 2, sum_insured_cents=50)
    coverage(legacy, "1", 3, status="E")
    coverage(legacy, "1", 4, sum_insured_cents=-7)
    days = ("2024-12-15", "2026-12-15")
    assert answer(legacy, "policy", "north") == [
        ("1", "in_force", "HOME", *days, 103, 3, 301, 2, 1050, "2025-12-15")
    ]


def test_claims(legacy: sqlite3.Connection) -> None:
    policy(legacy, "1", "W")
    policy(legacy, "quote", "Q")
    policy(legacy, "test", customer_no="TEST-1")
    for letter in "RUADPV":
        claim(legacy, letter, letter)
    claim(legacy, "paid", "P", approved_on="2026-09-10", approved_cents=5, paid_cents=4)
    claim(legacy, "of-a-quote", policy_no="quote")
    claim(legacy, "of-a-test", policy_no="test")
    claim(legacy, "of-nothing", policy_no="gone")
    claim(legacy, "future", incident_on="2026-09-11")
    claim(legacy, "hasty", "D", declined_on="2026-09-09")
    claim(legacy, "hastier", "P", paid_on="2026-09-09")
    claim(legacy, "both", "A", approved_on="2026-09-11", declined_on="2026-09-11")
    words = ["registered", "registered", "approved", "declined", "settled", "withdrawn"]
    assert answer(legacy, "claim", "north") == sorted(
        [
            *(
                (c, w, "1", "2026-09-01", 700, None, None)
                for c, w in zip("RUADPV", words, strict=True)
            ),
            ("paid", "settled", "1", "2026-09-01", 700, 5, 4),
        ]
    )


def test_renewal_notices(legacy: sqlite3.Connection) -> None:
    for number, columns in {
        "1": {},
        "noticed": {"noticed_for": "2026-12-15"},
        "noticed-before": {"noticed_for": "2025-12-15"},
        "november": {"term_to": "2026-11-30"},
        "january": {"term_to": "2027-01-01"},
        "lapsed": {"status": "L"},
        "test": {"customer_no": "TEST-4"},
        "timeless": {"inception_on": None},
        "claimed": {},
        "decided": {},
    }.items():
        policy(legacy, number, **({"status": "A"} | columns))
        premium(legacy, number, "2024-12-15", 90)
        premium(legacy, number, "2025-12-15", 100)
    endorsement(legacy, "a", "1", premium_delta_cents=-30)
    endorsement(legacy, "b", "1", status="V")
    claim(legacy, "open", policy_no="claimed")
    claim(legacy, "closed", "D", policy_no="decided")
    assert answer(legacy, "renewal_notices", "north") == [
        ("1", 70),
        ("decided", 100),
        ("noticed-before", 100),
    ]


def test_it_answers_for_every_aggregate_and_outcome_and_says_who_is_left_out(
    legacy: sqlite3.Connection,
) -> None:
    assert set(TRUTH.aggregates) == {a.name for a in INSURANCE_POLICY.aggregates}
    assert set(TRUTH.outcomes) == {o.name for o in INSURANCE_POLICY.outcomes}
    for sql in (TRUTH.aggregates | TRUTH.outcomes).values():
        assert sql.startswith("-- One row per ")
        assert "left out" in sql.split("SELECT")[0].lower()
    for aggregate in INSURANCE_POLICY.aggregates:
        cursor = legacy.execute(TRUTH.aggregates[aggregate.name], {"region": "north"})
        assert {d[0] for d in cursor.description} == {"subject", *aggregate.state}


@pytest.mark.parametrize("region", REGIONS)
def test_python_comes_to_the_same_answers_on_an_estate(estate: Path, region: str) -> None:
    books = {t: rows_of(estate / "legacy/pas.db", t) for t in ("policies", "premiums")}
    books |= {t: rows_of(estate / "legacy/pas.db", t) for t in ("endorsements", "claims")}
    cost: dict[str, tuple[str, int]] = {}
    for row in books["premiums"]:
        newest = cost.get(row["policy_no"], ("", 0))
        cost[row["policy_no"]] = max(newest, (row["period_from"], row["premium_cents"]))
    added: dict[str, int] = defaultdict(int)
    begun = {p["policy_no"]: p["inception_on"] or "9999" for p in books["policies"]}
    for row in books["endorsements"]:
        on_a_day = row["effective_on"][4] == "-"
        if (
            row["status"] == "I"
            and on_a_day
            and row["effective_on"] >= begun.get(row["policy_no"], "9999")
        ):
            added[row["policy_no"]] += row["premium_delta_cents"]
    waiting = {c["policy_no"] for c in books["claims"] if c["status"] in "RU"}
    expected = [
        (p["policy_no"], cost[p["policy_no"]][1] + added[p["policy_no"]])
        for p in books["policies"]
        if p["region"] == region
        and p["status"] == "A"
        and not p["customer_no"].startswith("TEST")
        and p["inception_on"]
        and "2026-12-01" <= p["term_to"] <= "2026-12-31"
        and p["noticed_for"] != p["term_to"]
        and p["policy_no"] not in waiting
    ]
    database = attached(estate)
    assert answer(database, "renewal_notices", region) == sorted(expected)
    assert len(expected) > 5
    states_by_policy = {row[0]: row for row in answer(database, "policy", region)}
    assert {n: row[5] for n, row in states_by_policy.items()} == {
        n: cost[n][1] for n in states_by_policy
    }
    assert {n: row[7] for n, row in states_by_policy.items()} == {
        n: added[n] for n in states_by_policy
    }
