"""The model itself: what it shows is what its log says, whatever is done to it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from support.model.history import played
from support.model.random_steps import random_steps
from support.model.rules import RULES, not_visible
from support.model.source import Source, apply
from support.model.steps import Commit, Drop, Load, Mark, Rename, Rollback, Show, Upsert
from support.model.strategies import histories

A, B, C = ("a",), ("b",), ("c",)
TRANSACTIONS, KEYS = st.integers(1, 5), st.sampled_from([A, B, C])


class Database(RuleBasedStateMachine):
    """Up to five transactions over three rows, in any order."""

    @initialize(loaded=st.booleans())
    def begin(self, loaded: bool) -> None:
        self.source = Source()
        if loaded:
            self.source.load(A, 0, 7, "x")

    @rule(tx=TRANSACTIONS, key=KEYS, status=st.none() | st.integers(0, 2), qty=st.integers(0, 3))
    def upsert(self, tx, key, status, qty) -> None:
        self.source.upsert(tx, key, status, qty, None)

    @rule(tx=TRANSACTIONS, key=KEYS, to=KEYS)
    def rename(self, tx, key, to) -> None:
        self.source.rename(tx, key, to)

    @rule(tx=TRANSACTIONS, key=KEYS)
    def drop(self, tx, key) -> None:
        self.source.drop(tx, key)

    @rule(tx=TRANSACTIONS)
    def commit(self, tx) -> None:
        self.source.commit(tx)

    @rule(tx=TRANSACTIONS)
    def show(self, tx) -> None:
        self.source.show(tx)

    @rule(tx=TRANSACTIONS)
    def rollback(self, tx) -> None:
        self.source.rollback(tx)

    @invariant()
    def what_is_shown_is_the_log_of_what_is_visible(self) -> None:
        visible = self.source.capture().visible
        rows = dict(self.source.base)
        for transaction in self.source.log:
            if transaction.xid in visible:
                apply(transaction.writes, rows)
        assert rows == self.source.shown

    @invariant()
    def each_write_meets_the_image_that_was_there(self) -> None:
        rows = dict(self.source.base)
        for transaction in self.source.log:
            for written in transaction.writes:
                if written.before is not None:
                    assert rows[written.before.key] == written.before
                elif written.after is not None:
                    assert written.after.key not in rows
                apply([written], rows)

    @invariant()
    def writes_stand_in_the_log_before_their_commit(self) -> None:
        places = [t.lsn for t in self.source.log]
        assert places == sorted(set(places))
        for transaction in self.source.log:
            lsns = [written.lsn for written in transaction.writes]
            assert lsns == sorted(set(lsns))
            assert lsns[-1] < transaction.lsn


Database.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
test_the_database = Database.TestCase


@given(histories())
@settings(max_examples=300, deadline=None)
def test_the_three_numbers_of_a_snapshot_tell_what_was_visible(steps) -> None:
    history = played(steps)
    for transaction in history.log:
        assert not_visible(history, transaction) == (
            transaction.xid not in history.snapshot.visible
        )
    assert RULES["not visible"](history) == frozenset()
    assert RULES["the same window, keyed on not-visible"](history) == frozenset()


@given(histories(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_snapshot_and_the_rest_of_the_log_are_the_source(steps, lagging) -> None:
    history = played(steps, lagging=lagging)
    for shown, rows in (
        (history.snapshot.visible, history.visible),
        (history.logged, history.rows_of(history.logged)),
    ):
        for transaction in history.log:
            if transaction.xid not in shown:
                apply(transaction.writes, rows)
        assert rows == history.final


def test_a_commit_may_be_seen_later_than_it_is_logged() -> None:
    straddles = (
        Load(A, qty=1),
        Upsert(1, A, qty=2),
        Upsert(2, B, qty=3),
        Commit(1),
        Commit(2),
        Show(2),
        Mark("snapshot"),
    )
    late = played(straddles)
    assert {row.qty for row in late.visible.values()} == {1, 3}
    assert (late.snapshot.xmin, late.snapshot.xmax, late.snapshot.xip) == (1, 3, {1})
    assert late.logged == {1, 2}
    assert {row.qty for row in played(straddles, lagging=False).visible.values()} == {2, 3}


def test_a_row_is_held_until_its_transaction_is_shown() -> None:
    steps = (
        Upsert(1, A, qty=1),
        Commit(1),
        Upsert(2, A, qty=2),
        Show(1),
        Upsert(2, A, qty=3),
        Commit(2),
    )
    assert [[w.after.qty for w in t.writes] for t in played(steps).log] == [[1], [3]]


def test_what_was_rolled_back_is_nowhere() -> None:
    history = played((Load(A), Drop(1, A), Upsert(1, B), Rollback(1)))
    assert (history.log, set(history.final)) == ((), {A})


def test_a_row_that_is_renamed_lives_on_under_its_new_key() -> None:
    history = played((Load(A, qty=4), Rename(1, A, B), Upsert(1, A, qty=9), Commit(1)))
    assert {key: row.qty for key, row in history.final.items()} == {A: 9, B: 4}
    assert [w.renames for w in history.log[0].writes] == [True, False]


def test_random_histories_are_the_same_for_their_seed_and_hold_everything() -> None:
    seeds = range(500)
    step_lists = [random_steps(seed) for seed in seeds]
    assert step_lists == [random_steps(seed) for seed in seeds]
    kinds = {type(step) for steps in step_lists for step in steps}
    assert kinds == {Load, Upsert, Rename, Drop, Commit, Show, Rollback, Mark}
    played_histories = [played(steps) for steps in step_lists]
    straddling = [h for h in played_histories if h.logged - h.snapshot.visible]
    assert len(straddling) > 50
    assert sum(w.renames for h in played_histories for t in h.log for w in t.writes) > 30
