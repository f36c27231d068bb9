"""The windows of a repair, computed round by round: those that were asked for, and what was closed
meanwhile."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

from cutline.control.lease import Lease
from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.file_system import file_system
from cutline.lake.lake import Lake
from cutline.repair.computing import (
    WINDOW,
    EventCounts,
    between,
    counted_events,
    window_events,
)
from cutline.repair.outdated import outdated
from cutline.repair.output import OutputTable, RowValues
from cutline.repair.plan import RepairPace, RepairPlan, RepairRound
from cutline.repair.prepared import PreparedRepair, RepairWork
from cutline.repair.request import UNCHANGED
from cutline.replay.evolving import EventReading, raw_records
from cutline.replay.request import ReplayRequest
from cutline.replay.shelf import kept_in
from cutline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_ROWS, _STATE, _AT_END = "rows", "state", "state-at-end"


@dataclass(frozen=True)
class ComputedRound:
    """A round whose rows are in the folder `rows`. `pace` is null where an earlier attempt had
    computed them, `state_at_end` where no state is declared."""

    plan: RepairRound
    counts: EventCounts
    pace: RepairPace | None
    state_at_end: DataFrame | None
    rows: str


@dataclass(frozen=True)
class ComputedWindows:
    """The rounds of an attempt, in their order."""

    rounds: Sequence[ComputedRound]

    @property
    def end(self) -> dt.datetime:
        """Where the last window ends."""
        return self.rounds[-1].plan.end

    @property
    def counts(self) -> EventCounts:
        """What was read of all windows."""
        total = self.rounds[0].counts
        for done in self.rounds[1:]:
            total = total.plus(done.counts)
        return total

    @property
    def pace(self) -> RepairPace | None:
        """How fast it went; null where an earlier attempt did a part of it."""
        paces = [done.pace for done in self.rounds if done.pace is not None]
        if len(paces) < len(self.rounds):
            return None
        return RepairPace(sum(p.records for p in paces), sum(p.seconds for p in paces))

    def rows(self, output: OutputTable) -> Iterator[RowValues]:
        """The rows of all rounds, in the columns of the table."""
        from pyarrow import dataset

        for done in self.rounds:
            system, path = file_system(done.rows)
            files = dataset.dataset(path, filesystem=system, format="parquet")
            for batch in files.to_batches():
                for row in _with_micros(batch).to_pylist():
                    yield {output.section.window: row.pop(WINDOW), **row}


def _with_micros(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows; times in UTC with microseconds, whatever the files have."""
    kind = pa.timestamp("us", "UTC")
    columns = [c.cast(kind) if pa.types.is_timestamp(c.type) else c for c in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def compute_windows(
    work: RepairWork,
    prepared: PreparedRepair,
    plan: RepairPlan,
    lease: Lease,
    keep: Callable[[RepairPlan], None],
) -> ComputedWindows:
    """The rounds of an attempt: the windows that were asked for, and where all behind them are
    replaced as well, those that were closed meanwhile, until there are none.

    `keep` is called with the plan before a round is begun.
    """
    spark, request = session(work.project.file.spark), work.request
    begin = request.begin - prepared.control_span
    end = _end_of_round(work, prepared)
    rounds, done = list(plan.rounds), list[ComputedRound]()
    earlier: DataFrame | None = None
    while True:
        if len(done) == len(rounds):
            since, position = (
                where_from(work, prepared, begin, end)
                if not done
                else (begin, prepared.reading.freeze(begin, end))
            )
            if not done:
                _say_pace(work, prepared, position)
            rounds.append(RepairRound(begin, end, position, since))
            keep(replace(plan, rounds=tuple(rounds)))
        part = rounds[len(done)]
        lake = _lake_of(prepared, plan, lease, len(done))
        if not done and prepared.state is not None:
            earlier = _state_of_checkpoint(work, prepared, spark, part)
        computed = _compute_round(work, prepared, spark, part, lake, earlier)
        done.append(computed)
        earlier = computed.state_at_end
        if request.after == "merge":
            break
        newest = _end_of_round(work, prepared)
        if newest <= part.end and len(done) == len(rounds):
            break
        if len(done) == len(rounds):
            _refuse_slow(work, computed, is_first=len(done) == 1)
            begin, end = part.end, newest
    return ComputedWindows(done)


def where_from(
    work: RepairWork, prepared: PreparedRepair, begin: dt.datetime, end: dt.datetime
) -> tuple[dt.datetime | None, str]:
    """The checkpoint from which the state at `begin` is computed, null for none, and the position
    of all events from there to `end`.

    ConfigurationError where retention has removed what the state needs, unless the request is for a
    cold start.
    """
    if prepared.state is None:
        return None, prepared.reading.freeze(begin, end)
    reading = prepared.reading
    whole = reading.freeze(None, end)
    checkpoint = prepared.checkpoints(whole, work.say).newest_before(
        begin, lambda made_of, moment: outdated(work, prepared, made_of, whole, moment)
    )
    if checkpoint is not None:
        since = checkpoint.moment
        return since, whole if reading.is_whole(whole) else reading.freeze(since, end)
    if prepared.reading.is_from_beginning(whole):
        return None, whole
    if work.request.cold:
        return None, prepared.reading.freeze(begin, end)
    raise ConfigurationError(
        f"{work.key}: there is no checkpoint of {begin.isoformat()} or before, and retention has "
        f"removed the beginning of {prepared.reading.source.key}: the state is not known",
        left_behind=UNCHANGED,
        next_step="Repair from an archive that has all; or, if nothing before matters, begin with "
        "an empty state: --cold.",
    )


def _end_of_round(work: RepairWork, prepared: PreparedRepair) -> dt.datetime:
    if work.request.after == "merge":
        return work.request.end
    return max(work.request.end, prepared.windows.newest_closed(work.clock()))


def _lake_of(prepared: PreparedRepair, plan: RepairPlan, lease: Lease, number: int) -> Lake:
    place = f"{prepared.shelf.tables(plan.id)}/round-{number}"
    return Lake(place, str(lease.epoch), lease.check)


def _state_of_checkpoint(
    work: RepairWork, prepared: PreparedRepair, spark: SparkSession, part: RepairRound
) -> DataFrame | None:
    """The state that a round begins from; null for none. RunFailed where it is gone."""
    if part.since is None:
        return None
    checkpoint = prepared.checkpoints(part.position, work.say).of(part.since)
    if checkpoint is None:
        raise RunFailed(
            f"{work.key}: the checkpoint of {part.since.isoformat()}, from which this repair was "
            "begun, is not there any more",
            left_behind=UNCHANGED,
            next_step="Run the same command with --plan-anew.",
        )
    return checkpoint.rows(spark)


def _reading(
    work: RepairWork, prepared: PreparedRepair, begin: dt.datetime | None, end: dt.datetime
) -> EventReading:
    """How the events between two moments are read, or all before `end`."""
    wanted = ReplayRequest(prepared.section.replay, "", begin=begin, end=end)
    source = prepared.reading.source
    return EventReading(prepared.replay, source, prepared.chains, wanted, work.say)


def _compute_round(
    work: RepairWork,
    prepared: PreparedRepair,
    spark: SparkSession,
    part: RepairRound,
    lake: Lake,
    earlier: DataFrame | None,
) -> ComputedRound:
    """The rows of the windows of a round, kept in the lake."""
    began = time.monotonic()
    was_read = lake.exists(spark, _ROWS)
    with kept_in(spark, lake, "the repair"):
        since = part.begin if prepared.state is None else part.since
        reading = _reading(work, prepared, since, part.end)
        read, events = reading.events(spark, part.position, lake)
        windowed = window_events(events, prepared.windows)
        inputs = {"events": between(windowed, part.begin, part.end)}
        state_at_end = None
        if prepared.state is not None:
            state = prepared.state.at(spark, between(windowed, None, part.begin), earlier)
            state = prepared.state.query.remembered(lake, state, _STATE, inputs)
            inputs["state"] = state
            at_end = prepared.state.at(spark, inputs["events"], state)
            state_at_end = prepared.state.query.remembered(lake, at_end, _AT_END, inputs)
        work.say(f"computing windows up to {part.end.isoformat()}")
        rows = prepared.query.remembered(lake, prepared.query.rows(spark, inputs), _ROWS, inputs)
        _refuse_rows(prepared, rows, part)
        raw = raw_records(spark, lake)
        counts = counted_events(events, raw, prepared.windows, part.begin, part.end)
        pace = None if was_read else RepairPace(read, time.monotonic() - began)
    return ComputedRound(part, counts, pace, state_at_end, lake.path(_ROWS))


def _refuse_rows(prepared: PreparedRepair, rows: DataFrame, part: RepairRound) -> None:
    """ConfigurationError for two rows of one window and key, and for a window that was not asked
    for."""
    window, output = F.col(WINDOW), prepared.output
    is_none = window.isNull() | (window < F.lit(part.begin)) | (window >= F.lit(part.end))
    outside = rows.where(is_none | (prepared.windows.start_column(window) != window)).first()
    query = prepared.query
    if outside is not None:
        raise ConfigurationError(
            f"{query.key}: the query in {query.path} gives a row whose {WINDOW} is none of the "
            f"windows that are computed: {outside[WINDOW]}",
            left_behind=UNCHANGED,
            next_step=f"Let it give {WINDOW} of its events as it is.",
        )
    names = [WINDOW, *output.section.key]
    double = rows.groupBy(*names).count().where("count > 1").first()
    if double is not None:
        key = ", ".join(f"{name} {double[name]}" for name in names)
        raise ConfigurationError(
            f"{query.key}: the query in {query.path} gives {double['count']:,} rows for {key}",
            left_behind=UNCHANGED,
            next_step=f"Group by all of {', '.join(names)}, or mend {output.key}.key.",
        )


def _say_pace(work: RepairWork, prepared: PreparedRepair, position: str) -> None:
    """Say when it will end, if it was measured before how long it takes."""
    pace = prepared.shelf.pace()
    if pace is not None:
        records = prepared.reading.records(position)
        seconds = pace.seconds * max(records / max(pace.records, 1), 1)
        ends_at = work.clock() + dt.timedelta(seconds=seconds)
        work.say(
            f"{records:,} records are to be read, and the last time it took {pace.seconds:,.0f} s "
            f"for {pace.records:,}: it is computed by about {ends_at:%Y-%m-%d %H:%M:%S} UTC"
        )


def _refuse_slow(work: RepairWork, done: ComputedRound, *, is_first: bool) -> None:
    """Say by when the table has caught up; RunFailed where it never will."""
    if done.pace is None:
        return
    took, span = done.pace.seconds, (done.plan.end - done.plan.begin).total_seconds()
    if not is_first and took >= span:
        raise RunFailed(
            f"{work.key}: windows of {span:,.0f} s took {took:,.0f} s to compute: what comes in is "
            "never caught up with",
            left_behind=UNCHANGED,
            next_step="Give Spark more cores (spark.master), or let what comes after the windows "
            "as the job wrote it: --after merge.",
        )
    ends_at = work.clock() + dt.timedelta(seconds=took if is_first else took * took / span)
    work.say(f"windows were closed meanwhile: caught up by about {ends_at:%H:%M:%S} UTC")


def state_at(
    work: RepairWork,
    prepared: PreparedRepair,
    spark: SparkSession,
    part: RepairRound,
    lake: Lake,
) -> tuple[DataFrame, EventCounts]:
    """The state at the beginning of a round, by its checkpoint and the events since, and the counts
    of those; the repair declares one."""
    assert prepared.state is not None
    earlier = _state_of_checkpoint(work, prepared, spark, part)
    _, events = _reading(work, prepared, part.since, part.begin).events(spark, part.position, lake)
    earlier_events = between(window_events(events, prepared.windows), None, part.begin)
    state = prepared.state.at(spark, earlier_events, earlier)
    rows = prepared.state.query.remembered(lake, state, _STATE, {"events": earlier_events})
    begin = _EPOCH if part.since is None else part.since
    raw = raw_records(spark, lake)
    return rows, counted_events(events, raw, prepared.windows, begin, part.begin)
