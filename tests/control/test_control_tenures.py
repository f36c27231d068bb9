"""Who wrote when, by the ledger: in the legacy's own clock."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from cutline.control.rollouts import LedgerEvent, LedgerLine, Writes
from cutline.control.tenures import (
    LEGACY_CLOCK,
    LIVE_ENDS,
    Tenure,
    authority_of_late,
    tenures,
)

AHEAD = dt.timedelta(hours=3)


def minute(number: int) -> dt.datetime:
    """A moment by the control database's clock."""
    return dt.datetime(2026, 10, 1, 8, number, tzinfo=dt.UTC)


class Ledger:
    """The lines of a ledger, written by hand, one a minute."""

    def __init__(self) -> None:
        self.lines: list[LedgerLine] = []

    def add(
        self,
        step: str | None,
        writes: Writes,
        epoch: int,
        evidence: Mapping[str, Any] | None = None,
        event: LedgerEvent = "done",
    ) -> None:
        """One more line."""
        number = len(self.lines) + 1
        self.lines.append(
            LedgerLine(
                *("shop", "all", number, minute(number), "ops", None, "switch writes", step, event),
                *(evidence or {}, None, "new", None, writes, None, epoch),
            )
        )

    def tenures(self) -> list[Tenure]:
        """Of the ledger as it is listed: newest first."""
        return list(tenures(self.lines[::-1]))


def clock(number: int) -> dict[str, str]:
    """The legacy's clock at a minute."""
    return {LEGACY_CLOCK: (minute(number) + AHEAD).isoformat()}


def test_the_legacys_clock_places_what_it_committed() -> None:
    ledger = Ledger()
    ledger.add(None, "legacy", 1, event="opened")
    ledger.add("claim-epoch", "held", 2)
    ledger.add("record-position", "held", 2, clock(3))
    ledger.add("flip", "new", 3, {LIVE_ENDS: {"t": {"0": 4}}})
    ledger.add("hold-new", "held", 4)
    ledger.add("flip-back", "legacy", 5, clock(6) | {LIVE_ENDS: {"t": {"0": 9}}})
    legacy, held_tenure, new, _, again = ledger.tenures()
    assert (legacy.begins, legacy.ends) == (minute(1) + AHEAD, minute(3) + AHEAD)
    assert (held_tenure.side, held_tenure.is_legacys) == ("held", False)
    assert (new.begins, new.live_begins, new.live_ends) == (
        *(minute(4) + AHEAD, {"t": {"0": 4}}, {"t": {"0": 9}}),
    )
    assert (again.begins, again.ends, again.is_legacys) == (minute(6) + AHEAD, None, True)


def test_a_hold_counts_for_the_legacy_until_there_is_a_flip() -> None:
    ledger = Ledger()
    ledger.add(None, "legacy", 1, event="opened")
    ledger.add("claim-epoch", "held", 2)
    assert [t.is_legacys for t in ledger.tenures()] == [True, True]
    ledger.add("drain-tail", "legacy", 3, event="undone")
    assert [t.is_legacys for t in ledger.tenures()] == [True, True, True]
    ledger.add("claim-epoch", "held", 4)
    ledger.add("flip", "new", 5)
    ledger.add("hold-new", "held", 6)
    assert [t.is_legacys for t in ledger.tenures()][3:] == [False, False, False]
    ledger.add("drain-reverse-feed", "new", 7, event="undone")
    assert [t.is_legacys for t in ledger.tenures()][3:] == [False, False, False, False]


def test_where_topics_ended_at_one_move_is_not_where_they_ended_at_another() -> None:
    ledger = Ledger()
    ledger.add(None, "legacy", 1, event="opened")
    ledger.add("flip", "new", 2, {LIVE_ENDS: {"t": {"0": 4}}})
    ledger.add("flip-back", "legacy", 3, {LIVE_ENDS: None})
    ledger.add("flip", "new", 4, {LIVE_ENDS: {"t": {"0": 20}}})
    ledger.add("hold-new", "held", 5)
    ledger.add("drain-reverse-feed", "new", 6, event="undone")
    ledger.add("flip-back", "legacy", 7, {LIVE_ENDS: {"t": {"0": 30}}})
    every = ledger.tenures()
    last = {"t": {"0": 30}}
    assert [t.live_ends for t in every] == [None, None, None, last, None, last, None]
    # What came behind the next move that knows came late for sure; before it nobody can say.
    late = [authority_of_late(every, 2, "t", 0, offset) for offset in (9, 19, 20, 99)]
    assert [t and t.epoch for t in late] == [None, None, 3, 3]
    assert authority_of_late(every, 4, "t", 0, 29) is None
    # While the new side writes under an epoch nothing of it is late.
    assert authority_of_late(every[:2], 2, "t", 0, 99) is None


def test_without_the_legacys_clock_that_of_the_control_database_is_taken() -> None:
    ledger = Ledger()
    ledger.add(None, "legacy", 1, event="opened")
    ledger.add("claim-epoch", "held", 2)
    ledger.add("flip", "new", 3)
    assert [t.begins for t in ledger.tenures()] == [minute(1), minute(2), minute(3)]
