"""How far a version is fed, the live events that it has, and the records that it has not."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    and_,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from cutline.identity import canonical_json
from cutline.readmodels.feed_tables import ASIDE, EVENTS, FEEDS, POSITIONS, of_slice
from cutline.readmodels.records import SliceName

Place = tuple[str, int]
"""A topic and one of its partitions."""
Record = tuple[str, int, int]
"""A record by its topic, its partition and its position there."""
Subject = tuple[str, str]
"""An aggregate and the id of one of its subjects."""

ADMITTED, DISCARDED = "admitted", "discarded"
"""What a person says of a record that is put aside: it is to be applied, or given up."""
OLDER_EPOCH, UNISSUED_EPOCH = "older-epoch", "unissued-epoch"
UNAUTHORISED_EPOCH, UNREADABLE_EPOCH = "unauthorised-epoch", "unreadable-epoch"
MISSING_EPOCH = "missing-epoch"
PARKED = (OLDER_EPOCH, UNISSUED_EPOCH, UNAUTHORISED_EPOCH, MISSING_EPOCH)
"""The rules of what is put aside for its epoch: it holds nothing."""
WAITS = "waits-behind-exception"
"""The rule of what is put aside for another record of its subject, and goes on by itself."""
_AT_ONCE = 300
"""How many keys one statement asks for."""


@dataclass(frozen=True)
class FedPartition:
    """How far a partition is fed: the position behind the last record.

    What lies before `history_end` was read by the run of the version. `epoch` is the highest that
    came in the partition, 0 for none. `topic_id` is Kafka's, empty for files.
    """

    topic_id: str
    position: int
    history_end: int
    epoch: int = 0


@dataclass(frozen=True)
class FeedState:
    """How far a version is fed. `run_id` is the run whose history live events are merged with.
    `turn` counts the transactions; `fed_at` is that of the last, in UTC as text, and `behind` how
    many records were left then."""

    run_id: str
    turn: int
    fed_at: str
    behind: int
    partitions: Mapping[Place, FedPartition]

    @property
    def moment(self) -> dt.datetime:
        """When the last transaction was, in UTC."""
        return dt.datetime.fromisoformat(self.fed_at)


@dataclass(frozen=True)
class LiveEvent:
    """A live event that a version has: `event` is its row as JSON, `verdict` and `rule` those of
    the merge. By `identity` a second delivery of it is known."""

    aggregate: str
    subject: str
    identity: str
    verdict: str
    rule: str
    event: str


@dataclass(frozen=True)
class AsideRecord:
    """A record that is not applied, by the rule for which it is not; `record` is it as JSON.

    `decision` is null, or what a person said of it: `admitted` or `discarded`.
    """

    topic: str
    partition: int
    position: int
    rule: str
    reason: str
    aggregate: str | None
    subject: str | None
    record: str
    decision: str | None = None

    @property
    def place(self) -> Record:
        """Where it stands."""
        return self.topic, self.partition, self.position


def identity_of(aggregate: str, subject: str, source: str, id: str) -> str:
    """By what a second delivery of an event is known: its subject, its producer and its id."""
    text = canonical_json([aggregate, subject, source, id])
    return hashlib.sha256(text.encode()).hexdigest()


def feed_state(connection: Connection, slice: SliceName, version: int) -> FeedState | None:
    """How far a version is fed; None before its first transaction."""
    where = of_version(FEEDS, slice, version)
    feed = connection.execute(select(FEEDS).where(*where)).one_or_none()
    if feed is None:
        return None
    rows = connection.execute(select(POSITIONS).where(*of_version(POSITIONS, slice, version)))
    partitions = {
        (row.topic, int(row.partition)): FedPartition(
            row.topic_id, row.position, row.history_end, row.epoch
        )
        for row in rows
    }
    return FeedState(feed.run_id, feed.turn, feed.fed_at, feed.behind, partitions)


def fed_run_ids(connection: Connection, slice: SliceName) -> set[str]:
    """The runs with whose history versions of a slice are fed, in a database of read models."""
    query = select(FEEDS.c.run_id).where(*of_slice(FEEDS, slice))
    return {str(row[0]) for row in connection.execute(query)}


def live_events(
    connection: Connection, slice: SliceName, version: int, subjects: Iterable[Subject]
) -> Iterator[LiveEvent]:
    """The live events that a version has of some subjects."""
    names = [column.name for column in EVENTS.columns if column.name in _LIVE_EVENT]
    wanted = sorted(set(subjects))
    for first in range(0, len(wanted), _AT_ONCE):
        some = wanted[first : first + _AT_ONCE]
        among = tuple_(EVENTS.c.aggregate, EVENTS.c.subject).in_(some)
        query = select(EVENTS).where(*of_version(EVENTS, slice, version), among)
        for row in connection.execute(query.order_by(EVENTS.c.identity)):
            yield LiveEvent(**{name: getattr(row, name) for name in names})


def holding_records(
    connection: Connection, slice: SliceName, version: int, subjects: Iterable[Subject]
) -> list[AsideRecord]:
    """The records that are put aside and hold what comes behind them, of some subjects."""
    wanted, records = sorted(set(subjects)), list[AsideRecord]()
    for first in range(0, len(wanted), _AT_ONCE):
        among = tuple_(ASIDE.c.aggregate, ASIDE.c.subject).in_(wanted[first : first + _AT_ONCE])
        where = (*of_version(ASIDE, slice, version), _holds(ASIDE), among)
        records += [_aside(row) for row in connection.execute(select(ASIDE).where(*where))]
    return records


def due_records(
    connection: Connection, slice: SliceName, version: int, limit: int
) -> list[AsideRecord]:
    """Of what is put aside, what is to be decided about again: what a person admitted, and what
    waits behind nothing any more. At most `limit` of them, by their places."""
    c, holder = ASIDE.c, ASIDE.alias("holder")
    h = holder.c
    same_subject = (
        h.topic == c.topic,
        h.partition == c.partition,
        h.aggregate == c.aggregate,
        h.subject == c.subject,
    )
    is_behind = exists().where(
        *of_version(holder, slice, version), *same_subject, h.position < c.position, _holds(holder)
    )
    is_due = or_(c.decision == ADMITTED, and_(c.rule == WAITS, ~is_behind))
    query = select(ASIDE).where(*of_version(ASIDE, slice, version), is_due)
    query = query.order_by(c.topic, c.partition, c.position).limit(limit)
    return [_aside(row) for row in connection.execute(query)]


def _holds(table: FromClause) -> ColumnElement[bool]:
    """Whether a record that is put aside holds what comes behind it of its subject."""
    return and_(table.c.decision.is_(None), table.c.rule.not_in((*PARKED, WAITS)))


@dataclass(frozen=True)
class AsideDecision:
    """What a person says of records that are put aside."""

    decision: Literal["admitted", "discarded"]
    decided_by: str
    why: str | None = None


def aside_records(
    connection: Connection, slice: SliceName, version: int, limit: int
) -> list[AsideRecord]:
    """The records that are not applied to a version and not given up, by their places."""
    c = ASIDE.c
    is_open = c.decision.is_(None) | (c.decision == ADMITTED)
    query = select(ASIDE).where(*of_version(ASIDE, slice, version), is_open)
    query = query.order_by(c.topic, c.partition, c.position).limit(limit)
    return [_aside(row) for row in connection.execute(query)]


def aside_counts(connection: Connection, slice: SliceName, version: int) -> dict[str, int]:
    """By rule, how many records are not applied to a version and not given up."""
    c = ASIDE.c
    is_open = c.decision.is_(None) | (c.decision == ADMITTED)
    query = select(c.rule, func.count()).where(*of_version(ASIDE, slice, version), is_open)
    counts = connection.execute(query.group_by(c.rule).order_by(c.rule))
    return {str(row[0]): int(row[1]) for row in counts}


def decide_aside(
    connection: Connection, slice: SliceName, record: str, decided_at: str, saying: AsideDecision
) -> int:
    """Say it of a record by its place, or of all of a rule, in every version; of how many it was.

    What waits for another record is decided with that one.
    """
    change = update(ASIDE).where(*_chosen(slice, record))
    values = asdict(saying) | {"decided_at": decided_at}
    return int(connection.execute(change.values(**values)).rowcount)


def chosen_aside(
    connection: Connection, slice: SliceName, record: str
) -> list[tuple[str, int, int, int]]:
    """Topic, partition, position and version of what `decide_aside` would decide about."""
    c = ASIDE.c
    query = select(c.topic, c.partition, c.position, c.version).where(*_chosen(slice, record))
    rows = connection.execute(query)
    return [(str(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in rows]


def _chosen(slice: SliceName, record: str) -> tuple[ColumnElement[bool], ...]:
    """That a row is of a record by its place, or of a rule, and that nobody decided about it."""
    c = ASIDE.c
    chosen = c.rule == record
    if (place := re.fullmatch(r"(.+)/(\d+)/(\d+)", record)) is not None:
        topic, partition, position = place[1], int(place[2]), int(place[3])
        chosen = and_(c.topic == topic, c.partition == partition, c.position == position)
    return *of_slice(ASIDE, slice), c.decision.is_(None), c.rule != WAITS, chosen


def of_version(
    table: FromClause, slice: SliceName, version: int
) -> tuple[ColumnElement[bool], ...]:
    """That a row is of a version."""
    return *of_slice(table, slice), table.c.version == version


def _aside(row: Row[Any]) -> AsideRecord:
    return AsideRecord(**{name: getattr(row, name) for name in AsideRecord.__dataclass_fields__})


_LIVE_EVENT = LiveEvent.__dataclass_fields__
