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
from support.scored.judgement import Judgement
from support.scored.scored import Scored
from support.scored.truth import Mark, TrueEvent

CUTS = ("2023-01-02 10:00", "2023-01-02 11:30", "2023-01-02 13:00")


def scored(spark: SparkSession) -> Scored:
    """All runs over the claims."""
    events = true_events()
    log = legacy(events)
    rows = final_rows(Claim, log.claims)
    return Scored(
        events,
        _judgement(events, rows, [], outcome_of(snapshot_alone(spark, Claim, rows))),
        Judgement(events, outcome_of(all_changes(spark, Claim, log.claims))),
        {moment: _cut(spark, log, moment) for moment in CUTS},
    )


def _cut(spark: SparkSession, log: Legacy, moment: str) -> Judgement:
    """A snapshot at `moment`, UTC, and the changes: what it shows, and all that followed."""
    last = dt.datetime.fromisoformat(moment).replace(tzinfo=dt.UTC)
    commits = bisect_right(log.events, last, key=lambda event: event.time)
    rows = final_rows(Claim, (i for i in log.claims if i.commit <= commits))
    outcome = outcome_of(snapshot_and_changes(spark, Claim, log.claims, commits))
    return _judgement(log.events[:commits], rows, log.events[commits:], outcome)


def _judgement(
    before: list[TrueEvent], rows: list[Row], after: list[TrueEvent], outcome: Outcome
) -> Judgement:
    timeless: frozenset[Mark] = frozenset(event.mark for event in without_time(before, rows))
    return Judgement([*derivable(before, rows), *after], outcome, timeless)


def outcome_of(changes: Changes, translator: type[CoreClaims] = CoreClaims) -> Outcome:
    """What the translator makes of the table."""
    return announced((translator,), {Claim: changes}, ACTIVITIES)
