"""What came in after the extract: new policies, and claims for incidents of last month."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutline_translators.estate.moments import CUT, END, EXTRACT, LIVE_START, MINUTE
from cutline_translators.policy_admin.estate.books import Books, created
from cutline_translators.policy_admin.estate.claims import registered
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
    Drafted,
    coverages,
    premiums,
)
from cutline_translators.policy_admin.estate.rows import REGIONS, Row, Value, row
from cutline_translators.policy_admin.letters import ACTIVE

RATE = 0.006
"""New policies, and as many new claims, by the policies in the extract; per place in time."""


@dataclass(frozen=True)
class Arrived:
    """A new policy with its rows, or a new claim, and when it was entered: seconds since 1970."""

    at: int
    policy: Drafted | None = None
    claim: Row | None = None


def arrive(
    rng: np.random.Generator, books: Books, hosts: list[Drafted], policies: int
) -> tuple[list[Arrived], list[Arrived]]:
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
    groups: list[list[Arrived]] = []
    for start, stop in spans:
        group = []
        for i in range(count):
            at = int(rng.integers(start, stop))
            number = policies + 1 + len(groups) * count + i
            host = by_region[i % 2][int(rng.integers(0, len(by_region[i % 2])))]
            group.append(Arrived(at, policy=_policy(rng, number, i % 2, at)))
            group.append(Arrived(at + 20, claim=_late(rng, host, number, at + 20)))
        groups.append(group)
    for arrived in (*groups[0], *groups[1]):
        _log(books, arrived)
    return groups[1], groups[2]


def _log(books: Books, arrived: Arrived) -> None:
    committed = arrived.at + 2
    if arrived.claim is not None:
        books.commit(committed, created("claims", [arrived.claim]))
    if arrived.policy is not None:
        new = arrived.policy
        books.commit(
            committed,
            [
                *created("policies", [new.header]),
                *created("coverages", new.coverages),
                *created("premiums", new.premiums),
            ],
        )


def _policy(rng: np.random.Generator, number: int, region: int, at: int) -> Drafted:
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
    return Drafted(
        "plain",
        header,
        [{**c, "status": "A", "ended_on": None, "entered_at": moment(at)} for c in cover],
        [{**c, "entered_at": moment(at)} for c in cost],
    )


def _late(rng: np.random.Generator, host: Drafted, number: int, at: int) -> Row:
    """A claim that is entered and told today, for an incident of last month where it can be."""
    incident = between(rng, max(host.inception, plus(TODAY, -31)), YESTERDAY)
    return registered(rng, host.header, number, incident, TODAY, moment(at))
