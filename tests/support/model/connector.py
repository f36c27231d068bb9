"""A connector in plain Python: what a database's log becomes on its way to the changes table.

Transactions come whole, in the order of their commits, spread over partitions by the hash of the
key; after a restart it begins again at an earlier transaction, with new offsets and the same
positions.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from support.model.history import History, Rows
from support.model.source import UPDATE, Row, Transaction, Written
from support.model.steps import Key

SNAPSHOT = "r"


@dataclass(frozen=True)
class Manners:
    """How a connector tells changes: each flag is one thing that real ones do."""

    restarts: bool = False
    """It stops and begins again some transactions earlier: those come twice."""
    reordered: bool = False
    """Partitions are read one after the other, not as they were written."""
    key_only: bool = False
    """Replica identity default: of a row before a change nothing but its key is told."""
    toasted: bool = False
    """A note that a change leaves as it is arrives as a placeholder: it is unknown."""
    crashes: bool = False
    """Its first attempt at an incremental snapshot ends half-way."""
    late: bool = False
    """By the clock, what a snapshot does not see may have been committed before it was taken."""
    partitions: int = 2


@dataclass(frozen=True)
class Record:
    """One row of the changes table. `unknown` are columns that it does not tell."""

    op: str
    before: Row | None
    after: Row | None
    unknown: tuple[str, ...] = ()
    commit: int = 0
    lsn: int = 0
    ordinal: int = 0
    xid: int = 0
    time: int = 0
    partition: int = 0
    offset: int = 0
    generation: int = 0
    reread: bool = False
    """Of a row that was read while the log ran: it has a partition and an offset, and no position."""

    @property
    def key(self) -> Key:
        row = self.after or self.before
        assert row is not None
        return row.key

    @property
    def old_key(self) -> Key | None:
        """The key before, where it is another."""
        if self.before is None or self.after is None or self.before.key == self.after.key:
            return None
        return self.before.key


def snapshot_of(rows: Rows, generation: int = 0) -> list[Record]:
    """The rows of a snapshot."""
    return [Record(SNAPSHOT, None, row, generation=generation) for row in rows.values()]


def delivered(history: History, manners: Manners, rng: random.Random) -> list[Record]:
    """The log as it arrives, each record with its partition and the offset there."""
    records = [record for t in _sent(history.log, manners, rng) for record in _of(t, manners)]
    placed = _placed(records, manners)
    if manners.reordered:
        placed.sort(key=lambda record: record.partition, reverse=rng.random() < 0.5)
    return placed


def reread(history: History, tail: Sequence[Record], manners: Manners) -> list[Record]:
    """The tail with a chunk of an incremental snapshot: rows without a place in the log.

    The chunk is read at the snapshot, between two watermarks. Of its rows those are left out whose
    keys the log touched between the watermarks; the others come where the high one is.
    """
    between = [t for t in history.log if history.low.lsn < t.lsn <= history.high.lsn]
    touched = {key for t in between for w in t.writes for key in w.keys}
    rows = [row for key, row in history.visible.items() if key not in touched]
    records = _with_read(tail, rows, history.high.lsn, manners)
    if manners.crashes:
        # An attempt of before, which ended on the way.
        early = list(history.early.values())
        records = _with_read(records, early[: len(early) // 2 + 1], history.low.lsn, manners)
    return _placed(records, manners)


def _with_read(
    records: Sequence[Record], rows: Sequence[Row], lsn: int, manners: Manners
) -> list[Record]:
    """The records, with rows that were read at a position each in its partition."""
    merged = list(records)
    for row in rows:
        partition = partition_of(row.key, manners)
        behind = (
            place
            for place, record in enumerate(merged)
            if record.commit > lsn and partition_of(record.key, manners) == partition
        )
        merged.insert(next(behind, len(merged)), Record(SNAPSHOT, None, row, reread=True))
    return merged


def partition_of(key: Key, manners: Manners) -> int:
    """The partition of a key, always the same."""
    return zlib.crc32("\0".join(key).encode()) % manners.partitions


def _placed(records: Sequence[Record], manners: Manners) -> list[Record]:
    """Each record with its partition and its offset there."""
    ends = [0] * manners.partitions
    placed = []
    for record in records:
        partition = partition_of(record.key, manners)
        placed.append(replace(record, partition=partition, offset=ends[partition]))
        ends[partition] += 1
    return placed


def _sent(
    log: Sequence[Transaction], manners: Manners, rng: random.Random
) -> Sequence[Transaction]:
    """The transactions as they are sent, some again."""
    sent: list[Transaction] = []
    place = 0
    while place < len(log):
        sent.append(log[place])
        place += 1
        if manners.restarts and rng.random() < 0.2:
            place = rng.randint(max(0, place - 3), place)
    return sent


def _of(transaction: Transaction, manners: Manners) -> list[Record]:
    return [
        _record(transaction, written, ordinal, manners)
        for ordinal, written in enumerate(transaction.writes)
    ]


def _record(transaction: Transaction, written: Written, ordinal: int, manners: Manners) -> Record:
    return Record(
        written.op,
        written.before,
        written.after,
        _unknown(written, manners),
        transaction.lsn,
        written.lsn,
        ordinal,
        transaction.xid,
        transaction.time,
    )


def _unknown(written: Written, manners: Manners) -> tuple[str, ...]:
    """The columns of the row after an update whose values the connector leaves out."""
    before, after = written.before, written.after
    same_note = before is not None and after is not None and before.note == after.note
    return ("note",) if manners.toasted and written.op == UPDATE and same_note else ()
