"""A process that is paused at any change while it stages, or moves the writes, there or back, and
wakes after another operator has ended it: it acts on nothing, and says so."""

from __future__ import annotations

import dataclasses
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from cutline.control import Control
from cutline.control.holder import FREE
from cutline.control.models import SLICES
from cutline.control.rollouts import Rollout
from cutline.errors import RunFailed
from cutline.rollout import PlanRefused, cancel, ignore_rollout_events, perform
from support.forked import forked
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models
from support.rollout_moves import MOVES, prepared
from support.soaking import some_in_soak

REFUSED = 7
"""The exit code of a paused process that was told, when it woke, that it came too late."""


class PausedControl(Control):
    """A control database whose process is paused before its change number `at`, with its lease."""

    def __init__(self, control: Control, at: int) -> None:
        super().__init__(control.database)
        self._at, self._changes = at, 0

    def change_rollout(self, *arguments: Any, **named: Any) -> Rollout:
        self._changes += 1
        if self._changes == self._at:
            os.kill(os.getpid(), signal.SIGSTOP)
        return super().change_rollout(*arguments, **named)


def paused(slice_: RolledOutSlice, move: str, at: int) -> int | None:
    """The process that makes the move and is paused at a change; None where it ended before."""
    _, command, arguments = MOVES[move]
    work, plan = slice_.work(), slice_.plan(command, *arguments)

    def sleep() -> int:
        sleeper = dataclasses.replace(work, control=PausedControl(work.control, at))
        try:
            perform(sleeper, plan, "sleeper", None, ignore_rollout_events)
        except RunFailed:
            return REFUSED
        return 0

    child = forked(sleep)
    _, status = os.waitpid(child, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        return child
    assert os.waitstatus_to_exitcode(status) == 0
    return None


@contextmanager
def asleep(child: int) -> Iterator[Callable[[], int]]:
    """While it is paused: what lets it go on to its end, and gives its exit code. Where nobody does
    that, it is killed."""
    codes: list[int] = []

    def wake(by: signal.Signals = signal.SIGCONT) -> int:
        os.kill(child, by)
        _, status = os.waitpid(child, 0)
        codes.append(os.waitstatus_to_exitcode(status))
        return codes[0]

    try:
        yield wake
    finally:
        if not codes:
            wake(signal.SIGKILL)


def resumed(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    slice_.resume()


def cancelled(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    try:
        cancel(slice_.work(), "kim", None, ignore_rollout_events)
    except PlanRefused:
        slice_.resume()


def an_hour_later(slice_: RolledOutSlice, patch: pytest.MonkeyPatch) -> None:
    """Its hold is over, so it is given back; then another operator switches the writes."""
    with patch.context() as late:
        late.setattr("cutline.rollout.performing.seconds_left", lambda _: -3600.0)
        slice_.resume()
    if slice_.standing.writes == "legacy":
        if slice_.standing.staged != slice_.standing.release:
            slice_.do("switch reads", None)
        slice_.do("switch writes")


def everything(slice_: RolledOutSlice) -> tuple[Any, ...]:
    return (
        slice_.standing,
        slice_.control.rollout_ledger(CONTEXT, REGION),
        slice_.control.releases(CONTEXT, REGION),
        slice_.denials(),
        slice_.legacy_takes_writes(),
        read_model(slice_),
    )


def read_model(slice_: RolledOutSlice) -> list[str]:
    """All that is in the database of the read model; nothing where there is none."""
    file = slice_.folder / "readmodel.db"
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as database:
        return list(database.iterdump())


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "meanwhile", "changes"),
    some_in_soak(
        [
            ("stage", resumed, 3),
            ("stage", cancelled, 3),
            ("switch writes", resumed, 12),
            ("switch writes", cancelled, 12),
            ("switch writes", an_hour_later, 12),
            ("reverse writes", resumed, 5),
            ("reverse writes", cancelled, 5),
        ],
        lambda move, meanwhile, changes: (
            (move, meanwhile)
            in (("stage", cancelled), ("switch writes", resumed), ("reverse writes", cancelled))
        ),
    ),
)
def test_who_wakes_acts_on_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    move: str,
    meanwhile: Callable[[RolledOutSlice, pytest.MonkeyPatch], None],
    changes: int,
) -> None:
    with_literal_read_models(monkeypatch)
    declared = {"read_model": {"url": "sqlite:///readmodel.db"}} if move == "stage" else {}
    for at in range(1, 40):
        slice_ = prepared(tmp_path / str(at), move, **declared)
        child = paused(slice_, move, at)
        if child is None:
            break
        with asleep(child) as wake:
            # Its lease ends while it sleeps.
            with slice_.control.database.write() as connection:
                connection.execute(update(SLICES).values(**FREE))
            if slice_.standing.plan is None:
                _, command, arguments = MOVES[move]
                slice_.do(command, *arguments)
            else:
                meanwhile(slice_, monkeypatch)
            stands = everything(slice_)
            assert wake() == REFUSED, at
            assert everything(slice_) == stands, at
            assert slice_.legacy_takes_writes() == (slice_.standing.writes == "legacy"), at
    assert at > changes, "each step of the plan is a change"
