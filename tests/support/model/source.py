"""A database in plain Python: rows, transactions, a log, and commits that are seen later.

It does as PostgreSQL does. A transaction gets its id with its first write. Each write and each
commit is a record of the log with a position of its own. What a transaction wrote is locked until
the transaction is visible or rolled back, so that the commits of one row are logged and seen in the
same order; those of different rows may be seen in another order than they are logged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from support.model.steps import Key

CREATE, UPDATE, DELETE = "c", "u", "d"


@dataclass(frozen=True)
class Row:
    """One image of a row. No two lives of rows have the same `born`; `status` never goes back."""

    key: Key
    born: int
    status: int
    qty: int
    note: str


@dataclass(frozen=True)
class Written:
    """One write of a transaction, at the log position `lsn`. A new key is an update."""

    op: str
    before: Row | None
    after: Row | None
    lsn: int

    @property
    def keys(self) -> frozenset[Key]:
        """The keys that it touches: two where the key changes."""
        return frozenset(row.key for row in (self.before, self.after) if row is not None)

    @property
    def renames(self) -> bool:
        return len(self.keys) == 2


@dataclass(frozen=True)
class Transaction:
    """A committed transaction, as the log has it; `time` is the clock at its commit."""

    xid: int
    writes: tuple[Written, ...]
    lsn: int
    time: int


@dataclass(frozen=True)
class Capture:
    """What an extract knows of the moment at which it read.

    `xmin`, `xmax` and `xip` are those of `pg_current_snapshot()`; `visible` are the logged
    transactions that were visible. `lsn` is the log's last position, and the next one is the
    consistent point of a slot made here.
    """

    xmin: int
    xmax: int
    xip: frozenset[int]
    visible: frozenset[int]
    lsn: int
    time: int

    @property
    def point(self) -> int:
        return self.lsn + 1


@dataclass
class _Open:
    """A transaction that still holds its rows."""

    xid: int
    writes: list[Written] = field(default_factory=list)
    logged: bool = False

    def holds(self, key: Key) -> bool:
        return any(key in written.keys for written in self.writes)


@dataclass
class Source:
    """The database. Its methods say whether they could be done; where not, nothing happened."""

    base: dict[Key, Row] = field(default_factory=dict)
    """The rows from before the log."""
    log: list[Transaction] = field(default_factory=list)
    """What was committed, in that order."""
    lsn: int = 0
    clock: int = 0
    _shown: dict[Key, Row] = field(default_factory=dict)
    _lives: int = 0
    _open: dict[int, _Open] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)
    _visible_xids: set[int] = field(default_factory=set)
    _next_xid: int = 1
    _completed: int = 0

    def load(self, key: Key, status: int, qty: int, note: str) -> bool:
        if self._next_xid > 1 or key in self.base:
            return False
        self._lives += 1
        self.base[key] = self._shown[key] = Row(key, self._lives, status, qty, note)
        return True

    def upsert(
        self, tx: int, key: Key, status: int | None, qty: int | None, note: str | None
    ) -> bool:
        if not self._may_write(tx, key):
            return False
        before = self._row(tx, key)
        if before is None:
            self._lives += 1
            row = Row(key, self._lives, status or 0, qty or 0, note or "")
            return self._write(tx, CREATE, None, row)
        row = replace(
            before,
            status=max(before.status, status or 0),
            qty=before.qty if qty is None else qty,
            note=before.note if note is None else note,
        )
        return self._write(tx, UPDATE, before, row)

    def rename(self, tx: int, key: Key, to: Key) -> bool:
        if len(key) != len(to) or not (self._may_write(tx, key) and self._may_write(tx, to)):
            return False
        before = self._row(tx, key)
        if before is None or self._row(tx, to) is not None:
            return False
        return self._write(tx, UPDATE, before, replace(before, key=to))

    def drop(self, tx: int, key: Key) -> bool:
        if not self._may_write(tx, key):
            return False
        before = self._row(tx, key)
        return before is not None and self._write(tx, DELETE, before, None)

    def commit(self, tx: int) -> bool:
        open_ = self._open.get(tx)
        if open_ is None or open_.logged:
            return False
        self.lsn += 1
        open_.logged = True
        self.log.append(Transaction(open_.xid, tuple(open_.writes), self.lsn, self.clock))
        return True

    def show(self, tx: int) -> bool:
        open_ = self._open.get(tx)
        if open_ is None or not open_.logged:
            return False
        apply(open_.writes, self._shown)
        self._visible_xids.add(open_.xid)
        self._end(tx)
        return True

    def rollback(self, tx: int) -> bool:
        open_ = self._open.get(tx)
        if open_ is None or open_.logged:
            return False
        self._end(tx)
        return True

    def capture(self) -> Capture:
        running = {open_.xid for open_ in self._open.values()}
        xmax = self._completed + 1
        return Capture(
            xmin=min([*running, xmax]),
            xmax=xmax,
            xip=frozenset(xid for xid in running if xid < xmax),
            visible=frozenset(self._visible_xids),
            lsn=self.lsn,
            time=self.clock,
        )

    @property
    def shown(self) -> dict[Key, Row]:
        """The rows that somebody would see now."""
        return dict(self._shown)

    @property
    def open(self) -> tuple[int, ...]:
        """The transactions that still hold their rows."""
        return tuple(self._open)

    def _may_write(self, tx: int, key: Key) -> bool:
        mine = self._open.get(tx)
        if tx in self._ended or (mine is not None and mine.logged):
            return False
        return not any(other.holds(key) for n, other in self._open.items() if n != tx)

    def _row(self, tx: int, key: Key) -> Row | None:
        """As the transaction itself sees it; nobody else holds it."""
        mine = self._open.get(tx)
        rows = {key: self._shown[key]} if key in self._shown else {}
        apply(mine.writes if mine else [], rows)
        return rows.get(key)

    def _write(self, tx: int, op: str, before: Row | None, after: Row | None) -> bool:
        if tx not in self._open:
            self._open[tx] = _Open(self._next_xid)
            self._next_xid += 1
        self.lsn += 1
        self._open[tx].writes.append(Written(op, before, after, self.lsn))
        return True

    def _end(self, tx: int) -> None:
        self._completed = max(self._completed, self._open.pop(tx).xid)
        self._ended.add(tx)


def apply(writes: list[Written] | tuple[Written, ...], rows: dict[Key, Row]) -> None:
    """Does to `rows` what was written, in that order."""
    for written in writes:
        if written.before is not None:
            rows.pop(written.before.key, None)
        if written.after is not None:
            rows[written.after.key] = written.after
