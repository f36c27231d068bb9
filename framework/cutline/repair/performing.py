"""A repair from its plan to what was put right."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from cutline.control import REPAIR_LEASES, TOPIC_LEASES
from cutline.control.lease import Lease
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.lake.places import move, place_of
from cutline.logs import logger
from cutline.quotas import declared_quotas, limited
from cutline.repair.checks import (
    RepairCheck,
    bounds_check,
    control_check,
    events_check,
    in_words,
    spot_check,
    staged_check,
)
from cutline.repair.comparing import wrong_rows
from cutline.repair.computing import EventCounts
from cutline.repair.corrections import CorrectionEvents, digest_of_events, write_events
from cutline.repair.output import OutputTable, drop
from cutline.repair.plan import RepairPace, RepairPlan, RepairRound, RepairStatus
from cutline.repair.prepared import PreparedRepair, RepairWork, prepare_repair
from cutline.repair.rounds import ComputedWindows, compute_windows, state_at, where_from
from cutline.repair.state import Checkpoint
from cutline.repair.swapping import RepairRefused, is_swapped, performed_now, swap
from cutline.repair.values import RowSum, sum_of
from cutline.replay.destination import cluster_key
from cutline.replay.records import ORDER
from cutline.replay.sending import ReplaySender, place_of_topics, replay_topics
from cutline.replay.shelf import digest_of, kept_in
from cutline.spark.session import session

_LOG = logger(__name__)
_CORRECTIONS = "corrections"
_SAMPLES = 5


@dataclass(frozen=True)
class WindowRows:
    """Rows of a window that begins at `begin`: `before` are in the table, `after` were computed,
    and `wrong` are those of either that the other does not have."""

    begin: dt.datetime
    before: int
    after: int
    wrong: int


@dataclass(frozen=True)
class RepairEnd:
    """How a repair ended.

    The windows from `begin` to before `end` were computed. `checks` must all hold before anything
    changes; `changed` says whether the table did, and `corrections` how many are on the topic.
    `windows` are those that have rows, `samples` some of the wrong rows in words. `before` and
    `after` are the sums over the rows of the table and over those that were computed. `state` is
    the checkpoint that was begun from, `beginning`, or `nothing` for a cold start; null where no
    state is declared. `pace` is null where an earlier attempt had done a part of it.
    `live_per_second` is how fast the events of the windows came. `corrections_told` is what is told
    by now, as `RepairPlan` has it; null where that stays as it was.
    """

    id: str
    begin: dt.datetime
    end: dt.datetime
    checks: Sequence[RepairCheck]
    windows: Sequence[WindowRows]
    samples: Sequence[str]
    before: RowSum
    after: RowSum
    counts: EventCounts
    state: str | None
    pace: RepairPace | None
    live_per_second: float
    changed: bool = False
    corrections: int = 0
    corrections_told: Mapping[str, str] | None = None
    went_on: bool = False

    @property
    def holds(self) -> bool:
        """Whether all checks hold."""
        return all(check.holds for check in self.checks)

    @property
    def wrong(self) -> int:
        """Rows that are wrong in the table, or were before it was changed."""
        return sum(window.wrong for window in self.windows)


def perform_repair(work: RepairWork, *, plan_anew: bool = False) -> RepairEnd:
    """Compute the windows anew, and put them in place of those of the table if all checks hold.

    The same request goes on where a killed one was; with `plan_anew` that is forgotten.
    """
    prepared = prepare_repair(work)
    request = work.request
    with work.control.lease(REPAIR_LEASES, request.name) as lease:
        plan = prepared.shelf.newest()
        went_on = plan is not None and plan.status == "begun" and not plan_anew
        spark = session(work.project.file.spark)
        if plan is not None and not went_on:
            place_of(spark, prepared.shelf.tables(plan.id)).delete()
        if plan is None or not went_on:
            begun_at = work.clock()
            name = f"repair-{digest_of([prepared.shelf.digest, begun_at.isoformat()])}"
            sent_before = {} if plan is None else plan.corrections
            plan = RepairPlan(name, begun_at, "begun", [], sent_before)
            prepared.shelf.keep(plan)
        _LOG.info("repair begun", extra={"repair": plan.id, "declared": request.name})
        sent = {} if plan_anew else plan.corrections
        end = _attempted(work, prepared, plan, lease, sent)
        lease.check()
        digests = end.corrections_told
        status: RepairStatus = "complete" if end.holds else "refused"
        plan = replace(plan, status=status, corrections=sent if digests is None else digests)
        prepared.shelf.keep(plan)
        place_of(spark, prepared.shelf.tables(plan.id)).delete()
        extra = {"repair": plan.id, "status": status, "changed": end.changed}
        _LOG.info("repair done", extra=extra)
    return replace(end, went_on=went_on)


def look_at_repair(work: RepairWork) -> RepairEnd:
    """What a repair would do: computed and compared, the table as it was."""
    prepared = prepare_repair(work)
    spark = session(work.project.file.spark)
    with work.control.lease(REPAIR_LEASES, work.request.name) as lease:
        plan = RepairPlan(f"look-{uuid.uuid4().hex}", work.clock(), "begun", [])
        try:
            with kept_in(spark, Lake(prepared.shelf.tables(plan.id)), "the repair"):
                computed = compute_windows(work, prepared, plan, lease, keep=lambda _: None)
                end = _compared(work, prepared, plan, computed)
        finally:
            place_of(spark, prepared.shelf.tables(plan.id)).delete()
            _drop_staged(prepared.output)
    return end


def make_checkpoint(work: RepairWork, moment: dt.datetime) -> Checkpoint:
    """The state of all events before a moment, kept for repairs of windows behind it.

    ConfigurationError where the repair declares no state, or where what came before is gone.
    """
    prepared = prepare_repair(work)
    if prepared.state is None:
        raise ConfigurationError(
            f"{work.key} declares no state: its windows depend on their own events only",
            left_behind="No checkpoint was made.",
            next_step=f"Declare {work.key}.state, or repair without a checkpoint.",
        )
    spark = session(work.project.file.spark)
    with work.control.lease(REPAIR_LEASES, work.request.name) as lease:
        attempt = f"checkpoint-{uuid.uuid4().hex}"
        lake = Lake(prepared.shelf.tables(attempt), str(lease.epoch), lease.check)
        try:
            with kept_in(spark, lake, "the checkpoint"):
                since, position = where_from(work, prepared, moment, moment)
                part = RepairRound(moment, moment, position, since)
                checkpoints = prepared.checkpoints(position, work.say)
                state, counts = state_at(work, prepared, spark, part, lake)
                _refuse_state(work, prepared, counts, part)
                checkpoints.keep(state, moment, position, lake)
        finally:
            place_of(spark, prepared.shelf.tables(attempt)).delete()
    checkpoint = checkpoints.of(moment)
    assert checkpoint is not None
    return checkpoint


def _refuse_state(
    work: RepairWork, prepared: PreparedRepair, counts: EventCounts, part: RepairRound
) -> None:
    """RepairRefused where the state lacks events that nobody can read or that were not read."""
    is_whole = prepared.reading.is_whole(part.position)
    for check in (
        events_check(counts, pass_exceptions=False),
        bounds_check(counts, prepared.section, is_whole=is_whole),
    ):
        if not check.holds:
            raise RepairRefused(
                f"{work.key}: the state of {part.begin.isoformat()} is not known, for its "
                f"{check.name} do not hold: {check.detail}",
                left_behind="No checkpoint was made.",
                next_step=f"Mend what reads them ({prepared.reading.source.key}), or "
                f"{work.key}.disorder; a repair needs no checkpoint.",
            )


def _attempted(
    work: RepairWork,
    prepared: PreparedRepair,
    plan: RepairPlan,
    lease: Lease,
    sent: Mapping[str, str],
) -> RepairEnd:
    """Compute, compare, and if all checks hold change the table or tell the corrections, but for
    those of the digests `sent` by their places."""
    spark, output = session(work.project.file.spark), prepared.output
    lake = Lake(prepared.shelf.tables(plan.id), str(lease.epoch), lease.check)
    with kept_in(spark, lake, "the repair"):
        try:
            computed = compute_windows(work, prepared, plan, lease, prepared.shelf.keep)
            end = _compared(work, prepared, plan, computed)
        except ConfigurationError:
            # A query that is mended is another request, which would not find these.
            _drop_staged(output)
            if not lake.exists(spark, _CORRECTIONS):
                lake.remove(spark)
            raise
        lease.check()
        if not end.holds:
            _drop_staged(output)
            # This very attempt may have changed it, before it was killed.
            return replace(end, changed=is_swapped(output, work.request.name, plan.id))
        if work.request.corrections:
            count, digests = _send_corrections(work, prepared, plan, lake, end, sent)
            end = replace(end, corrections=count, corrections_told=digests)
            _drop_staged(output)
        elif end.wrong:
            work.say(f"replacing {end.before.rows:,} rows by {end.after.rows:,}")
            performed = performed_now(work.request.name, plan.id, end.begin, end.end, end.after)
            swap(output, performed, end.before)
            end = replace(end, changed=True)
        else:
            # It may be this very attempt that has put it right, before it was killed.
            end = replace(end, changed=is_swapped(output, work.request.name, plan.id))
            _drop_staged(output)
        state, last = computed.rounds[-1].state_at_end, computed.rounds[-1].plan
        # One that lacks events is none: whoever began from it would not know.
        is_known = not computed.counts.exceptions and end.state != "nothing"
        if state is not None and is_known:
            # What came while later rounds were computed may be of before them.
            made_of = computed.rounds[0].plan.position
            checkpoints = prepared.checkpoints(last.position, work.say)
            checkpoints.keep(state, last.end, made_of, lake)
    return end


def _send_corrections(
    work: RepairWork,
    prepared: PreparedRepair,
    plan: RepairPlan,
    lake: Lake,
    end: RepairEnd,
    sent: Mapping[str, str],
) -> tuple[int, Mapping[str, str]]:
    """Tell what is wrong on the topic of corrections, once also after a kill, and not again what an
    earlier attempt has told in the same place, of which `sent` has the digest; how many events, and
    what is told by now. Where nothing is wrong any more, the same would be told anew."""
    spark, topic, output = session(work.project.file.spark), prepared.topic, prepared.output
    events = CorrectionEvents(output, work.request.name, plan.id, plan.begun_at)
    if not lake.exists(spark, _CORRECTIONS):
        # Kept as they are now: whoever goes on sends the same, whatever the table is by then.
        unfinished = lake.scratch(_CORRECTIONS)
        with output.database.read() as connection:
            changes = wrong_rows(connection, output, end.begin, end.end)
            write_events(events.batches(changes), f"{unfinished}/events.parquet")
        lake.check_lease()
        move(spark, unfinished, lake.path(_CORRECTIONS))
    records = events.records(spark, lake.path(_CORRECTIONS), topic)
    count = records.count()
    if not count:
        return 0, {}
    destination = prepared.replay.destinations[topic]
    target = work.project.with_topics_of(destination.topics)
    key = cluster_key(destination, topic, f"replays.{prepared.section.replay}")
    place, digest = place_of_topics(target, key), digest_of_events(lake.path(_CORRECTIONS))
    if sent.get(place) == digest:
        work.say(f"these corrections are on {topic} already")
        return 0, sent
    quotas = declared_quotas(target, topic)
    with (
        work.control.lease(TOPIC_LEASES, topic) as lease,
        limited(work.project, work.control, quotas, work.say),
    ):
        work.say(f"sending {count:,} corrections to {topic}")
        sender = ReplaySender(target, lake, topic, plan.id, lease.epoch, None, key)
        replay_topics(sender).send([topic], records, ORDER)
    return count, {**sent, place: digest}


def _compared(
    work: RepairWork, prepared: PreparedRepair, plan: RepairPlan, computed: ComputedWindows
) -> RepairEnd:
    """What was computed, staged beside the table and compared with it and with all that is known
    to be right."""
    output, request = prepared.output, work.request
    begin, end = request.begin, computed.end
    control = begin - prepared.control_span
    work.say(f"staging beside {output.label}")
    computed_sum = output.stage(computed.rows(output))
    is_whole = all(prepared.reading.is_whole(done.plan.position) for done in computed.rounds)
    checks = [
        events_check(computed.counts, pass_exceptions=request.pass_exceptions),
        bounds_check(computed.counts, prepared.section, is_whole=is_whole),
    ]
    with output.database.read() as connection:
        standing = sum_of(output.rows(connection, output.staged, control, end))
        checks.append(staged_check(computed_sum, standing))
        checks.append(control_check(connection, output, control, begin))
        if prepared.spot_checks:
            checks.append(spot_check(connection, output, prepared.spot_checks))
        before = sum_of(output.rows(connection, output.live, begin, end))
        after = sum_of(output.rows(connection, output.staged, begin, end))
        wrong, samples = _wrong(connection, output, begin, end)
        old, new = (
            output.counts(connection, table, begin, end) for table in (output.live, output.staged)
        )
    if computed.pace is not None:
        prepared.shelf.keep_pace(computed.pace)
    counts = computed.counts
    seconds = (end - control).total_seconds()
    return RepairEnd(
        id=plan.id,
        begin=begin,
        end=end,
        checks=checks,
        windows=[
            WindowRows(start, old.get(start, 0), new.get(start, 0), wrong[start])
            for start in sorted({*old, *new})
        ],
        samples=samples,
        before=before,
        after=after,
        counts=counts,
        state=_begun_from(prepared, computed.rounds[0].plan),
        pace=computed.pace,
        live_per_second=(counts.events + counts.late) / seconds,
    )


def _drop_staged(output: OutputTable) -> None:
    with output.database.write() as connection:
        drop(connection, output.staged)


def _wrong(
    connection: Connection, output: OutputTable, begin: dt.datetime, end: dt.datetime
) -> tuple[Counter[dt.datetime], list[str]]:
    """By window how many rows are wrong, and some of them in words."""
    wrong: Counter[dt.datetime] = Counter()
    samples: list[str] = []
    for change in wrong_rows(connection, output, begin, end):
        for row in (change.before, change.after):
            if row is not None:
                window = output.window.moment(row[output.section.window])
        wrong[window] += 1
        if len(samples) < _SAMPLES:
            samples.append(in_words(change))
    return wrong, samples


def _begun_from(prepared: PreparedRepair, first: RepairRound) -> str | None:
    if prepared.state is None:
        return None
    if first.since is not None:
        return first.since.isoformat()
    return "beginning" if prepared.reading.is_from_beginning(first.position) else "nothing"
