"""What a policy's letter and dates mean."""

from __future__ import annotations

import itertools

import pytest
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.contracts import Policy
from cutline_translators.policy_admin.policies import PasPolicies
from support.changes import change
from support.policy_rows import ends, events_of, heads, policy, translation

BEGUN = [("PolicyBound", "2025-03-01"), ("TermAgreed", "2026-03-01")]
ROWS = [
    policy("active"),
    policy("resting", "B", status_on="2026-06-01"),
    policy("lapsed", "L", lapsed_on="2026-06-01"),
    policy("back", lapsed_on="2026-06-01", reinstated_on="2026-06-15"),
    policy("back-at-once", lapsed_on="2026-06-01", reinstated_on="2026-06-01"),
    policy("lapsed-again", "L", lapsed_on="2026-06-01", reinstated_on="2025-09-01"),
    policy("cancelled", "C", cancelled_on="2026-06-01"),
    policy("cancelled-some-day", "C"),
    policy("expired", "X", term_from="2025-03-01", term_to="2026-03-01"),
    policy("noticed", noticed_on="2026-01-15", noticed_for="2026-03-01"),
    policy("quoted", "Q"),
    policy("test", customer_no="TEST-1"),
    policy("migrated", "W"),
    policy("migrated-too", "Z"),
    policy("unheard-of", "K"),
    policy("timeless", inception_on=None),
    policy("both", "C", cancelled_on="2026-06-01", reinstated_on="2026-06-02"),
    policy("back-then-cancelled", "C", cancelled_on="2026-06-01", reinstated_on="2026-05-02"),
    policy("boat", product="BOAT"),
]


@pytest.fixture(scope="module")
def rows(spark: SparkSession):
    """One translation of all literal rows."""
    return translation(spark, PasPolicies, {Policy: ROWS}).collect()


def test_each_letter_announces_what_it_means(rows) -> None:
    assert {n: heads(rows, n)[2:] for n in ("active", "resting", "lapsed", "cancelled")} == {
        "active": [],
        "resting": [("PolicySuspended", "2026-06-01")],
        "lapsed": [("PolicyLapsed", "2026-06-01")],
        "cancelled": [("PolicyCancelled", "2026-06-01")],
    }
    for name in ("active", "resting", "lapsed", "cancelled"):
        assert heads(rows, name)[:2] == BEGUN
    assert heads(rows, "expired") == [
        ("PolicyBound", "2025-03-01"),
        ("TermAgreed", "2025-03-01"),
        ("PolicyExpired", "2026-03-01"),
    ]


def test_a_lapse_stays_in_the_row_after_the_reinstatement(rows) -> None:
    assert heads(rows, "back")[2:] == [
        ("PolicyLapsed", "2026-06-01"),
        ("PolicyReinstated", "2026-06-15"),
    ]
    assert heads(rows, "back-at-once")[2:] == [
        ("PolicyLapsed", "2026-06-01"),
        ("PolicyReinstated", "2026-06-01"),
    ]
    assert heads(rows, "lapsed-again")[2:] == [
        ("PolicyLapsed", "2026-06-01"),
        ("PolicyReinstated", "2025-09-01"),
    ]


def test_payloads(rows) -> None:
    events = {kind: data for kind, _, data in events_of(rows, "noticed")}
    assert events == {
        "PolicyBound": {"covered_from": "2025-03-01", "customer_no": "C-1", "product": "HOME"},
        "TermAgreed": {"term_from": "2026-03-01", "term_to": "2027-03-01"},
        "RenewalNoticeSent": {"term_to": "2026-03-01"},
    }
    assert heads(rows, "noticed")[-1] == ("RenewalNoticeSent", "2026-01-15")


def test_what_the_snapshot_can_vouch_for_is_exact_and_the_rest_inferred(rows) -> None:
    labels = {
        (r["subject"], e["type"]): (e["basis"], e["confidence"]) for r in rows for e in r["events"]
    }
    assert labels["active", "PolicyBound"] == ("effective", "exact")
    assert labels["active", "TermAgreed"] == ("effective", "inferred")
    assert labels["cancelled-some-day", "PolicyCancelled"] == ("extract", "approximate")


def test_rows_that_history_spoilt_go_to_a_person_under_a_name(rows) -> None:
    ends_by_policy = ends(rows, "policies")
    assert {n: end for n, end in ends_by_policy.items() if end[0] != "translated"} == {
        "quoted": ("no-op", "only-quoted"),
        "test": ("no-op", "test-policy"),
        "migrated": ("quarantined", "unreadable-status"),
        "migrated-too": ("quarantined", "unreadable-status"),
        "unheard-of": ("quarantined", "unmapped:status"),
        "timeless": ("quarantined", "policy-without-inception"),
        "both": ("ambiguous", "cancelled-before-reinstated"),
        "boat": ("quarantined", "payload:PolicyBound.product"),
    }


def test_a_change_announces_what_became_true_by_it_at_the_day_agreed(spark: SparkSession) -> None:
    """A quote is bound, lapses, is reinstated, lapses once more, is corrected, and renewed."""
    quote = policy("P", "Q", term_from="2025-03-01", term_to="2026-03-01")
    bound = quote | {"status": "A"}
    lapsed = bound | policy(
        "P", "L", term_from="2025-03-01", term_to="2026-03-01", lapsed_on="2025-06-01"
    )
    back = lapsed | policy(
        "P",
        term_from="2025-03-01",
        term_to="2026-03-01",
        reinstated_on="2025-06-01",
        lapsed_on="2025-06-01",
    )
    again = back | {"status": "L", "lapsed_on": policy("x", lapsed_on="2025-11-01")["lapsed_on"]}
    redated = again | {"lapsed_on": policy("x", lapsed_on="2025-10-01")["lapsed_on"]}
    once_more = redated | {
        "status": "A",
        "reinstated_on": policy("x", reinstated_on="2025-11-15")["reinstated_on"],
    }
    renewed = once_more | policy("P", lapsed_on="2025-10-01", reinstated_on="2025-11-15")
    touched = renewed | {"holder": "A. Berg-Lind"}
    history = [quote, bound, lapsed, back, again, redated, once_more, renewed, touched]
    changes = [change("c", 10, after=quote)] + [
        change("u", 10 + i, before=then, after=now)
        for i, (then, now) in enumerate(itertools.pairwise(history), start=1)
    ]
    rows = translation(spark, PasPolicies, {Policy: changes}).collect()
    assert heads(rows, "P") == [
        ("PolicyBound", "2025-03-01"),
        ("TermAgreed", "2025-03-01"),
        ("PolicyLapsed", "2025-06-01"),
        ("PolicyReinstated", "2025-06-01"),
        ("PolicyLapsed", "2025-11-01"),
        ("PolicyLapsed", "2025-10-01"),
        ("PolicyReinstated", "2025-11-15"),
        ("TermAgreed", "2026-03-01"),
    ]
    assert [r["rule"] for r in sorted(rows, key=lambda r: r["position"])][
        -1
    ] == "nothing-to-announce"
