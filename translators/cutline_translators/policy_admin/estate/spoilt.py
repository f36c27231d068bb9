"""Spoilt coverages, endorsements and claims."""

from __future__ import annotations

import numpy as np

from cutline_translators.policy_admin.estate.amendments import endorsement
from cutline_translators.policy_admin.estate.books import Books
from cutline_translators.policy_admin.estate.claims import registered_claim
from cutline_translators.policy_admin.estate.days import YESTERDAY, keyed_in, plus
from cutline_translators.policy_admin.estate.kinds import SPOILT
from cutline_translators.policy_admin.estate.policies import PLAIN, DraftedPolicy
from cutline_translators.policy_admin.estate.rows import REGIONS, Row, row
from cutline_translators.policy_admin.letters import APPROVED, ISSUED, PAID

FIRST_SPOILT_NUMBER = 9_000_000
"""The first of the numbers of spoilt rows, and of policies that the system does not have."""


def spoil(rng: np.random.Generator, books: Books, drafted: list[DraftedPolicy]) -> None:
    """Add the spoilt rows, each to a policy of its own."""
    policies = len(drafted)
    plain = [d for d in drafted if d.kind == PLAIN]
    for region in REGIONS:
        of_region = [d for d in plain if d.header["region"] == region]
        hosts = iter([of_region[int(i)] for i in rng.permutation(len(of_region))])
        for name, kind in SPOILT.items():
            if kind.name not in _ROW_MAKERS:
                continue
            for _ in range(kind.per_region(policies)):
                number = FIRST_SPOILT_NUMBER + sum(len(rows) for rows in books.rows.values())
                books.add(kind.table, _ROW_MAKERS[name](rng, next(hosts), number))


def _coverage_below_zero(rng: np.random.Generator, host: DraftedPolicy, _: int) -> Row:
    return row(
        "coverages",
        policy_no=host.header["policy_no"],
        coverage_no=9,
        region=host.header["region"],
        risk="OTHER",
        status="A",
        sum_insured_cents=-100_000,
        covered_from=host.inception.isoformat(),
        entered_at=keyed_in(rng, host.inception),
    )


def _issued_endorsement(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    amendment = endorsement(rng, host.header, number, plus(host.inception, 1))
    return {**amendment, "status": ISSUED, "voided_on": None}


def _endorsement_on_no_day(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    written = plus(host.inception, 1)
    return {**_issued_endorsement(rng, host, number), "effective_on": f"{written:%d.%m.%Y}"}


def _endorsement_before_policy(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    before = plus(host.inception, -int(rng.integers(20, 300)))
    return {**_issued_endorsement(rng, host, number), "effective_on": before.isoformat()}


def _endorsement_of_no_policy(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    return {**_issued_endorsement(rng, host, number), "policy_no": f"P-{number:07d}"}


def _paid_claim(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    incident, notified = plus(YESTERDAY, -30), plus(YESTERDAY, -20)
    claim = registered_claim(rng, host.header, number, incident, notified, keyed_in(rng, notified))
    return {
        **claim,
        "status": PAID,
        "approved_on": plus(notified, 3).isoformat(),
        "approved_cents": claim["reserve_cents"],
        "paid_on": plus(notified, 5).isoformat(),
        "paid_cents": claim["reserve_cents"],
    }


def _claim_on_no_policy(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    return {**_paid_claim(rng, host, number), "policy_no": f"P-{number:07d}"}


def _claim_notified_before_incident(
    rng: np.random.Generator, host: DraftedPolicy, number: int
) -> Row:
    return {**_paid_claim(rng, host, number), "incident_on": plus(YESTERDAY, -10).isoformat()}


def _claim_decided_before_notified(
    rng: np.random.Generator, host: DraftedPolicy, number: int
) -> Row:
    return {**_paid_claim(rng, host, number), "approved_on": plus(YESTERDAY, -25).isoformat()}


def _approved_and_declined_claim(rng: np.random.Generator, host: DraftedPolicy, number: int) -> Row:
    paid = _paid_claim(rng, host, number)
    return {
        **paid,
        "status": APPROVED,
        "declined_on": paid["approved_on"],
        "paid_on": None,
        "paid_cents": None,
    }


_ROW_MAKERS = {
    "coverage below zero": _coverage_below_zero,
    "endorsement on no day": _endorsement_on_no_day,
    "endorsement before the policy": _endorsement_before_policy,
    "endorsement of no policy": _endorsement_of_no_policy,
    "claim on no policy": _claim_on_no_policy,
    "told before it happened": _claim_notified_before_incident,
    "decided before it was told": _claim_decided_before_notified,
    "approved and declined": _approved_and_declined_claim,
}
