"""The system's books: what stood there first, and each transaction since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cutline_translators.policy_admin.estate.rows import COLUMNS, Row, Value, key

Tables = dict[str, dict[tuple[Value, ...], Row]]


@dataclass(frozen=True)
class RowChange:
    """One row before and after a transaction; null where it was not there."""

    table: str
    before: Row | None
    after: Row | None

    @property
    def shown(self) -> Row:
        """The row after, or where it was deleted before."""
        found = self.after if self.after is not None else self.before
        assert found is not None
        return found


@dataclass(frozen=True)
class Transaction:
    """Row changes that committed together, in seconds since 1970."""

    commit: int
    changes: tuple[RowChange, ...]


@dataclass
class Books:
    """Rows that were there before the log begins, and the transactions in it."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {t: [] for t in COLUMNS})
    log: list[Transaction] = field(default_factory=list)

    def add(self, table: str, *rows: Row) -> None:
        """Rows of before the log."""
        self.rows[table] += rows

    def commit(self, at: int, changes: Iterable[RowChange]) -> None:
        """A transaction; they may come in any order."""
        self.log.append(Transaction(at, tuple(changes)))

    def in_order(self) -> list[Transaction]:
        """The log by commit."""
        return sorted(self.log, key=lambda t: t.commit)

    def as_of(self, moment: int) -> Tables:
        """All rows as they stood when everything up to a moment was committed."""
        tables = {t: {key(t, r): r for r in rows} for t, rows in self.rows.items()}
        for transaction in self.in_order():
            if transaction.commit <= moment:
                for change in transaction.changes:
                    _apply(tables[change.table], change)
        return tables


def created(table: str, rows: Sequence[Row]) -> list[RowChange]:
    """New rows."""
    return [RowChange(table, None, row) for row in rows]


def updated(table: str, row: Row, **values: Value) -> RowChange:
    """A row with other values."""
    return RowChange(table, row, {**row, **values})


def deleted(table: str, row: Row) -> RowChange:
    """A row that goes."""
    return RowChange(table, row, None)


def _apply(rows: dict[tuple[Value, ...], Row], change: RowChange) -> None:
    at = key(change.table, change.shown)
    if change.after is None:
        del rows[at]
    else:
        rows[at] = change.after
