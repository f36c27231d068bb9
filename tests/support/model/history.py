"""A history: what its steps made of a database, and what an extract saw of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from support.model.source import Capture, Row, Source, Transaction, apply
from support.model.steps import (
    HIGH,
    LOW,
    SNAPSHOT,
    Commit,
    Drop,
    Key,
    Load,
    Mark,
    Rename,
    Rollback,
    Show,
    Step,
    Steps,
    Upsert,
)

Rows = dict[Key, Row]


@dataclass(frozen=True)
class History:
    """All that happened, until everything was at rest.

    `log` has the committed transactions in the order of their commits. `low` and `high` are log
    positions that were read before and after `snapshot` was taken.
    """

    steps: Steps
    base: Rows
    log: tuple[Transaction, ...]
    low: Capture
    snapshot: Capture
    high: Capture
    final: Rows

    def rows_of(self, transactions: Collection[int]) -> Rows:
        """The rows that somebody sees who sees just these transactions, by their ids."""
        rows = dict(self.base)
        for transaction in self.log:
            if transaction.xid in transactions:
                apply(transaction.writes, rows)
        return rows

    @property
    def lives(self) -> set[int]:
        """Of all rows that ever were, what is theirs alone."""
        writes = [written for t in self.log for written in t.writes]
        images = [*self.base.values(), *(row for w in writes for row in (w.before, w.after) if row)]
        return {row.born for row in images}

    @property
    def visible(self) -> Rows:
        """The rows of the snapshot, by visibility."""
        return self.rows_of(self.snapshot.visible)

    @property
    def early(self) -> Rows:
        """The rows that a read at the position before the snapshot shows."""
        return self.rows_of(self.low.visible)

    @property
    def logged(self) -> frozenset[int]:
        """The transactions that a snapshot shows which a new slot exports: by the log alone."""
        return frozenset(t.xid for t in self.log if t.lsn < self.snapshot.point)


def played(steps: Iterable[Step], *, lagging: bool = True) -> History:
    """What comes of the steps. Without `lagging` a commit is visible as it is logged.

    In the end what was logged is shown, and what was not is rolled back. A mark that is missing
    falls together with the snapshot, which is at the end if it is missing itself.
    """
    steps = tuple(steps)
    source = Source()
    marks: dict[str, Capture] = {}
    for clock, step in enumerate(steps, start=1):
        source.clock = clock
        if isinstance(step, Mark):
            _mark(source, step.name, marks)
        else:
            _take(source, step, lagging)
    for tx in source.open:
        source.rollback(tx)
        source.show(tx)
    source.clock += 1
    snapshot = marks.get(SNAPSHOT) or source.capture()
    return History(
        steps,
        source.base,
        tuple(source.log),
        marks.get(LOW, snapshot),
        snapshot,
        marks.get(HIGH, snapshot),
        source.shown,
    )


def _mark(source: Source, name: str, marks: dict[str, Capture]) -> None:
    """Marks come in their order: the position after is none before the snapshot, and so on."""
    order = (LOW, SNAPSHOT, HIGH)
    earlier = order[: order.index(name)]
    later = order[order.index(name) :]
    if not any(other in marks for other in later) and (name != HIGH or earlier[-1] in marks):
        marks[name] = source.capture()


def _take(source: Source, step: Step, lagging: bool) -> None:
    match step:
        case Load(key, status, qty, note):
            source.load(key, status, qty, note)
        case Upsert(tx, key, status, qty, note):
            source.upsert(tx, key, status, qty, note)
        case Rename(tx, key, to):
            source.rename(tx, key, to)
        case Drop(tx, key):
            source.drop(tx, key)
        case Commit(tx):
            source.commit(tx)
            if not lagging:
                source.show(tx)
        case Show(tx):
            source.show(tx)
        case Rollback(tx):
            source.rollback(tx)
