"""Business after the extract: new policies, and claims for incidents of last month."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutline_translators.estate.moments import CUT, END, EXTRACT, LIVE_START, MINUTE
from cutline_translators.policy_admin.estate.books import Books, insertions
from cutline_translators.policy_admin.estate.claims import registered_claim
from cutline_translators.policy_admin.estate.days import (
    TODAY,
    YESTERDAY,
    anniversary,
    between,
    moment,
    plus,
)
from cutline_translators.policy_admin.estate.policies import (
    PRODUCTS,
    DraftedPolicy,
    coverages,
    premiums,
)
from cutline_translators.policy_admin.estate.rows import REGIONS, Row, Value, row
from cutline_translators.policy_admin.letters import ACTIVE

RATE = 0.006
"""New policies, and as many new claims, by the policies in the extract; per place in time."""


@dataclass(frozen=True)
class Newcomer:
    """A new policy with its rows, or a new claim, and when it was entered: seconds since 1970."""

    at: int
    policy: DraftedPolicy | None = None
    claim: Row | None = None


def log_newcomers(
    rng: np.random.Generator, books: Books, hosts: list[DraftedPolicy], policies: int
) -> tuple[list[Newcomer], list[Newcomer]]:
    """Those beside the live producer, and those of which only the live producer knows.

    The first, and those before the live producer was on, are logged. `policies` are those in the
    extract, after whose numbers the new ones run on; `hosts` those on which somebody may claim.
    """
    count = max(2, round(policies * RATE)) // 2 * 2
    by_region = [[h for h in hosts if h.header["region"] == region] for region in REGIONS]
    spans = (
        (EXTRACT + MINUTE, LIVE_START - 10 * MINUTE),
        (LIVE_START + 5, CUT - 5 * MINUTE),
        (CUT + MINUTE, END - MINUTE),
    )
    groups: list[list[Newcomer]] = []
    for start, stop in spans:
        group = []
        for i in range(count):
            at = int(rng.integers(start, stop))
            number = policies + 1 + len(groups) * count + i
            host = by_region[i % 2][int(rng.integers(0, len(by_region[i % 2])))]
            group.append(Newcomer(at, policy=_new_policy(rng, number, i % 2, at)))
            group.append(Newcomer(at + 20, claim=_late_claim(rng, host, number, at + 20)))
        groups.append(group)
    for newcomer in (*groups[0], *groups[1]):
        _log(books, newcomer)
    return groups[1], groups[2]


def _log(books: Books, newcomer: Newcomer) -> None:
    committed = newcomer.at + 2
    if newcomer.claim is not None:
        books.commit(committed, insertions("claims", [newcomer.claim]))
    if newcomer.policy is not None:
        new = newcomer.policy
        books.commit(
            committed,
            [
                *insertions("policies", [new.header]),
                *insertions("coverages", new.coverages),
                *insertions("premiums", new.premiums),
            ],
        )


def _new_policy(rng: np.random.Generator, number: int, region: int, at: int) -> DraftedPolicy:
    product = PRODUCTS[int(rng.integers(0, len(PRODUCTS)))]
    base: dict[str, Value] = {"policy_no": f"P-{number:07d}", "region": REGIONS[region]}
    header = row(
        "policies",
        **base,
        customer_no=f"C-{number:07d}",
        holder="N. Newcomer",
        product=product,
        status=ACTIVE,
        inception_on=TODAY.isoformat(),
        term_from=TODAY.isoformat(),
        term_to=anniversary(TODAY, 1).isoformat(),
        status_on=TODAY.isoformat(),
        entered_at=moment(at),
        updated_at=moment(at),
    )
    cover = coverages(rng, base, product, TODAY, TODAY)
    cost = premiums(rng, base, product, TODAY, 1, 0.0)
    return DraftedPolicy(
        "plain",
        header,
        [{**c, "status": "A", "ended_on": None, "entered_at": moment(at)} for c in cover],
        [{**c, "entered_at": moment(at)} for c in cost],
    )


def _late_claim(rng: np.random.Generator, host: DraftedPolicy, number: int, at: int) -> Row:
    """A claim entered and notified today, for an incident at most a month ago."""
    incident = between(rng, max(host.inception, plus(TODAY, -31)), YESTERDAY)
    return registered_claim(rng, host.header, number, incident, TODAY, moment(at))
