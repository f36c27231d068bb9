"""Rules that join a snapshot and a log, exact ones and those that people use: the oracle.

A rule keeps transactions of the log, or rows of a chunk. What comes of that is a set of words:
`gap` where a transaction is neither shown nor kept, `doubles` where one is both, `stale` where the
target ends up with other rows than the source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from support.model.history import History, Rows
from support.model.source import Transaction, Written, apply
from support.model.steps import Key

GAP, DOUBLES, STALE = "gap", "doubles", "stale"
Verdict = frozenset[str]
KeepsChange = Callable[[History, Transaction, Written], bool]


@dataclass(frozen=True)
class Keep:
    """Keeps a change of the tail, beside what a snapshot shows: what was visible to it."""

    keeps: KeepsChange
    shown: Callable[[History], frozenset[int]] = lambda history: history.snapshot.visible

    def __call__(self, history: History) -> Verdict:
        faults = set()
        for transaction in history.log:
            is_shown = transaction.xid in self.shown(history)
            for written in transaction.writes:
                is_kept = self.keeps(history, transaction, written)
                if is_shown == is_kept:
                    faults.add(DOUBLES if is_kept else GAP)
        return frozenset(faults)


def not_visible(history: History, transaction: Transaction) -> bool:
    """PostgreSQL's own rule, on the three numbers that the extract captured."""
    at, xid = history.snapshot, transaction.xid
    return not (xid < at.xmin or (xid < at.xmax and xid not in at.xip))


@dataclass(frozen=True)
class Window:
    """Rows of a chunk that was selected between two watermarks, put into the stream of the log.

    `late` are the changes for whose keys the stream is right and the chunk is not.
    """

    late: Callable[[History, Transaction], bool]

    def __call__(self, history: History) -> Verdict:
        return frozenset({STALE} if self.target(history) != history.final else ())

    def target(self, history: History) -> Rows:
        """What the target holds when all has been applied: the chunk at the high watermark."""
        rows: Rows = {}
        for transaction in (t for t in history.log if t.lsn <= history.high.lsn):
            apply(transaction.writes, rows)
        rows |= window(history.visible, self.touched(history))
        for transaction in (t for t in history.log if t.lsn > history.high.lsn):
            apply(transaction.writes, rows)
        return rows

    def touched(self, history: History) -> set[Key]:
        """The keys of the late changes that come before the chunk."""
        return {
            key
            for transaction in history.log
            if transaction.lsn <= history.high.lsn and self.late(history, transaction)
            for written in transaction.writes
            for key in written.keys
        }


def window(chunk: Rows, touched: set[Key]) -> Rows:
    """The rows of the chunk whose key was not touched."""
    return {key: row for key, row in chunk.items() if key not in touched}


RULES: Mapping[str, Callable[[History], Verdict]] = {
    "row_lsn > L": Keep(lambda h, t, w: w.lsn > h.snapshot.lsn),
    "commit_lsn > L, L read at the snapshot": Keep(lambda h, t, w: t.lsn > h.snapshot.lsn),
    "commit_lsn > L, L read after": Keep(lambda h, t, w: t.lsn > h.high.lsn),
    "commit_lsn > L, L read before": Keep(lambda h, t, w: t.lsn > h.low.lsn),
    "not visible": Keep(lambda h, t, w: not_visible(h, t)),
    "low/high watermark window (DBLog)": Window(lambda h, t: t.lsn > h.low.lsn),
    "the same window, keyed on not-visible": Window(not_visible),
}
"""The rows of the table in the notes, by their names there."""
