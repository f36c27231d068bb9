"""The same logs with rows that arrive spoiled, and which events are lost with them.

What is spoiled is one message at a time: the row in the legacy is sound, and so is its next image.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from support.scored.fines.derive import DATE, Legacy
from support.scored.fines.truth import PAYMENT
from support.scored.images import Image
from support.scored.truth import TrueEvent

UNKNOWN, NO_DAY, TOO_EARLY = (
    "unmapped:status",
    "contract:status_on:nullable",
    "contract:sent_before_entered",
)
NO_DIGITS, TOO_MUCH = "contract:digits:nullable", "amount-above-the-total"

Row = dict[str, Any]


@dataclass(frozen=True)
class Spoiled:
    """The logs as they arrive; by commit, the rule that each spoiled row must be told."""

    logs: Legacy
    fines: dict[int, str]
    payments: dict[int, str]

    def expected(self) -> list[TrueEvent]:
        """The events that sound rows still tell: at once, or a later image of the same fine."""
        sound: dict[str, int] = {
            str(image.after["fine_no"]): image.commit
            for image in self.logs.fines
            if image.commit not in self.fines
        }
        return [
            event
            for commit, event in enumerate(self.logs.events, start=1)
            if self._survives(commit, event, sound.get(event.case, 0))
        ]

    def rules(self) -> Counter[str]:
        """How many rows are to be quarantined, by rule."""
        return Counter([*self.fines.values(), *self.payments.values()])

    def _survives(self, commit: int, event: TrueEvent, last_sound: int) -> bool:
        if event.activity == PAYMENT:
            return commit not in self.payments
        later = event.activity in DATE and last_sound > commit
        return commit not in self.fines or later


def spoiled(logs: Legacy) -> Spoiled:
    """Every so many rows, by prime steps, so that each kind meets each activity."""
    fines: dict[int, str] = {}
    payments: dict[int, str] = {}
    return Spoiled(
        Legacy(
            [_spoil(image, _FINES, fines) for image in logs.fines],
            [_spoil(image, _PAYMENTS, payments) for image in logs.payments],
            logs.events,
        ),
        fines,
        payments,
    )


_Kind = tuple[int, str, Callable[[Row], bool], Callable[[Row], Row]]

_FINES: tuple[_Kind, ...] = (
    (97, UNKNOWN, lambda row: True, lambda row: {"status": "?"}),
    (89, NO_DAY, lambda row: True, lambda row: {"status_on": None}),
    (
        83,
        TOO_EARLY,
        lambda row: row.get("sent_on") is not None,
        lambda row: {"sent_on": row["entered_on"] - dt.timedelta(days=1)},
    ),
)
_PAYMENTS: tuple[_Kind, ...] = (
    (19, NO_DIGITS, lambda row: True, lambda row: {"digits": None}),
    (23, TOO_MUCH, lambda row: True, lambda row: {"digits": row["digits"] * 1000}),
)


def _spoil(image: Image, kinds: Iterable[_Kind], rules: dict[int, str]) -> Image:
    row = dict(image.after)
    for step, rule, possible, spoil in kinds:
        if image.commit % step == 0 and possible(row):
            rules[image.commit] = rule
            return replace(image, after=row | spoil(row))
    return image
