"""What the context declares about itself."""

from __future__ import annotations

import datetime as dt

from cutline.context import Requires
from cutline.context.payload import payload_fields
from cutline.engine.project import state_table
from cutline_domains.insurance_policy import (
    CLAIM,
    INSURANCE_POLICY,
    NOTICE_MONTH,
    POLICY,
    ClaimApproved,
    ClaimDeclined,
    ClaimRegistered,
    EndorsementIssued,
    PolicyBound,
    PremiumChanged,
    RenewalNoticeSent,
    renewal_notices,
)


def laws(aggregate) -> set[str]:
    return {rule.rule for rule in aggregate.order if isinstance(rule, Requires)}


def test_nothing_happens_to_a_policy_before_it_is_bound() -> None:
    assert laws(POLICY) == {f"{e.__name__}-requires-PolicyBound" for e in POLICY.events[1:]}
    assert POLICY.events[0] is PolicyBound
    assert EndorsementIssued in POLICY.events


def test_nothing_happens_to_a_claim_before_it_is_registered() -> None:
    assert laws(CLAIM) == {f"{e.__name__}-requires-ClaimRegistered" for e in CLAIM.events[1:]}
    assert CLAIM.events[0] is ClaimRegistered


def test_habits_that_real_life_breaks_are_findings() -> None:
    assert POLICY.finding_rules() == (
        "withdrawn-before-issued",
        "withdrawn-but-never-issued",
        "coverage-ended-before-it-began",
        "coverage-ended-but-never-began",
        "reinstated-before-lapse",
        "expired-and-cancelled",
    )
    assert CLAIM.finding_rules() == (
        "settled-before-approval",
        "settled-without-approval",
        "declined-and-settled",
    )


def test_events_that_mail_somebody_say_so() -> None:
    telling = {e for a in INSURANCE_POLICY.aggregates for e in a.events if e.side_effect}
    assert telling == {RenewalNoticeSent, ClaimApproved, ClaimDeclined}


def test_payloads_and_states_have_exact_types() -> None:
    assert {f.name: f.type for f in payload_fields(PremiumChanged)} == {
        "period_from": "date",
        "premium_cents": "bigint",
        "revision": "bigint",
        "tariff": "string",
    }
    states = {
        a.name: {c.name: c.type for c in state_table(a).columns}
        for a in INSURANCE_POLICY.aggregates
    }
    assert states["policy"]["covered_until"] == "date"
    assert states["policy"]["endorsements"] == "bigint"
    assert states["claim"]["incident_on"] == "date"


def test_every_event_says_what_has_happened() -> None:
    for aggregate in INSURANCE_POLICY.aggregates:
        for event in aggregate.events:
            assert event.__doc__
            assert event.__doc__.rstrip().endswith(".")


def test_notices_of_a_month_are_about_terms_that_end_in_the_next() -> None:
    assert dt.date(2026, 11, 1) == NOTICE_MONTH
    december = renewal_notices(dt.date(2026, 12, 31))
    assert december.question.startswith("Who is sent a renewal notice in December 2026")
    assert "covered_until >= DATE '2027-01-01'" in december.decide
    assert "covered_until < DATE '2027-02-01'" in december.decide
