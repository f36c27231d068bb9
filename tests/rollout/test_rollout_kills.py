"""A process that is killed at any place of any move: who goes on ends right, and never do two sides
take writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.rollout import cancel, ignore_rollout_events, perform
from support.rolled_out import killed_at, without_spark
from support.rollout_kills import check_kills_at_changes
from support.rollout_moves import MOVES, end, prepared


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


@pytest.mark.process
@pytest.mark.parametrize("move", MOVES)
def test_a_kill_at_any_change_is_gone_on_from(tmp_path: Path, move: str) -> None:
    check_kills_at_changes(lambda name: prepared(tmp_path / name, move), move)


@pytest.mark.process
@pytest.mark.parametrize("move", ["switch writes", "reverse writes", "switch reads"])
def test_a_kill_before_the_point_of_no_return_can_be_taken_back(tmp_path: Path, move: str) -> None:
    _, command, arguments = MOVES[move]
    taken_back = 0
    for at in range(1, 20):
        slice_ = prepared(tmp_path / str(at), move)
        begin = end(slice_)
        plan = slice_.plan(command, *arguments)
        if not killed_at(
            lambda w, plan=plan: perform(w, plan, "ops", None, ignore_rollout_events),  # type: ignore[misc]
            slice_.work(),
            at,
            before=True,
        ):
            break
        standing = slice_.standing
        if standing.plan is None or plan.is_behind_return(standing.step or ""):
            continue
        cancel(slice_.work(), "ops", None, ignore_rollout_events)
        assert end(slice_) == begin, at
        assert slice_.denials() == ([standing.denial] if move == "reverse writes" else [])
        taken_back += 1
    assert taken_back >= (1 if move == "switch reads" else 2)


@pytest.mark.process
def test_a_hold_whose_process_died_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Resumed too late, it is given back rather than gone on with."""
    slice_ = prepared(tmp_path / "slice", "switch writes")
    plan = slice_.plan("switch writes")
    place = plan.place("hold-legacy") + 3
    assert killed_at(
        lambda w: perform(w, plan, "ops", None, ignore_rollout_events),
        slice_.work(),
        place,
        before=True,
    )
    assert slice_.standing.step == "wait-for-transactions"
    assert not slice_.legacy_takes_writes()
    monkeypatch.setattr("cutline.rollout.performing.seconds_left", lambda _: -1.0)
    slice_.resume()
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.legacy_takes_writes()


def test_a_process_that_slept_changes_nothing_any_more(tmp_path: Path) -> None:
    """Another one carries its plan on while it sleeps under the hold."""
    slice_ = prepared(tmp_path / "slice", "switch writes")
    woken = slice_.work()
    plan = slice_.plan("switch writes")
    calls = []

    def asleep() -> str:
        calls.append(1)
        if len(calls) == 2:
            slice_.resume()
            assert slice_.standing.writes == "new"
        return "run-2"

    slice_.carried_on = asleep
    with pytest.raises(RunFailed, match="was carried on by another process"):
        perform(woken, plan, "sleeper", None, ignore_rollout_events)
    assert (slice_.standing.writes, slice_.standing.plan) == ("new", None)
    assert slice_.denials() == [slice_.standing.denial]
