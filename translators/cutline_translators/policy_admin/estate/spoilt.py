"""Coverages, endorsements and claims that history spoilt."""

from __future__ import annotations

import numpy as np

from cutline_translators.policy_admin.estate.amendments import endorsement
from cutline_translators.policy_admin.estate.books import Books
from cutline_translators.policy_admin.estate.claims import registered
from cutline_translators.policy_admin.estate.days import YESTERDAY, keyed_in, plus
from cutline_translators.policy_admin.estate.kinds import SPOILT
from cutline_translators.policy_admin.estate.policies import PLAIN, Drafted
from cutline_translators.policy_admin.estate.rows import REGIONS, Row, row
from cutline_translators.policy_admin.letters import APPROVED, ISSUED, PAID

FIRST_STRANGE = 9_000_000
"""Numbers from here on are of spoilt rows, and of policies that the system does not have."""


def spoil(rng: np.random.Generator, books: Books, drafted: list[Drafted]) -> None:
    """Adds the rows; each to a policy of its own."""
    policies = len(drafted)
    plain = [d for d in drafted if d.kind == PLAIN]
    for region in REGIONS:
        mine = [d for d in plain if d.header["region"] == region]
        hosts = iter([mine[int(i)] for i in rng.permutation(len(mine))])
        for name, kind in SPOILT.items():
            if kind.name not in _MAKERS:
                continue
            for _ in range(kind.per_region(policies)):
                number = FIRST_STRANGE + sum(len(rows) for rows in books.rows.values())
                books.add(kind.table, _MAKERS[name](rng, next(hosts), number))


def _below_zero(rng: np.random.Generator, host: Drafted, _: int) -> Row:
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


def _amendment(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    made = endorsement(rng, host.header, number, plus(host.inception, 1))
    return {**made, "status": ISSUED, "voided_on": None}


def _on_no_day(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    written = plus(host.inception, 1)
    return {**_amendment(rng, host, number), "effective_on": f"{written:%d.%m.%Y}"}


def _too_early(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    before = plus(host.inception, -int(rng.integers(20, 300)))
    return {**_amendment(rng, host, number), "effective_on": before.isoformat()}


def _amendment_of_nothing(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    return {**_amendment(rng, host, number), "policy_no": f"P-{number:07d}"}


def _paid(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    incident, told = plus(YESTERDAY, -30), plus(YESTERDAY, -20)
    made = registered(rng, host.header, number, incident, told, keyed_in(rng, told))
    return {
        **made,
        "status": PAID,
        "approved_on": plus(told, 3).isoformat(),
        "approved_cents": made["reserve_cents"],
        "paid_on": plus(told, 5).isoformat(),
        "paid_cents": made["reserve_cents"],
    }


def _on_nothing(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    return {**_paid(rng, host, number), "policy_no": f"P-{number:07d}"}


def _told_too_early(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    return {**_paid(rng, host, number), "incident_on": plus(YESTERDAY, -10).isoformat()}


def _decided_too_early(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    return {**_paid(rng, host, number), "approved_on": plus(YESTERDAY, -25).isoformat()}


def _both(rng: np.random.Generator, host: Drafted, number: int) -> Row:
    paid = _paid(rng, host, number)
    return {
        **paid,
        "status": APPROVED,
        "declined_on": paid["approved_on"],
        "paid_on": None,
        "paid_cents": None,
    }


_MAKERS = {
    "coverage below zero": _below_zero,
    "endorsement on no day": _on_no_day,
    "endorsement before the policy": _too_early,
    "endorsement of no policy": _amendment_of_nothing,
    "claim on no policy": _on_nothing,
    "told before it happened": _told_too_early,
    "decided before it was told": _decided_too_early,
    "approved and declined": _both,
}
