"""The system's books: the rows before the log begins, and the transactions in the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cutline_translators.policy_admin.estate.rows import COLUMNS, Row, Value, key

Tables = dict[str, dict[tuple[Value, ...], Row]]


@dataclass(frozen=True)
class BookedChange:
    """A row before and after a transaction; null where it did not exist."""

    table: str
    before: Row | None
    after: Row | None

    @property
    def image(self) -> Row:
        """The row after the transaction; of a deleted row, the row before."""
        image = self.after if self.after is not None else self.before
        assert image is not None
        return image


@dataclass(frozen=True)
class BookedTransaction:
    """Row changes that committed together, in seconds since 1970."""

    commit: int
    changes: tuple[BookedChange, ...]


@dataclass
class Books:
    """Rows that were there before the log begins, and the transactions in it."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {t: [] for t in COLUMNS})
    log: list[BookedTransaction] = field(default_factory=list)

    def add(self, table: str, *rows: Row) -> None:
        """Add rows from before the log."""
        self.rows[table] += rows

    def commit(self, at: int, changes: Iterable[BookedChange]) -> None:
        """Add a transaction; the order of calls does not matter."""
        self.log.append(BookedTransaction(at, tuple(changes)))

    def in_order(self) -> list[BookedTransaction]:
        """The log by commit."""
        return sorted(self.log, key=lambda t: t.commit)

    def as_of(self, moment: int) -> Tables:
        """The rows of all tables after the transactions up to a moment."""
        tables = {t: {key(t, r): r for r in rows} for t, rows in self.rows.items()}
        for transaction in self.in_order():
            if transaction.commit <= moment:
                for change in transaction.changes:
                    _apply(tables[change.table], change)
        return tables


def insertions(table: str, rows: Sequence[Row]) -> list[BookedChange]:
    """The changes that insert rows."""
    return [BookedChange(table, None, row) for row in rows]


def update(table: str, row: Row, **values: Value) -> BookedChange:
    """The change that gives a row other values."""
    return BookedChange(table, row, {**row, **values})


def deletion(table: str, row: Row) -> BookedChange:
    """The change that deletes a row."""
    return BookedChange(table, row, None)


def _apply(rows: dict[tuple[Value, ...], Row], change: BookedChange) -> None:
    at = key(change.table, change.image)
    if change.after is None:
        del rows[at]
    else:
        rows[at] = change.after
