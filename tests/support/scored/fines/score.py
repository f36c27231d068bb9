"""The score of the fines."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right

from pyspark.sql import SparkSession

from cutline.engine.translate import Inputs
from support.scored.announced import Outcome, announced
from support.scored.fines.activities import ACTIVITIES
from support.scored.fines.contracts import Fine, Payment
from support.scored.fines.derive import Legacy, legacy
from support.scored.fines.evidence import derivable
from support.scored.fines.spoiled import Spoiled, spoiled
from support.scored.fines.translators import TownFines, TownPayments
from support.scored.fines.truth import true_events
from support.scored.images import all_changes, final_rows, snapshot_alone, snapshot_and_changes
from support.scored.judgement import Judgement
from support.scored.scored import Scored

TRANSLATORS = (TownFines, TownPayments)
CUTS = ("2007-03-31", "2008-06-30", "2009-12-31")


def scored(spark: SparkSession) -> Scored:
    """All runs over the fines."""
    events = true_events()
    logs = legacy(events)
    return Scored(
        events,
        _snapshot(spark, logs),
        Judgement(events, outcome_of(changes_of(spark, logs))),
        {day: _cut(spark, logs, day) for day in CUTS},
    )


def scored_spoiled(spark: SparkSession) -> tuple[Spoiled, Judgement]:
    """The logs with rows that arrive spoiled, and all changes of them judged."""
    arrived = spoiled(legacy(true_events()))
    return arrived, Judgement(arrived.expected(), outcome_of(changes_of(spark, arrived.logs)))


def outcome_of(inputs: Inputs) -> Outcome:
    """What the translators make of the two tables."""
    return announced(TRANSLATORS, inputs, ACTIVITIES)


def changes_of(spark: SparkSession, logs: Legacy) -> Inputs:
    """Both logs from the first commit on."""
    return {
        Fine: all_changes(spark, Fine, logs.fines),
        Payment: all_changes(spark, Payment, logs.payments),
    }


def _snapshot(spark: SparkSession, logs: Legacy) -> Judgement:
    fines, payments = final_rows(Fine, logs.fines), final_rows(Payment, logs.payments)
    inputs = {
        Fine: snapshot_alone(spark, Fine, fines),
        Payment: snapshot_alone(spark, Payment, payments),
    }
    return Judgement(derivable(logs.events, fines, payments), outcome_of(inputs))


def _cut(spark: SparkSession, logs: Legacy, day: str) -> Judgement:
    """A snapshot in the night after `day`, and the changes: what it shows, and all that followed."""
    last = dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)
    commits = bisect_right(logs.events, last, key=lambda event: event.time)
    before, after = logs.events[:commits], logs.events[commits:]
    shown = derivable(
        before,
        final_rows(Fine, (i for i in logs.fines if i.commit <= commits)),
        final_rows(Payment, (i for i in logs.payments if i.commit <= commits)),
    )
    inputs = {
        Fine: snapshot_and_changes(spark, Fine, logs.fines, commits),
        Payment: snapshot_and_changes(spark, Payment, logs.payments, commits),
    }
    return Judgement([*shown, *after], outcome_of(inputs))
