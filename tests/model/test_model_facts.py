"""What should be announced: lasting facts do not depend on when the snapshot was taken."""

from __future__ import annotations

from hypothesis import given, settings

from support.model.facts import Fact, facts, lasting
from support.model.history import History, played
from support.model.steps import Commit, Drop, Load, Mark, Rename, Show, Upsert
from support.model.strategies import histories

A, B = ("a",), ("b",)


def everything(history: History) -> set[int]:
    return {transaction.xid for transaction in history.log}


def from_snapshot(history: History, *, splits: bool = False) -> set[Fact]:
    visible = history.snapshot.visible
    return facts(history, visible, everything(history) - visible, splits=splits)


@given(histories())
@settings(max_examples=300, deadline=None)
def test_snapshot_and_tail_say_of_rows_that_live_what_the_whole_log_says(steps) -> None:
    history = played(steps)
    whole, joined = facts(history, (), everything(history)), from_snapshot(history)
    assert lasting(joined) <= lasting(whole)
    alive = {(row.key, row.born) for row in history.final.values()}

    def of_the_living(announced: set[Fact]) -> set[Fact]:
        return {fact for fact in lasting(announced) if (fact.key, fact.life_or_lsn) in alive}

    assert of_the_living(joined) == of_the_living(whole)


def test_literal_facts_of_a_short_life() -> None:
    steps = (
        Load(A, status=1),
        Mark("snapshot"),
        Upsert(1, A, status=2),
        Upsert(1, A, status=2),
        Upsert(1, B, qty=1),
        Drop(1, A),
        Commit(1),
        Show(1),
    )
    assert from_snapshot(played(steps)) == {
        Fact("Opened", A, 1),
        Fact("Released", A, 1),
        Fact("Removed", A, 1),
        Fact("Opened", B, 2),
    }


def test_a_renamed_row_goes_on_under_its_new_key_or_ends() -> None:
    steps = (Load(A), Mark("snapshot"), Upsert(1, A, qty=1), Rename(1, A, B), Commit(1), Show(1))
    history = played(steps)
    assert from_snapshot(history) == {Fact("Opened", B, 1), Fact("Measured", B, 2)}
    assert from_snapshot(history, splits=True) == {
        Fact("Opened", A, 1),
        Fact("Removed", A, 1),
        Fact("Opened", B, 1),
    }
