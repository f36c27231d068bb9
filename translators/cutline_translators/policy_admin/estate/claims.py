"""Claims shortly before the extract."""

from __future__ import annotations

import datetime as dt

import numpy as np

from cutline_translators.estate.chance import weighted_choices
from cutline_translators.policy_admin.estate.days import YESTERDAY, between, keyed_in, plus
from cutline_translators.policy_admin.estate.policies import DraftedPolicy
from cutline_translators.policy_admin.estate.rows import Row, Value, row
from cutline_translators.policy_admin.letters import (
    APPROVED,
    DECLINED,
    INVESTIGATED,
    PAID,
    REGISTERED,
    VOIDED,
)

_LETTERS = (REGISTERED, INVESTIGATED, APPROVED, DECLINED, PAID, VOIDED)
_SHARES = [0.18, 0.12, 0.15, 0.15, 0.34, 0.06]
_CLAIMANTS = ("B. Ash", "D. Birch", "F. Cedar", "H. Elm", "J. Fir", "L. Oak")


def claims(rng: np.random.Generator, drafted: list[DraftedPolicy], first: int) -> list[Row]:
    """A claim on every third policy, numbered from `first`."""
    rows: list[Row] = []
    for policy in drafted:
        if rng.random() < 1 / 3:
            rows.append(_claim(rng, policy, first + len(rows)))
    return rows


def registered_claim(
    rng: np.random.Generator,
    header: Row,
    number: int,
    incident: dt.date,
    notified: dt.date,
    entered: str,
) -> Row:
    """A claim that is registered and not yet decided."""
    return row(
        "claims",
        claim_no=f"C-{number:07d}",
        policy_no=header["policy_no"],
        region=header["region"],
        claimant=_CLAIMANTS[int(rng.integers(0, len(_CLAIMANTS)))],
        status=REGISTERED,
        incident_on=incident.isoformat(),
        notified_on=notified.isoformat(),
        entered_at=entered,
        reserve_no=1,
        reserve_cents=int(rng.integers(1, 200)) * 5_000,
        reserve_on=notified.isoformat(),
    )


def _claim(rng: np.random.Generator, policy: DraftedPolicy, number: int) -> Row:
    incident = between(rng, max(policy.inception, plus(YESTERDAY, -400)), plus(YESTERDAY, -2))
    notified = min(plus(incident, int(rng.integers(0, 46))), YESTERDAY)
    entered = keyed_in(rng, plus(notified, int(rng.integers(0, 4))))
    claim = registered_claim(rng, policy.header, number, incident, notified, entered)
    letter = _LETTERS[int(weighted_choices(rng, 1, _SHARES)[0])]
    again = int(rng.integers(1, 4))
    reserve: dict[str, Value] = {}
    if again > 1:
        reserve = {
            "reserve_no": again,
            "reserve_on": between(rng, notified, YESTERDAY).isoformat(),
        }
    return {**claim, **reserve, "status": letter, **_decision(rng, letter, notified, claim)}


def _decision(
    rng: np.random.Generator, letter: str, notified: dt.date, claim: Row
) -> dict[str, Value]:
    """The dates and amounts of a claim with this status letter."""
    decided = min(plus(notified, int(rng.integers(1, 21))), YESTERDAY)
    amount = int(str(claim["reserve_cents"])) * int(rng.integers(6, 11)) // 10
    approval: dict[str, Value] = {"approved_on": decided.isoformat(), "approved_cents": amount}
    if letter == APPROVED:
        return approval
    if letter == DECLINED:
        return {"declined_on": decided.isoformat()}
    if letter == VOIDED:
        return {"voided_on": decided.isoformat()}
    if letter == INVESTIGATED and rng.random() < 0.25:
        return {"reopened_on": decided.isoformat()}
    if letter != PAID:
        return {}
    paid: dict[str, Value] = {
        "paid_on": between(rng, decided, YESTERDAY).isoformat(),
        "paid_cents": amount,
    }
    way = rng.random()
    if way < 0.08:  # small claims are paid at the counter
        return paid
    if way < 0.13:  # declined, and paid all the same as a favour
        return {**paid, "declined_on": notified.isoformat()}
    if way < 0.18:  # nobody wrote down when
        return {**approval, "paid_cents": amount}
    return {**approval, **paid}
