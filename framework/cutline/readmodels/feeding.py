"""What live events make of a version, written in one transaction with how far they were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import (
    Connection,
    TableClause,
    column,
    delete,
    insert,
    select,
    table,
    tuple_,
    update,
)

from cutline.errors import RunFailed
from cutline.logs import logger
from cutline.readmodels.build import is_ours
from cutline.readmodels.columns import ENDED, EVENT_ID, SUBJECT
from cutline.readmodels.database import ReadModelDatabase
from cutline.readmodels.epochs import EpochRise, write_rises
from cutline.readmodels.fed_rows import FedTable, follows, record_turn
from cutline.readmodels.feed_state import (
    AsideRecord,
    FedPartition,
    LiveEvent,
    Place,
    Record,
    of_version,
)
from cutline.readmodels.feed_tables import ASIDE, EVENTS, FEEDS, POSITIONS
from cutline.readmodels.lines import subject_of
from cutline.readmodels.records import SliceName, TableRecord, table_records
from cutline.readmodels.rulings import rulings

_LOG = logger(__name__)

_AT_ONCE = 300
_UNCHANGED = "Nothing was written by this process."


class FeedOvertaken(RunFailed):
    """Another process fed the version meanwhile."""


@dataclass(frozen=True)
class FeedBatch:
    """What some live events make of a version, made when its feed was at `turn`.

    `run_id` is the one that the tables were built of, and `history` the run whose events live ones
    were merged with; null where it is that. By aggregate: `rows` are lines that are inserted or
    replace others; `restored` are lines that replace only rows which live events had written;
    `ended` has by subject the event that ended it, and `retracted` that of a subject which has no
    state as no live event counts for it: only a row that live events had written is ended then.
    `settled` are places of records that are put aside no more. `behind` counts the records that are
    left, `rises` are records that raised the epoch of the slice in their partition, `rulings` what
    people had decided of records when it was made.
    """

    turn: int
    run_id: str
    rows: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    restored: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    ended: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    retracted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    events: Sequence[LiveEvent] = ()
    aside: Sequence[AsideRecord] = ()
    settled: Sequence[Record] = ()
    partitions: Mapping[Place, FedPartition] = field(default_factory=dict)
    rises: Sequence[EpochRise] = ()
    rulings: Mapping[Record, str] = field(default_factory=dict)
    behind: int = 0
    history: str | None = None


def feed_version(
    database: ReadModelDatabase, slice: SliceName, version: int, batch: FeedBatch
) -> None:
    """Write all of it, or nothing.

    FeedOvertaken where another process fed the version since; RunFailed where its tables are no
    longer there, or are those of another run.
    """
    with database.write() as connection:
        database.lock(connection)
        records = {r.plan.aggregate: r for r in _records(database, connection, slice, version)}
        if not records or any(r.plan.run_id != batch.run_id for r in records.values()):
            raise RunFailed(
                f"version {version} of {slice.context} in region {slice.region} is not there as "
                f"run {batch.run_id} left it",
                left_behind=_UNCHANGED,
                next_step=f"Look at it: cutline rollout show {slice.context}",
            )
        _take_turn(database, connection, slice, version, batch)
        is_recorded = follows(connection, slice, version, batch.turn)
        for aggregate, record in records.items():
            if not is_recorded:
                # A service wrote before, or an older Cutline: whose rows they were is not known.
                FedTable(connection, record.plan).adopt(database.access)
            _write_rows(database, connection, record, aggregate, batch)
        record_turn(connection, slice, version, batch.turn + 1)
        _write_events(connection, slice, version, batch.events)
        _write_aside(connection, slice, version, batch)
        _write_positions(connection, slice, version, batch.partitions)
        write_rises(connection, slice, batch.rises)
    extra = {
        "context": slice.context,
        "region": slice.region,
        "version": version,
        "rows": sum(map(len, batch.rows.values())),
        "events": len(batch.events),
        "behind": batch.behind,
    }
    _LOG.info("read model fed", extra=extra)


def _records(
    database: ReadModelDatabase, connection: Connection, slice: SliceName, version: int
) -> list[TableRecord]:
    """The tables of the version, if all are whole and there."""
    records = [r for r in table_records(connection, slice) if r.plan.version == version]
    stands = all(r.whole and is_ours(database, connection, r) for r in records)
    return records if stands else []


def _take_turn(
    database: ReadModelDatabase,
    connection: Connection,
    slice: SliceName,
    version: int,
    batch: FeedBatch,
) -> None:
    where = of_version(FEEDS, slice, version)
    turn = connection.execute(select(FEEDS.c.turn).where(*where)).scalar_one_or_none()
    if (turn or 0) != batch.turn:
        raise FeedOvertaken(
            f"version {version} of {slice.context} in region {slice.region} was fed by another "
            "process meanwhile",
            left_behind=_UNCHANGED,
            next_step="Let one process feed a slice; the same command goes on from there.",
        )
    now = database.now(connection).isoformat(timespec="milliseconds")
    values = {"turn": batch.turn + 1, "fed_at": now, "behind": batch.behind}
    if turn is None:
        names = {"context": slice.context, "region": slice.region, "version": version}
        connection.execute(
            insert(FEEDS).values(**names, run_id=batch.history or batch.run_id, **values)
        )
    else:
        connection.execute(update(FEEDS).where(*where).values(**values))


def _write_rows(
    database: ReadModelDatabase,
    connection: Connection,
    record: TableRecord,
    aggregate: str,
    batch: FeedBatch,
) -> None:
    lines = list(batch.rows.get(aggregate, ()))
    restored = {subject_of(line).decode(): line for line in batch.restored.get(aggregate, ())}
    lines += [restored[s] for s in _written(connection, record.plan.table, list(restored))]
    plan = record.plan
    fed = FedTable(connection, plan)
    if lines:
        database.access.upsert_lines(connection, plan.table, plan.columns, lines)
        fed.write(lines)
    rows = _rows(plan.table)
    retracted = batch.retracted.get(aggregate, {})
    ended = {s: retracted[s] for s in _written(connection, plan.table, list(retracted))}
    for subject, event_id in (ended | dict(batch.ended.get(aggregate, {}))).items():
        change = update(rows).where(rows.c[SUBJECT] == subject)
        if connection.execute(change.values({EVENT_ID: event_id, ENDED: True})).rowcount:
            fed.end(subject, event_id)


def _written(connection: Connection, name: str, subjects: list[str]) -> list[str]:
    """Those of the subjects whose rows a live event wrote."""
    rows, written = _rows(name), list[str]()
    for first in range(0, len(subjects), _AT_ONCE):
        among = rows.c[SUBJECT].in_(subjects[first : first + _AT_ONCE])
        query = select(rows.c[SUBJECT]).where(among, rows.c[EVENT_ID].is_not(None))
        written += connection.execute(query).scalars()
    return written


def has_live_rows(connection: Connection, name: str) -> bool:
    """Whether a live event wrote any row of a table."""
    rows = _rows(name)
    query = select(rows.c[SUBJECT]).where(rows.c[EVENT_ID].is_not(None)).limit(1)
    return connection.execute(query).first() is not None


def _rows(name: str) -> TableClause:
    return table(name, column(SUBJECT), column(EVENT_ID), column(ENDED))


def _write_events(
    connection: Connection, slice: SliceName, version: int, events: Sequence[LiveEvent]
) -> None:
    if not events:
        return
    names = {"context": slice.context, "region": slice.region, "version": version}
    for first in range(0, len(events), _AT_ONCE):
        some = [event.identity for event in events[first : first + _AT_ONCE]]
        where = of_version(EVENTS, slice, version)
        connection.execute(delete(EVENTS).where(*where, EVENTS.c.identity.in_(some)))
    connection.execute(insert(EVENTS), [names | asdict(event) for event in events])


def _write_aside(connection: Connection, slice: SliceName, version: int, batch: FeedBatch) -> None:
    c = ASIDE.c
    for first in range(0, len(batch.settled), _AT_ONCE):
        some = batch.settled[first : first + _AT_ONCE]
        among = tuple_(c.topic, c.partition, c.position).in_(some)
        connection.execute(delete(ASIDE).where(*of_version(ASIDE, slice, version), among))
    if not batch.aside:
        return
    names = {"context": slice.context, "region": slice.region, "version": version}
    topic_ids = {place: partition.topic_id for place, partition in batch.partitions.items()}
    decided = rulings(connection, slice, topic_ids, [record.place for record in batch.aside])
    # What was said while this was made is said of these rows, too.
    new = {place: d for place, d in decided.items() if batch.rulings.get(place) != d}
    rows = [replace(record, decision=new.get(record.place)) for record in batch.aside]
    connection.execute(insert(ASIDE), [names | asdict(record) for record in rows])


def _write_positions(
    connection: Connection,
    slice: SliceName,
    version: int,
    partitions: Mapping[Place, FedPartition],
) -> None:
    names = {"context": slice.context, "region": slice.region, "version": version}
    connection.execute(delete(POSITIONS).where(*of_version(POSITIONS, slice, version)))
    rows = [
        names | {"topic": topic, "partition": partition} | asdict(fed)
        for (topic, partition), fed in partitions.items()
    ]
    if rows:
        connection.execute(insert(POSITIONS), rows)
