"""Endorsements shortly before the extract."""

from __future__ import annotations

import datetime as dt

import numpy as np

from cutline_translators.estate.chance import weighted_choices
from cutline_translators.policy_admin.estate.days import YESTERDAY, between, day, keyed_in, plus
from cutline_translators.policy_admin.estate.policies import DraftedPolicy
from cutline_translators.policy_admin.estate.rows import Row, row
from cutline_translators.policy_admin.letters import DRAFT, ISSUED, VOID

_MOST = 3
_KINDS = ("ADDRESS", "SUM-INSURED", "VEHICLE", "CLAUSE")
_SHARES = [0.1, 0.78, 0.12]


def endorsements(rng: np.random.Generator, drafted: list[DraftedPolicy], first: int) -> list[Row]:
    """Up to three per policy, numbered from `first`; half of the policies have none."""
    rows: list[Row] = []
    for policy in drafted:
        if rng.random() < 0.5:
            continue
        for _ in range(int(rng.integers(1, _MOST + 1))):
            until = policy.header["cancelled_on"] or YESTERDAY.isoformat()
            effective = between(rng, policy.inception, plus(day(until), -5))
            rows.append(endorsement(rng, policy.header, first + len(rows), effective))
    return rows


def endorsement(rng: np.random.Generator, header: Row, number: int, effective: dt.date) -> Row:
    """One amendment of a policy, keyed in up to two months after it took effect."""
    letter = (DRAFT, ISSUED, VOID)[int(weighted_choices(rng, 1, _SHARES)[0])]
    entered = min(plus(effective, int(rng.integers(0, 60))), YESTERDAY)
    return row(
        "endorsements",
        endorsement_no=f"E-{number:07d}",
        policy_no=header["policy_no"],
        region=header["region"],
        kind=_KINDS[int(rng.integers(0, len(_KINDS)))],
        status=letter,
        effective_on=effective.isoformat(),
        premium_delta_cents=int(rng.integers(-3, 9)) * 250,
        voided_on=between(rng, entered, YESTERDAY).isoformat() if letter == VOID else None,
        entered_at=keyed_in(rng, entered),
    )
