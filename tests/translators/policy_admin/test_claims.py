"""What a claim's letter and dates mean."""

from __future__ import annotations

import itertools

import pytest
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.claims import PasClaims
from cutline_translators.policy_admin.contracts import Claim, Policy
from support.changes import change
from support.policy_rows import claim, day, ends, events_of, heads, policy, translation

BEGUN = [("ClaimRegistered", "2026-09-08"), ("ReserveSet", "2026-09-08")]
APPROVAL = {"approved_on": "2026-09-20", "approved_cents": 800}
PAYMENT = {"paid_on": "2026-09-25", "paid_cents": 800}
POLICIES = [policy("P"), policy("migrated", "W"), policy("quote", "Q")]
ROWS = [
    claim("registered"),
    claim("looked-at", "U"),
    claim("looked-at-again", "U", reopened_on="2026-10-01"),
    claim("approved", "A", **APPROVAL),
    claim("declined", "D", declined_on="2026-09-20"),
    claim("declined-some-day", "D"),
    claim("paid", "P", **APPROVAL, **PAYMENT),
    claim("paid-some-day", "P", **APPROVAL, paid_cents=800),
    claim("at-the-counter", "P", **PAYMENT),
    claim("favour", "P", declined_on="2026-09-20", **PAYMENT),
    claim("void", "V", voided_on="2026-09-21"),
    claim("unheard-of", "K"),
    claim("future", incident_on="2026-09-09"),
    claim("same-day", incident_on="2026-09-08"),
    claim("hasty", "A", approved_on="2026-09-07", approved_cents=1),
    claim("both", "A", declined_on="2026-09-21", **APPROVAL),
    claim("unapproved-amount", "A", approved_on="2026-09-20"),
    claim("of-nothing", policy_no="gone"),
    claim("of-a-quote", policy_no="quote"),
    claim("of-a-migrated", policy_no="migrated"),
]


@pytest.fixture(scope="module")
def rows(spark: SparkSession):
    """One translation of all literal rows."""
    return translation(spark, PasClaims, {Policy: POLICIES, Claim: ROWS}).collect()


def test_each_letter_announces_what_it_means(rows) -> None:
    names = [r["claim_no"] for r in ROWS if ends(rows, "claims")[r["claim_no"]][0] == "translated"]
    assert {n: heads(rows, n)[2:] for n in names} == {
        "registered": [],
        "looked-at": [],
        "looked-at-again": [("ClaimReopened", "2026-10-01")],
        "approved": [("ClaimApproved", "2026-09-20")],
        "declined": [("ClaimDeclined", "2026-09-20")],
        "declined-some-day": [("ClaimDeclined", "2026-11-01T02:00:00")],
        "paid": [("ClaimApproved", "2026-09-20"), ("ClaimSettled", "2026-09-25")],
        "paid-some-day": [("ClaimApproved", "2026-09-20"), ("ClaimSettled", "2026-11-01T02:00:00")],
        "at-the-counter": [("ClaimSettled", "2026-09-25")],
        "favour": [("ClaimDeclined", "2026-09-20"), ("ClaimSettled", "2026-09-25")],
        "void": [("ClaimWithdrawn", "2026-09-21")],
        "same-day": [],
        "of-a-migrated": [],
    }
    assert all(heads(rows, n)[:2] == BEGUN for n in names)


def test_rows_that_history_spoilt_go_to_a_person_under_a_name(rows) -> None:
    assert {n: e for n, e in ends(rows, "claims").items() if e[0] != "translated"} == {
        "unheard-of": ("quarantined", "unmapped:status"),
        "future": ("ambiguous", "incident-after-notification"),
        "hasty": ("ambiguous", "decided-before-notification"),
        "both": ("ambiguous", "both:approved+declined"),
        "unapproved-amount": ("quarantined", "payload:ClaimApproved.approved_cents"),
        "of-nothing": ("quarantined", "lookup-missing:policy"),
        "of-a-quote": ("no-op", "of-a-quote"),
    }


def test_letters_that_mail_the_customer_are_never_replayed(rows) -> None:
    assert not any(e["replaysafe"] for r in rows for e in r["events"])


def test_a_claim_entered_today_for_last_month_and_what_becomes_of_it(spark: SparkSession) -> None:
    new = claim("C", incident_on="2026-10-05", notified_on="2026-11-01", reserve_on="2026-11-01")
    raised = new | {"reserve_no": 2, "reserve_cents": 1_500}
    looked_at = raised | {"status": "U"}
    declined = looked_at | {"status": "D", "declined_on": day("2026-11-01")}
    reopened = declined | {"status": "U", "declined_on": None, "reopened_on": day("2026-11-02")}
    approved = reopened | {"status": "A", "approved_on": day("2026-11-03"), "approved_cents": 1}
    paid = approved | {"status": "P", "paid_on": day("2026-11-04"), "paid_cents": 1}
    history = [new, raised, looked_at, declined, reopened, approved, paid]
    changes = [change("c", 10, after=new)] + [
        change("u", 10 + i, before=then, after=now)
        for i, (then, now) in enumerate(itertools.pairwise(history), start=1)
    ]
    rows = translation(spark, PasClaims, {Policy: POLICIES, Claim: changes}).collect()
    assert heads(rows, "C") == [
        ("ClaimRegistered", "2026-11-01"),
        ("ReserveSet", "2026-11-01"),
        ("ReserveSet", "2026-11-01"),
        ("ClaimDeclined", "2026-11-01"),
        ("ClaimReopened", "2026-11-02"),
        ("ClaimApproved", "2026-11-03"),
        ("ClaimSettled", "2026-11-04"),
    ]
    registered = events_of(rows, "C")[0][2]
    assert registered == {
        "entered_at": "2026-09-09T09:00:00.000000Z",
        "incident_on": "2026-10-05",
        "policy_no": "P",
    }
    reserves = [d for kind, _, d in events_of(rows, "C") if kind == "ReserveSet"]
    assert reserves == [
        {"reserve_cents": 900, "reserve_no": 1},
        {"reserve_cents": 1_500, "reserve_no": 2},
    ]
