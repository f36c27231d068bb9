"""Two events of one row under one key. The engine puts such rows aside, so no mutant shows it."""

from __future__ import annotations

import datetime as dt

from cutline.conformance.properties.distinct import DISTINCT
from cutline.conformance.trial import Capture, Trial
from cutline.testing.step import Step
from cutline.testing.worlds import AnnouncedEvent, RowEnd
from support.leases import Ordinary


def dunned(subject: str, occurrence: str | None, ordinal: int) -> AnnouncedEvent:
    """An event of one type; its ordinal tells which fact says it, and is no part of its key."""
    time = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    labels = ("effective", "exact", False, "urn:schema")
    return AnnouncedEvent("Dunned", "lease", subject, occurrence, time, *labels, ordinal, "{}")


def trial(*events: AnnouncedEvent) -> Trial:
    end = RowEnd(Step("r", None, None), "L1", "translated", "Dunned", None, events)
    return Trial(Ordinary, (), (Capture(3, 0, [end]),))


def test_what_is_announced_twice_is_named_with_its_history() -> None:
    twice = trial(dunned("L1", "[1]", 1), dunned("L1", "[2]", 1), dunned("L1", "[1]", 2))
    (violation,) = DISTINCT.violations(twice)
    assert "announces Dunned of L1 2 times under one key (occurrence [1])" in violation.problem
    assert violation.history == 3


def test_other_occurrences_and_subjects_are_other_events() -> None:
    others = trial(dunned("L1", "[1]", 1), dunned("L1", "[2]", 1), dunned("L2", "[1]", 1))
    assert list(DISTINCT.violations(others)) == []
