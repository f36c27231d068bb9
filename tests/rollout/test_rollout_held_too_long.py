"""A hold whose process died: it has an end in both directions, and who comes by behind it gives it
back, also where nobody types `resume`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from cutline.api.rollouts.board import overview_with
from cutline.control import Control
from cutline.control.models import ROLLOUTS
from cutline.errors import RunFailed
from cutline.readiness import readiness_of
from cutline.rollout import end_overdue
from cutline.rollout.hold_end import hold_end
from cutline.rollout.steps import hold, writes
from support.recorded import T0
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.rollout_kills import killed_at_step
from support.rollout_moves import prepared


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


def killed(folder: Path, move: str, step: str) -> RolledOutSlice:
    """A slice whose move was killed when it came to the step."""
    slice_ = killed_at_step(prepared(folder, move), move, step)
    assert slice_.standing.writes == "held"
    return slice_


def over(patch: pytest.MonkeyPatch) -> None:
    """The time of every hold has been over for a minute."""
    patch.setattr("cutline.rollout.performing.seconds_left", lambda _: -60.0)


CASES = pytest.mark.parametrize(
    ("move", "step", "side"),
    [
        ("reverse writes", "drain-reverse-feed", "new"),
        ("reverse writes", "flip-back", "new"),
        ("switch writes", "wait-for-transactions", "legacy"),
        ("switch writes", "journal", "legacy"),
    ],
)


@pytest.mark.process
@CASES
def test_a_hold_that_is_over_is_given_back_by_who_comes_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str, step: str, side: str
) -> None:
    slice_ = killed(tmp_path / "slice", move, step)
    epoch = slice_.standing.epoch
    assert not end_overdue(slice_.work(), "feeder")
    over(monkeypatch)
    with slice_.control.lease(CONTEXT, REGION):
        # Another process is at work on it.
        assert not end_overdue(slice_.work(), "feeder")
    assert slice_.standing.writes == "held"
    assert end_overdue(slice_.work(), "feeder")
    stands = slice_.standing
    assert (stands.writes, stands.plan, stands.epoch) == (side, None, epoch + 1)
    assert slice_.legacy_takes_writes() == (side == "legacy")
    last, *_ = slice_.control.rollout_ledger(CONTEXT, REGION)
    assert (last.event, last.changed_by) == ("undone", "feeder")
    assert not end_overdue(slice_.work(), "feeder")


@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "step", "side"),
    [("reverse writes", "release-legacy", "legacy"), ("switch writes", "flip", "new")],
)
def test_a_move_behind_its_journal_is_gone_on_with_by_who_comes_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str, step: str, side: str
) -> None:
    slice_ = killed_at_step(prepared(tmp_path / "slice", move), move, step)
    assert not slice_.legacy_takes_writes()
    assert slice_.standing.writes != "new"
    assert not end_overdue(slice_.work(), "feeder"), "who is at work goes on by itself"
    now = slice_.control.now()
    monkeypatch.setattr(Control, "now", lambda _: now + timedelta(seconds=11))
    with slice_.control.lease(CONTEXT, REGION):
        assert not end_overdue(slice_.work(), "feeder")
    assert slice_.standing.step == step
    assert end_overdue(slice_.work(), "feeder")
    stands = slice_.standing
    assert (stands.writes, stands.plan) == (side, None)
    assert slice_.legacy_takes_writes() == (side == "legacy")
    last, *_ = slice_.control.rollout_ledger(CONTEXT, REGION)
    assert (last.event, last.changed_by) == ("done", "feeder")
    assert not end_overdue(slice_.work(), "feeder")


@pytest.mark.process
def test_where_the_legacy_does_not_answer_nothing_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_ = prepared(tmp_path / "slice", "reverse writes")
    slice_ = killed_at_step(slice_, "reverse writes", "release-legacy")
    now = slice_.control.now()
    monkeypatch.setattr(Control, "now", lambda _: now + timedelta(seconds=11))
    legacy = slice_.folder / "legacy.db"
    legacy.rename(slice_.folder / "away.db")
    assert not end_overdue(slice_.work(), "feeder")
    assert (slice_.standing.step, slice_.standing.denial) == ("release-legacy", 2)
    legacy.unlink(missing_ok=True)
    (slice_.folder / "away.db").rename(legacy)
    assert end_overdue(slice_.work(), "feeder")


@pytest.mark.process
@CASES
def test_who_resumes_too_late_gives_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str, step: str, side: str
) -> None:
    slice_ = killed(tmp_path / "slice", move, step)
    over(monkeypatch)
    slice_.resume()
    assert (slice_.standing.writes, slice_.standing.plan) == (side, None)


def test_new_writes_are_held_for_a_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_ = prepared(tmp_path / "slice", "reverse writes")
    slice_.feed(behind=3)
    monkeypatch.setattr(hold, "POLL_SECONDS", 0.01)
    monkeypatch.setattr("cutline.rollout.steps.writes.seconds_left", lambda _: 0.0)
    with pytest.raises(RunFailed, match="has not brought everything there within 60 s"):
        slice_.do("reverse writes")
    assert (slice_.standing.writes, slice_.standing.plan) == ("new", None)


def test_writes_go_back_no_sooner_than_services_know_of_the_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They use the row of before for a second, and would act on a writer that lost the writes."""
    assert writes.SERVICE_SECONDS == 0.0, "as nobody asks here"
    slice_ = prepared(tmp_path / "slice", "reverse writes")
    monkeypatch.setattr(writes, "SERVICE_SECONDS", 0.5)
    slice_.do("reverse writes")
    ledger = slice_.control.rollout_ledger(CONTEXT, REGION)
    done = {line.step: line for line in ledger if line.command == "reverse writes"}
    held_at = done["hold-new"].recorded["held_at"]
    assert done["flip-back"].changed_at.timestamp() - held_at >= 0.5


@pytest.mark.process
def test_the_board_says_until_when_writes_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_ = killed(tmp_path / "slice", "switch writes", "wait-for-transactions")
    readiness = readiness_of(slice_.project, slice_.control, CONTEXT, REGION)

    def stands() -> tuple[object, ...]:
        overview = overview_with(slice_.control, slice_.project, readiness, ())
        return overview.held_until is not None, overview.is_hold_over

    assert stands() == (True, False)
    monkeypatch.setattr("cutline.api.rollouts.board.hold_end", lambda _: T0)
    assert stands() == (True, True)
    monkeypatch.undo()
    without_spark(monkeypatch)
    slice_.resume()
    assert stands() == (False, False)


@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "step", "lacks"),
    [
        ("reverse writes", "drain-reverse-feed", ("evidence", "held_at", "hold_seconds")),
        ("reverse writes", "release-legacy", ("evidence", "held_at", "hold_seconds")),
        ("switch writes", "wait-for-transactions", ("evidence", "hold_seconds")),
        ("reverse reads", "set-reads", ("arguments", "was")),
    ],
)
def test_a_plan_that_an_earlier_version_began_is_gone_on_with(
    tmp_path: Path, move: str, step: str, lacks: tuple[str, ...]
) -> None:
    """It did not record all of it."""
    slice_ = killed_at_step(prepared(tmp_path / "slice", move), move, step)
    plan = slice_.standing.plan
    assert plan is not None
    document = plan.model_dump(mode="json")
    of, *names = lacks
    holder = document["plan"] if of == "arguments" else document
    for name in names:
        del holder[of][name]
    with slice_.control.database.write() as connection:
        connection.execute(update(ROLLOUTS).values(plan=document))
    assert hold_end(slice_.standing) is None
    slice_.resume()
    assert slice_.standing.plan is None
    assert slice_.standing.writes == {"switch writes": "new"}.get(move, "legacy")
