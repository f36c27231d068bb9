"""What a translator announced, and what became of the rows that it was given."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cutline.context import Event
from cutline.engine.translate import Inputs, translate_changes
from cutline.tables.disposition import EXCEPTIONAL
from cutline.tables.event import EFFECTIVE
from cutline.translator import Translator
from support.scored.truth import Mark

CUT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Announced:
    """One candidate event, its activity in the words of the file. `basis` says whose time it is."""

    case: str
    activity: str
    time: dt.datetime
    basis: str
    confidence: str
    payload: Event

    @property
    def mark(self) -> Mark:
        """What a true event is known by; its time is null where the rows did not tell it."""
        return self.case, self.activity, self.time if self.basis == EFFECTIVE else None


@dataclass(frozen=True)
class Outcome:
    """The events, and how many rows ended in which disposition, rule and finding."""

    events: list[Announced]
    dispositions: Mapping[str, int]
    exceptions: Mapping[str, int]
    findings: Mapping[str, int]


def announced(
    translators: Sequence[type[Translator]], inputs: Inputs, activities: Mapping[str, str]
) -> Outcome:
    """What the translators make of the inputs; `activities` maps event types to true activities."""
    frames = [translate_changes(one, inputs) for one in translators]
    rows = [row for frame in frames for row in _outcome_columns(frame).collect()]
    aggregates = translators[0].context.aggregates
    types = {event.event_type(): event for one in aggregates for event in one.events}
    events = [_event(row.subject, one, types, activities) for row in rows for one in row.events]
    return Outcome(
        events,
        Counter(row.disposition for row in rows),
        Counter(row.rule for row in rows if row.disposition in EXCEPTIONAL),
        Counter(row.finding_reason for row in rows if row.finding_reason),
    )


def _outcome_columns(frame: DataFrame) -> DataFrame:
    wanted = ("type", "time", "basis", "confidence", "data")
    return frame.select(
        "subject",
        "disposition",
        "rule",
        "finding_reason",
        F.transform("events", lambda e: F.struct(*(e.getField(n).alias(n) for n in wanted))).alias(
            "events"
        ),
    )


def _event(
    case: str, candidate: Row, types: Mapping[str, type[Event]], activities: Mapping[str, str]
) -> Announced:
    return Announced(
        case,
        activities[candidate.type],
        candidate.time.replace(tzinfo=dt.UTC),
        candidate.basis,
        candidate.confidence,
        types[candidate.type].model_validate_json(candidate.data),
    )
