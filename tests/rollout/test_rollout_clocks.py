"""The legacy's clock is asked when the hold is complete, and before the writes go back: by that its
commits are placed, however far it is from that of the control database."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from cutline.control.tenures import LEGACY_CLOCK, LIVE_ENDS
from cutline.errors import RunFailed
from support.rolled_out import CONTEXT, REGION, SQLITE, RolledOutSlice, without_spark


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


def with_clock(folder: Path, **clock: str) -> RolledOutSlice:
    """A slice whose reads are new, and whose legacy has a clock of its own."""
    slice_ = RolledOutSlice(folder, legacy_writes=SQLITE | clock)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    return slice_


def evidence(slice_: RolledOutSlice, step: str) -> Any:
    """What a step recorded the last time."""
    ledger = slice_.control.rollout_ledger(CONTEXT, REGION)
    return next(line.evidence for line in ledger if line.step == step and line.event == "done")


def test_the_clock_of_the_legacys_database_is_kept_when_the_authority_changes(
    tmp_path: Path,
) -> None:
    slice_ = with_clock(tmp_path)
    before = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=1)
    slice_.do("switch writes")
    slice_.do("reverse writes")
    moments = [
        dt.datetime.fromisoformat(evidence(slice_, step)[LEGACY_CLOCK])
        for step in ("record-position", "flip-back")
    ]
    assert before < moments[0] <= moments[1] <= dt.datetime.now(dt.UTC)
    assert evidence(slice_, "flip-back")[LIVE_ENDS] == evidence(slice_, "flip")[LIVE_ENDS]


def test_a_legacy_that_dates_its_commits_otherwise_says_by_which_clock(tmp_path: Path) -> None:
    slice_ = with_clock(tmp_path, clock="SELECT '2020-02-01T10:00:00+02:00'")
    slice_.do("switch writes")
    assert evidence(slice_, "record-position")[LEGACY_CLOCK] == "2020-02-01T08:00:00+00:00"


def test_a_clock_that_gives_no_moment_is_told_and_the_hold_given_back(tmp_path: Path) -> None:
    slice_ = with_clock(tmp_path, clock="SELECT 'noon'")
    with pytest.raises(RunFailed, match=r"legacy_writes\.clock must give a moment, and gave 'noon"):
        slice_.do("switch writes")
    assert (slice_.standing.writes, slice_.denials()) == ("legacy", [])
    assert slice_.legacy_takes_writes()
