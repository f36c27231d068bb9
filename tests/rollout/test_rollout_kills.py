"""A process that is killed at any place of any move: who goes on ends right, and never do two sides
take writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.rollout import RolloutWork, cancel, ignore_rollout_events, perform, resume
from support.rolled_out import CONTEXT, REGION, killed_at, without_spark
from support.rollout_moves import MOVES, check_one_side_writes, end, prepared


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


@pytest.mark.process
@pytest.mark.parametrize("move", MOVES)
def test_a_kill_at_any_change_is_gone_on_from(tmp_path: Path, move: str) -> None:
    whole = prepared(tmp_path / "whole", move)
    _, command, arguments = MOVES[move]
    whole.do(command, *arguments)
    changes = len([x for x in whole.control.rollout_ledger(CONTEXT, REGION) if x.command == move])
    assert changes >= 2
    for at in range(1, changes + 1):
        # Right behind a change nothing has happened yet that is not recorded.
        for before in (True, False) if at in (1, changes - 1, changes) else (True,):
            slice_ = prepared(tmp_path / f"{at}-{before}", move)
            plan = slice_.plan(command, *arguments)

            def act(work: RolloutWork, plan=plan) -> object:  # type: ignore[no-untyped-def]
                return perform(work, plan, "ops", None, ignore_rollout_events)

            assert killed_at(act, slice_.work(), at, before=before)
            check_one_side_writes(slice_)
            if slice_.standing.plan is None:
                assert at in (1, changes), "only the first and the last leave nothing under way"
                if at == 1:
                    slice_.do(command, *arguments)
            else:
                # Killed again where it goes on, and gone on with once more.
                killed_at(
                    lambda w: resume(w, "ops", None, ignore_rollout_events),
                    slice_.work(),
                    1,
                    before=True,
                )
                check_one_side_writes(slice_)
                slice_.resume()
            assert end(slice_) == end(whole), (at, before)


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
