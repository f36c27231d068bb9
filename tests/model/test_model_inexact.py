"""Ways to cut that lose or double rows, each with a history in which it does.

They look plausible, which is why they are here: whoever wants one back meets its history first.
"""

from __future__ import annotations

from support.model.history import History, played
from support.model.rules import DOUBLES, GAP, RULES, STALE, Keep, Window
from support.model.steps import Commit, Load, Mark, Rename, Show, Step, Upsert

A, B = ("a",), ("b",)
LOW, SNAPSHOT, HIGH = Mark("low"), Mark("snapshot"), Mark("high")


def done(tx: int, key=A, qty: int = 1) -> tuple[Step, ...]:
    """A transaction that is committed and seen at once."""
    return Upsert(tx, key, qty=qty), Commit(tx), Show(tx)


def wrong(rule: str, history: History) -> set[str]:
    return set(RULES[rule](history))


def test_by_the_rows_own_place_a_transaction_that_straddles_the_cut_is_lost() -> None:
    history = played((Upsert(1, A, qty=1), SNAPSHOT, Commit(1), Show(1)))
    assert wrong("row_lsn > L", history) == {GAP}
    assert wrong("commit_lsn > L, L read at the snapshot", history) == set()


def test_by_the_commits_place_what_is_logged_but_not_yet_seen_is_lost() -> None:
    history = played((Upsert(1, A, qty=1), Commit(1), SNAPSHOT, Show(1)))
    assert wrong("commit_lsn > L, L read at the snapshot", history) == {GAP}
    assert wrong("not visible", history) == set()


def test_a_place_read_after_the_snapshot_loses_what_came_between() -> None:
    history = played((SNAPSHOT, *done(1), HIGH))
    assert wrong("commit_lsn > L, L read after", history) == {GAP}


def test_a_place_read_before_the_snapshot_doubles_what_came_between() -> None:
    history = played((LOW, *done(1), SNAPSHOT))
    assert wrong("commit_lsn > L, L read before", history) == {DOUBLES}
    late = played((Upsert(1, A, qty=1), Commit(1), LOW, *done(2, B), SNAPSHOT, Show(1)))
    assert wrong("commit_lsn > L, L read before", late) == {GAP, DOUBLES}


def test_between_watermarks_a_stale_row_wins_over_what_was_logged_before_them() -> None:
    history = played((Load(A, qty=1), Upsert(1, A, qty=2), Commit(1), LOW, SNAPSHOT, HIGH, Show(1)))
    assert wrong("low/high watermark window (DBLog)", history) == {STALE}
    assert wrong("the same window, keyed on not-visible", history) == set()


def test_at_a_slots_consistent_point_a_commit_belongs_to_the_tail() -> None:
    history = played((*done(1), SNAPSHOT, Upsert(2, B, qty=2), Commit(2), Show(2)))
    exact = Keep(lambda h, t, w: t.lsn >= h.snapshot.point, shown=lambda h: h.logged)
    beyond = Keep(lambda h, t, w: t.lsn > h.snapshot.point, shown=lambda h: h.logged)
    # Its writes lie before the point, and its commit is the next record of the log.
    straddles = played((Upsert(1, A, qty=1), SNAPSHOT, Commit(1), Show(1)))
    assert straddles.log[0].lsn == straddles.snapshot.point
    assert (exact(history), exact(straddles)) == (frozenset(), frozenset())
    assert (beyond(history), beyond(straddles)) == (frozenset(), {GAP})


def test_without_the_transactions_in_progress_those_are_lost() -> None:
    history = played((Upsert(1, A, qty=1), *done(2, B), SNAPSHOT, Commit(1), Show(1)))
    blind = Keep(lambda h, t, w: t.xid >= h.snapshot.xmax)
    assert history.snapshot.xip == {1}
    assert blind(history) == {GAP}


def test_a_clock_cuts_exactly_only_where_the_source_was_at_rest() -> None:
    """Of the two times, the later loses what was not seen, the earlier applies it twice."""
    history = played((LOW, *done(1), SNAPSHOT, *done(2, B), HIGH))
    assert Keep(lambda h, t, w: t.time > h.high.time)(history) == {GAP}
    assert Keep(lambda h, t, w: t.time > h.low.time)(history) == {DOUBLES}
    at_rest = played((*done(1), LOW, SNAPSHOT, HIGH, *done(2, B)))
    assert Keep(lambda h, t, w: t.time > h.low.time)(at_rest) == frozenset()


def test_a_window_that_forgets_the_old_key_of_a_renamed_row_brings_it_back() -> None:
    history = played((Load(A), LOW, SNAPSHOT, Rename(1, A, B), Commit(1), Show(1), HIGH))
    exact = RULES["the same window, keyed on not-visible"]
    assert isinstance(exact, Window)
    assert exact.target(history) == history.final
    assert A in history.visible
    assert A not in history.final
