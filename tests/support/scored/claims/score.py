"""The score of the claims."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right

from pyspark.sql import SparkSession

from cutline.engine.translate import Changes
from support.scored.announced import Outcome, announced
from support.scored.claims.activities import ACTIVITIES
from support.scored.claims.contract import Claim
from support.scored.claims.derive import Legacy, legacy
from support.scored.claims.evidence import derivable, without_time
from support.scored.claims.translator import CoreClaims
from support.scored.claims.truth import true_events
from support.scored.images import Row, all_changes, final_rows, snapshot_alone, snapshot_and_changes
from support.scored.judged import Judged
from support.scored.scored import Scored
from support.scored.truth import Mark, TrueEvent

CUTS = ("2023-01-02 10:00", "2023-01-02 11:30", "2023-01-02 13:00")


def scored(spark: SparkSession) -> Scored:
    """All runs over the claims."""
    events = true_events()
    kept = legacy(events)
    rows = final_rows(Claim, kept.claims)
    return Scored(
        events,
        _judged(events, rows, [], told(snapshot_alone(spark, Claim, rows))),
        Judged(events, told(all_changes(spark, Claim, kept.claims))),
        {moment: _cut(spark, kept, moment) for moment in CUTS},
    )


def _cut(spark: SparkSession, kept: Legacy, moment: str) -> Judged:
    """A snapshot at `moment`, UTC, and the changes: what it shows, and all that followed."""
    last = dt.datetime.fromisoformat(moment).replace(tzinfo=dt.UTC)
    commits = bisect_right(kept.events, last, key=lambda event: event.time)
    rows = final_rows(Claim, (i for i in kept.claims if i.commit <= commits))
    outcome = told(snapshot_and_changes(spark, Claim, kept.claims, commits))
    return _judged(kept.events[:commits], rows, kept.events[commits:], outcome)


def _judged(
    before: list[TrueEvent], rows: list[Row], after: list[TrueEvent], outcome: Outcome
) -> Judged:
    timeless: frozenset[Mark] = frozenset(event.mark for event in without_time(before, rows))
    return Judged([*derivable(before, rows), *after], outcome, timeless)


def told(changes: Changes, translator: type[CoreClaims] = CoreClaims) -> Outcome:
    """What the translator makes of the table."""
    return announced((translator,), {Claim: changes}, ACTIVITIES)
