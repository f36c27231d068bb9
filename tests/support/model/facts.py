"""What a simple translator must announce of a history: its facts, and each row's last state."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from support.model.history import History
from support.model.source import CREATE, DELETE, UPDATE, Row, Transaction, Written
from support.model.steps import Key

OPENED, RELEASED, SETTLED, MEASURED, REMOVED = (
    "Opened",
    "Released",
    "Settled",
    "Measured",
    "Removed",
)
LASTING = (OPENED, RELEASED, SETTLED)
"""They hold from then on as long as the row lives, so that a snapshot shows them."""


@dataclass(frozen=True)
class Fact:
    """Something announced once. `life_or_lsn` is the life of the row, or where the log tells it."""

    type: str
    key: Key
    life_or_lsn: int


def facts(
    history: History,
    shown: Collection[int],
    to_keep: Collection[int],
    *,
    splits: bool = False,
    lives: Collection[int] | None = None,
) -> set[Fact]:
    """All that is announced from the rows that `shown` made, and from the changes of `to_keep`.

    A row whose key changes goes on under its new one, and all that is announced of it is told by
    the key that it has last; with `splits` it ends, and another row begins. Of `lives` alone, if
    they are given.
    """
    facts_by_life: list[tuple[int, Fact]] = []
    last: dict[int, Key] = {}
    for row in history.rows_of(shown).values():
        facts_by_life += [(row.born, fact) for fact in still(row)]
        last[row.born] = row.key
    for transaction in (t for t in history.log if t.xid in to_keep):
        for written in committed(transaction, splits=splits):
            image = written.after or written.before
            assert image is not None
            facts_by_life += [(image.born, fact) for fact in risen(written, splits=splits)]
            last[image.born] = image.key
    return {
        fact if splits else replace(fact, key=last[born])
        for born, fact in facts_by_life
        if lives is None or born in lives
    }


def committed(transaction: Transaction, *, splits: bool = False) -> Iterable[Written]:
    """What a transaction did, as everybody sees it who reads before and after: one write a life.

    A life that began and ended in it was never there. One whose key has another life afterwards was
    written over: nobody saw that the row was gone, but its values became the other's. Its place is that of the last write, and what
    ends does so under the last key it had, unless another key is another row (`splits`).
    """
    lives: dict[int, list[Written]] = {}
    for written in transaction.writes:
        image = written.after or written.before
        assert image is not None
        lives.setdefault(image.born, []).append(written)
    left = {written.after.key for (*_, written) in lives.values() if written.after is not None}
    over = {
        writes[-1].before.key: writes[0].before
        for writes in lives.values()
        if writes[0].before and writes[-1].before and writes[-1].after is None
    }
    for writes in lives.values():
        before, after, lsn = writes[0].before, writes[-1].after, writes[-1].lsn
        if before is not None and after is None and not splits:
            assert writes[-1].before is not None
            before = replace(before, key=writes[-1].before.key)
        if before is None and after is not None:
            before = over.get(after.key)
        deleted = before is not None and after is None and before.key not in left
        if after is not None or deleted:
            op = CREATE if before is None else DELETE if after is None else UPDATE
            yield Written(op, before, after, lsn)


def still(row: Row) -> Iterable[Fact]:
    """The lasting facts that hold of a row as it is."""
    for level, kind in enumerate(LASTING):
        if row.status >= level:
            yield Fact(kind, row.key, row.born)


def risen(written: Written, *, splits: bool = False) -> Iterable[Fact]:
    """What comes to hold with a write, and did not hold of the row before.

    With `splits`, a new key ends the row under the old one.
    """
    before, after = written.before, written.after
    ended = splits and written.renames
    goes_on = before is not None and not ended and (after is None or after.born == before.born)
    types_before = {fact.type for fact in still(before)} if before is not None and goes_on else ()
    if after is not None:
        yield from (fact for fact in still(after) if fact.type not in types_before)
    if before is not None and (written.op == DELETE or ended):
        yield Fact(REMOVED, before.key, before.born)
    if moved(written) and after is not None and not ended:
        yield Fact(MEASURED, after.key, written.lsn)


def moved(written: Written) -> bool:
    """Whether it changed a value of a row that was there, beside its key."""
    before, after = written.before, written.after
    if before is None or after is None:
        return False
    return replace(before, key=after.key) != after


def lasting(all_facts: Iterable[Fact]) -> set[Fact]:
    return {fact for fact in all_facts if fact.type in LASTING}
