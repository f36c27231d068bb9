"""Whoever reads the new side as the row says finds what it says, wherever a move was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.rollout import cancel, ignore_rollout_events, perform
from support.rolled_out import RolledOutSlice, killed_at, with_literal_read_models
from support.rollout_moves import MOVES, check_readers_whole, end, prepared
from support.soaking import some_in_soak

READ_MODEL = {"url": "sqlite:///readmodel.db"}

OFTEN = ("switch reads",)
"""The moves that are killed in each run of the tests."""


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_literal_read_models(monkeypatch)


@pytest.mark.process
@pytest.mark.parametrize("move", some_in_soak(MOVES, OFTEN.__contains__))
def test_readers_find_their_release_wherever_a_move_is_killed(tmp_path: Path, move: str) -> None:
    _, command, arguments = MOVES[move]
    killed = 0
    for at in range(1, 40):
        for before in (True, False):
            slice_ = prepared(tmp_path / f"{at}-{before}", move, read_model=READ_MODEL)
            plan = slice_.plan(command, *arguments)
            if not killed_at(
                lambda work, plan=plan: perform(work, plan, "ops", None, ignore_rollout_events),  # type: ignore[misc]
                slice_.work(),
                at,
                before=before,
            ):
                assert killed
                return
            killed += 1
            check_readers_whole(slice_)


@pytest.mark.process
@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("step", ["set-reads", "drop-views"])
def test_a_reversal_to_the_legacy_is_taken_back_as_it_was(
    tmp_path: Path, step: str, is_recorded: bool
) -> None:
    slice_ = prepared(tmp_path / "slice", "reverse reads", read_model=READ_MODEL)
    begin, shown = (slice_.standing, end(slice_)), views_of(slice_)
    plan = slice_.plan("reverse reads")
    assert killed_at(
        lambda work: perform(work, plan, "ops", None, ignore_rollout_events),
        slice_.work(),
        plan.place(step) + (1 if is_recorded else 2),
        before=not is_recorded,
    )
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    check_readers_whole(slice_)
    assert end(slice_) == begin[1]
    assert views_of(slice_) == shown == 1
    stands = slice_.standing
    assert (stands.previous_reads, stands.previous) == (begin[0].previous_reads, begin[0].previous)
    slice_.do("reverse reads")
    assert (slice_.standing.reads, views_of(slice_)) == ("legacy", None)


def views_of(slice_: RolledOutSlice) -> int | None:
    """The release that the views show; None without views."""
    return slice_.work().declared_read_model.pointed()
