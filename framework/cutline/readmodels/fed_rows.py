"""The rows that the feed of a version wrote, by which those of others are known from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from cutline.readmodels.access import Access
from cutline.readmodels.feed_state import of_version
from cutline.readmodels.feed_tables import FED_ROWS, FED_TURNS, FEEDS
from cutline.readmodels.lines import NO_VALUE, as_built, split_line, subject_of
from cutline.readmodels.ranges import fingerprint
from cutline.readmodels.records import SliceName, TablePlan

_AT_ONCE = 300


@dataclass(frozen=True)
class FedRow:
    """A row as a live event left it; `event_id` is null for one that was told to be nobody's.

    `fingerprint` is that of its values, null where they are those that were built: an event ended
    the subject, and wrote no other.
    """

    subject: bytes
    event_id: bytes | None
    ended: bool
    fingerprint: bytes | None

    def is_line(self, line: bytes, built: bytes | None) -> bool:
        """Whether a line is that row; `built` is the fingerprint of the line that was built."""
        values, event_id, ended = split_line(line)
        if (event_id, ended) != (self.event_id, b"1" if self.ended else b"0"):
            return False
        if self.fingerprint is None:
            return fingerprint(as_built(values)) == built
        return fingerprint(values) == self.fingerprint


@dataclass(frozen=True)
class FedTable:
    """What the feed of a version wrote into one of its tables, in a transaction."""

    connection: Connection
    plan: TablePlan

    def rows(self, first: bytes | None, end: bytes | None, limit: int) -> list[FedRow]:
        """The rows from the subject `first` on and before `end`, in the order of their subjects'
        bytes, at most `limit`; None is no bound."""
        c = FED_ROWS.c
        query = select(c.subject, c.event_id, c.ended, c.fingerprint).where(*self._where())
        if first is not None:
            query = query.where(c.subject >= first)
        if end is not None:
            query = query.where(c.subject < end)
        rows = self.connection.execute(query.order_by(c.subject).limit(limit))
        return [FedRow(r.subject, r.event_id, r.ended, r.fingerprint) for r in rows]

    def write(self, lines: Iterable[bytes]) -> None:
        """Record that the feed wrote these lines."""
        self._insert([row for line in lines if (row := _fed_row(line)) is not None])

    def end(self, subject: str, event_id: str) -> None:
        """Record that an event ended the subject of a row, and left its values as they were."""
        key = subject.encode()
        change = update(FED_ROWS).where(*self._where(), FED_ROWS.c.subject == key)
        ended = {"event_id": event_id.encode(), "ended": True}
        if not self.connection.execute(change.values(**ended)).rowcount:
            self._insert([FedRow(key, event_id.encode(), True, None)])

    def adopt(self, access: Access) -> None:
        """Take the rows that name an event, as they stand, for what a feed wrote; nothing else."""
        self.connection.execute(delete(FED_ROWS).where(*self._where()))
        self.write(access.event_lines(self.connection, self.plan.table, self.plan.columns))

    def _insert(self, rows: Sequence[FedRow]) -> None:
        plan = self.plan
        names = {
            "context": plan.slice.context,
            "region": plan.slice.region,
            "version": plan.version,
            "aggregate": plan.aggregate,
        }
        for first in range(0, len(rows), _AT_ONCE):
            some = rows[first : first + _AT_ONCE]
            among = FED_ROWS.c.subject.in_([row.subject for row in some])
            self.connection.execute(delete(FED_ROWS).where(*self._where(), among))
            self.connection.execute(insert(FED_ROWS), [names | asdict(row) for row in some])

    def _where(self) -> tuple[ColumnElement[bool], ...]:
        of_plan = of_version(FED_ROWS, self.plan.slice, self.plan.version)
        return *of_plan, FED_ROWS.c.aggregate == self.plan.aggregate


def fed_table(connection: Connection, access: Access, plan: TablePlan) -> FedTable | None:
    """What the feed wrote into a table; None where no feed did, or where that is not known: the
    last to feed the version was an older Cutline, which recorded no rows."""
    if any(access.kind(connection, table.name) != "table" for table in (FEEDS, FED_TURNS)):
        return None
    where = of_version(FEEDS, plan.slice, plan.version)
    turn = connection.execute(select(FEEDS.c.turn).where(*where)).scalar_one_or_none()
    if turn is None or not follows(connection, plan.slice, plan.version, turn):
        return None
    return FedTable(connection, plan)


def follows(connection: Connection, slice: SliceName, version: int, turn: int) -> bool:
    """Whether the rows of all transactions of a version's feed were recorded, up to that one."""
    where = of_version(FED_TURNS, slice, version)
    return connection.execute(select(FED_TURNS.c.turn).where(*where)).scalar_one_or_none() == turn


def record_turn(connection: Connection, slice: SliceName, version: int, turn: int) -> None:
    """Record that the rows of the version's feed are recorded up to that transaction."""
    connection.execute(delete(FED_TURNS).where(*of_version(FED_TURNS, slice, version)))
    names = {"context": slice.context, "region": slice.region, "version": version}
    connection.execute(insert(FED_TURNS).values(**names, turn=turn))


def _fed_row(line: bytes) -> FedRow | None:
    """The row of a line; None for one that no feed can have written: its subject is no text, or
    `ended` no truth value, which SQLite lets everyone write."""
    subject, (values, event_id, ended) = subject_of(line), split_line(line)
    if NO_VALUE in subject or ended not in (b"0", b"1") or not _is_text(subject):
        return None
    return FedRow(subject, event_id, ended == b"1", fingerprint(values))


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
