"""The real policies, each at the cut of one history, and what it should keep of that history.

Histories are moved along the log, the ids and the clock, so that thousands of them share a few
policies: those of one kind all have their cut at the same place.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cutline.cut import CommitTimestamp, CutPolicy, ExportedSnapshot, TransactionVisibility
from cutline.cut.batches import Batches, BatchPlace
from cutline.cut.change_number import ChangeNumber
from cutline.cut.in_log import SnapshotInLog
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.positions import (
    ChangeNumberPosition,
    KafkaPosition,
    PgSnapshot,
    Position,
    PostgresPosition,
)
from support.model.connector import SNAPSHOT, Record
from support.model.facts import Fact, facts
from support.model.history import History
from support.model.steps import Key

PLACE = 1_000_000
"""Where all cuts in a log are."""
XMAX = 3 * 2**32 + 4
"""The `xmax` of all snapshots: the 32-bit ids of a log begin again just before it."""
AT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
"""The moment of all snapshots."""


FIRST, SECOND = 1, 2
"""The generations of two batches."""


@dataclass(frozen=True)
class Repair:
    """A second batch, read later: the transactions and the lives that it shows, and its point."""

    shown: frozenset[int]
    lives: frozenset[int]
    point: Position


@dataclass(frozen=True)
class Cut:
    """A policy, the transactions that its snapshot shows, those to keep, and how far to move.

    `lsn`, `xid` and `seconds` are added to what the history says; `offsets` by partition. Of the
    lives that a `repair` shows it alone counts.
    """

    policy: CutPolicy
    shown: frozenset[int]
    to_keep: frozenset[int]
    lsn: int
    xid: int
    at: int
    offsets: Mapping[int, int]
    kind: type[Position] = PostgresPosition
    repair: Repair | None = None

    def keeps(self, record: Record) -> bool:
        """Whether a delivered row says anything that the engine must not take for shown."""
        row = record.after or record.before
        repaired = self.repair is not None and row is not None and row.born in self.repair.lives
        if record.op == SNAPSHOT:
            return record.generation == SECOND or not repaired
        if self.repair is not None and repaired:
            return record.xid not in self.repair.shown
        return record.xid in self.to_keep

    def facts(self, history: History, *, splits: bool) -> set[Fact]:
        """What must be announced."""
        if self.repair is None:
            return facts(history, self.shown, self.to_keep, splits=splits)
        second, lives = self.repair.shown, self.repair.lives
        rest = frozenset(t.xid for t in history.log) - second
        others = frozenset(history.lives) - lives
        return facts(history, self.shown, self.to_keep, splits=splits, lives=others) | facts(
            history, second, rest, splits=splits, lives=lives
        )

    def position(self, record: Record) -> Position:
        """Where a record of the log stands."""
        if self.kind is KafkaPosition:
            return KafkaPosition(record.partition, self.offset(record))
        return self.kind(record.commit + self.lsn, record.lsn + self.lsn, record.ordinal)  # type: ignore[call-arg]

    def offset(self, record: Record) -> int:
        return record.offset + self.offsets.get(record.partition, 0)

    def time(self, clock: int) -> dt.datetime:
        """A second for each tick of the history's clock."""
        return AT + dt.timedelta(seconds=clock - self.at)


@dataclass(frozen=True)
class Kind:
    """A way to cut, and whether it tells histories exactly in which visibility lags the log, keys
    change, records come again, changes do not tell whole rows, or deleted keys are used again."""

    of: Callable[[History, Sequence[Record]], Cut]
    lagging: bool = True
    renames: bool = True
    repeats: bool = True
    partial: bool = True
    reborn: bool = True


def _cut(
    history: History,
    policy: CutPolicy,
    shown: frozenset[int],
    *,
    to_keep: frozenset[int] | None = None,
    kind: type[Position] = PostgresPosition,
    at: int | None = None,
    offsets: Mapping[int, int] | None = None,
    point: int | None = None,
    repair: Repair | None = None,
) -> Cut:
    rest = frozenset(t.xid for t in history.log) - shown
    return Cut(
        policy,
        shown,
        rest if to_keep is None else to_keep,
        PLACE - (history.snapshot.point if point is None else point),
        XMAX - history.snapshot.xmax,
        history.snapshot.time if at is None else at,
        offsets or {},
        kind,
        repair,
    )


def _visibility(history: History, tail: Sequence[Record]) -> Cut:
    at = history.snapshot
    move = XMAX - at.xmax
    pg_snapshot = PgSnapshot(at.xmin + move, XMAX, frozenset(xid + move for xid in at.xip))
    return _cut(history, TransactionVisibility(pg_snapshot), at.visible)


def _exported(history: History, tail: Sequence[Record]) -> Cut:
    policy = ExportedSnapshot(PostgresPosition(PLACE), str(PLACE))
    return _cut(history, policy, history.logged)


def _number(history: History, tail: Sequence[Record]) -> Cut:
    policy = ChangeNumber(ChangeNumberPosition(PLACE - 1), str(PLACE - 1))
    return _cut(history, policy, history.snapshot.visible, kind=ChangeNumberPosition)


def _clock(history: History, tail: Sequence[Record]) -> Cut:
    """The extract runs from `low` to `high`: what was committed between is on both sides."""
    zone = dt.timedelta(seconds=history.high.time - history.low.time)
    to_keep = frozenset(t.xid for t in history.log if t.time > history.low.time)
    policy = CommitTimestamp(AT, AT + zone if zone else None)
    return _cut(history, policy, history.snapshot.visible, to_keep=to_keep, at=history.low.time)


def _offsets(history: History, tail: Sequence[Record]) -> Cut:
    """The snapshot is what the topic held when its ends were frozen."""
    ends = dict.fromkeys({record.partition for record in tail}, 0)
    for record in tail:
        if record.xid in history.logged:
            ends[record.partition] = max(ends[record.partition], record.offset + 1)
    moves = {partition: PLACE - end for partition, end in ends.items()}
    policy = KafkaOffsets({0: PLACE, 1: PLACE})
    return _cut(history, policy, history.logged, kind=KafkaPosition, offsets=moves)


def _batches(history: History, tail: Sequence[Record]) -> Cut:
    """A first batch of all rows, and later a second of some keys, which repairs it."""
    move = PLACE - history.low.point
    later = PostgresPosition(history.snapshot.point + move)
    rows = history.rows_of(history.logged)
    repair = Repair(
        history.logged, frozenset(row.born for key, row in rows.items() if repaired(key)), later
    )
    places = (
        BatchPlace("first", FIRST, PostgresPosition(PLACE), str(PLACE), "a", {}),
        BatchPlace("second", SECOND, later, later.text, "b", {}),
    )
    shown = frozenset(t.xid for t in history.log if t.lsn < history.low.point)
    return _cut(history, Batches(places), shown, point=history.low.point, repair=repair)


def repaired(key: Key) -> bool:
    """Whether the second batch reads a key: of some tables one, of others none or all."""
    return zlib.crc32("/".join(key).encode()) % 3 > 0


def _in_log(history: History, tail: Sequence[Record]) -> Cut:
    """No snapshot but what is read into the stream."""
    return _cut(history, SnapshotInLog(), frozenset())


IN_LOG = "in-log"
"""The cut of incremental snapshots. What was before the log is told when the chunk is read."""

REREADING: Mapping[str, Kind] = {IN_LOG: Kind(_in_log, lagging=False, partial=False)}
CUTS: Mapping[str, Kind] = {
    "visibility": Kind(_visibility),
    "exported": Kind(_exported),
    "number": Kind(_number, lagging=False),
    "clock": Kind(_clock, lagging=False, renames=False, partial=False, reborn=False),
    "batches": Kind(_batches),
    "offsets": Kind(_offsets, renames=False, repeats=False),
}
"""The ways to cut that are exact, or that say of which changes they do not know."""
