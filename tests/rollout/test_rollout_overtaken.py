"""A process that slept in the middle of a step while another one moved the slice: whatever it does
when it wakes, the legacy takes writes if, and only if, the row says so."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from cutline.control.holder import FREE
from cutline.control.models import SLICES
from cutline.errors import RunFailed
from cutline.rollout import cancel, ignore_rollout_events
from cutline.rollout.legacy import LegacyDatabase
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice whose reads are new."""
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    return slice_


def asleep_before(
    name: str, slice_: RolledOutSlice, meanwhile: Callable[[], object], patch: pytest.MonkeyPatch
) -> None:
    """Lets the first process that tells the legacy this sleep before it, until its lease is over and
    another process has done something."""
    tell, slept = LegacyDatabase.tell, []

    def sleepy(self: LegacyDatabase, statement: str, *arguments: Any, **named: Any) -> Any:
        if statement == name and not slept:
            slept.append(statement)
            with slice_.control.database.write() as connection:
                connection.execute(update(SLICES).values(**FREE))
            meanwhile()
        return tell(self, statement, *arguments, **named)

    patch.setattr(LegacyDatabase, "tell", sleepy)


def ends(slice_: RolledOutSlice) -> list[Any]:
    """When each denial in the legacy ends; None for one without an end."""
    with closing(sqlite3.connect(slice_.folder / "legacy.db")) as legacy:
        return [end for (end,) in legacy.execute("SELECT ends_at FROM cutline_denials")]


def test_a_hold_that_comes_after_the_cancelling_is_taken_away(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled() -> None:
        cancel(slice_.work(), "kim", None, ignore_rollout_events)

    asleep_before("hold", slice_, cancelled, monkeypatch)
    with pytest.raises(RunFailed, match="was carried on by another process"):
        slice_.do("switch writes")
    assert slice_.standing.writes == "legacy"
    assert slice_.denials() == []


def test_a_hold_that_comes_after_the_flip_gives_the_denial_no_end(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep_before("hold", slice_, slice_.resume, monkeypatch)
    with pytest.raises(RunFailed, match="was carried on by another process"):
        slice_.do("switch writes")
    assert slice_.standing.writes == "new"
    assert ends(slice_) == [None]


def test_what_is_being_given_back_is_not_gone_on_with(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the denial would be removed beneath the new side's writes."""

    def stopped(on: RolledOutSlice = slice_) -> str:
        on.carried_on = lambda: "run-1"
        raise RunFailed("the disk is full")

    calls: list[str] = []

    def carried_on() -> str:
        calls.append("run")
        return "run-1" if len(calls) == 1 else stopped()

    slice_.carried_on = carried_on
    asleep_before("release", slice_, slice_.resume, monkeypatch)
    with pytest.raises(RunFailed):
        slice_.do("switch writes")
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.denials() == []
    assert slice_.legacy_takes_writes()
    events = [line.event for line in slice_.control.rollout_ledger(CONTEXT, REGION)]
    assert events[:2] == ["undone", "undoing"]
