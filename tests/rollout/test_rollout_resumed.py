"""What a plan asks for outside of the row is looked at again when it is gone on with, as long as
there is a way back, and once more right before there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.readmodels import ReadModel
from cutline.rollout import (
    PlanRefused,
    RolloutEvent,
    cancel,
    guards,
    ignore_rollout_events,
    perform,
)
from cutline.rollout.decisions import SliceDecisions
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models
from support.rollout_kills import killed_before_record
from support.rollout_moves import end, prepared

READ_MODEL = {"url": "sqlite:///readmodel.db"}
PLACE = f"{CONTEXT} --region {REGION}"
Fall = Callable[[RolledOutSlice, pytest.MonkeyPatch], None]


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_literal_read_models(monkeypatch)


def no_go(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.run("run-9", decision="no-go")


def lifted(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.lift_denials()


def feed_stopped(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.feed(running=0)


def not_fed(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(guards, "release_feed", lambda *_: (False, "3 records behind", None))


def stray(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    strays = SliceDecisions(CONTEXT, REGION, 1, 0, 1, 0, 1, 1, ())
    patch.setattr(guards, "reconcile_decisions", lambda *_: strays)


def foreign(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    class Write:
        sentence = "row 'o1' was removed by no event"

    patch.setattr(ReadModel, "verify", lambda *_: [Write()])


def torn(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    def changed(*_: object) -> None:
        raise RunFailed("table timeline was changed")

    patch.setattr(guards, "refuse_changed", changed)


@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "step", "falls", "guard"),
    [
        ("complete", "point-read-model", lifted, "denial"),
        ("complete", "journal", lifted, "denial"),
        ("complete", "journal", stray, "decisions"),
        ("complete", "journal", not_fed, "feed"),
        ("switch reads", "point-read-model", no_go, "newest decision"),
        ("switch reads", "set-reads", no_go, "newest decision"),
        ("switch reads", "set-reads", foreign, "read model"),
        ("switch reads", "set-reads", not_fed, "feed"),
        ("stage", "record-release", torn, "lake"),
    ],
)
def test_what_fell_since_a_kill_refuses_to_go_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    move: str,
    step: str,
    falls: Fall,
    guard: str,
) -> None:
    slice_ = prepared(tmp_path / "slice", move, read_model=READ_MODEL)
    begin = end(slice_)
    killed_before_record(slice_, move, step)
    stands = slice_.standing
    with monkeypatch.context() as patch:
        falls(slice_, patch)
        with pytest.raises(PlanRefused, match=f"is refused: {guard}") as refused:
            slice_.resume()
    assert refused.value.left_behind == f"Nothing was changed. {move} stands at {step}."
    assert refused.value.next_step == (
        f"cutline rollout cancel {PLACE} (or, once it holds: cutline rollout resume {PLACE})"
    )
    assert slice_.standing == stands
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    # The legacy of a lifted denial takes writes before and after.
    assert end(slice_)[:-1] == begin[:-1]


@pytest.mark.process
@pytest.mark.parametrize(
    ("falls", "guard"), [(no_go, "newest decision"), (feed_stopped, "reverse feed")]
)
def test_writes_are_given_back_where_something_fell_since_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, falls: Fall, guard: str
) -> None:
    slice_ = prepared(tmp_path / "slice", "switch writes")
    killed_before_record(slice_, "switch writes", "journal")
    falls(slice_, monkeypatch)
    with pytest.raises(RunFailed, match=f"is refused: {guard}") as failed:
        slice_.resume()
    assert "writes are legacy again" in failed.value.left_behind
    assert "rollout cancel" not in failed.value.next_step
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.legacy_takes_writes()


@pytest.mark.process
def test_behind_the_point_of_no_return_nothing_is_looked_at(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "complete", read_model=READ_MODEL)
    killed_before_record(slice_, "complete", "drop-read-models")
    slice_.lift_denials()
    slice_.resume()
    assert slice_.standing.ending == "complete"


def test_a_denial_that_goes_before_the_journal_is_noticed(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "complete", read_model=READ_MODEL)
    plan = slice_.plan("complete")

    def lift(event: RolloutEvent) -> None:
        if (event.phase, event.step) == ("begun", "journal"):
            slice_.lift_denials()

    with pytest.raises(PlanRefused, match="denial of epoch 2 is gone") as refused:
        perform(slice_.work(), plan, "ops", None, lift)
    assert refused.value.left_behind == "Nothing was changed. complete stands at journal."
    assert slice_.standing.ending is None
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert (slice_.standing.writes, slice_.standing.plan) == ("new", None)


def test_a_no_go_that_comes_before_the_journal_gives_the_writes_back(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch writes")
    plan = slice_.plan("switch writes")

    def decided(event: RolloutEvent) -> None:
        if (event.phase, event.step) == ("begun", "journal"):
            slice_.run("run-9", decision="no-go")

    with pytest.raises(RunFailed, match="run run-9: no-go"):
        perform(slice_.work(), plan, "ops", None, decided)
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.legacy_takes_writes()
