"""Two processes that perform the same plan at the same moment: one does, and the other one is told
that it was slower, on every kind of control database."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from cutline.control import Control
from cutline.control.rollouts import RolloutChanged
from cutline.errors import SliceBusy
from cutline.rollout import Plan, ignore_rollout_events, perform
from support.forked import forked
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

SLOWER = 7
"""The exit code of a process that was told so."""


def racing(
    slice_: RolledOutSlice, plan: Plan, url: SecretStr, name: str, start: tuple[int, int]
) -> int:
    """A process that performs the plan as soon as nobody has the pipe open to write."""

    def race() -> int:
        # A connection is of one process.
        control = Control.open(url, slice_.folder)
        work = dataclasses.replace(slice_.work(), control=control)
        reading, writing = start
        os.close(writing)
        os.read(reading, 1)
        try:
            perform(work, plan, name, None, ignore_rollout_events)
        except (RolloutChanged, SliceBusy):
            return SLOWER
        return 0

    return forked(race)


@pytest.mark.process
def test_of_two_processes_one_moves_the_row(
    tmp_path: Path, control_url: SecretStr, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, control=control_url)
    slice_.do("open")
    slice_.do("stage", "run-1")
    for percent in (10, 20, 30, 40):
        plan = slice_.plan("mirror", percent)
        begin = slice_.standing.version
        reading, writing = os.pipe()
        children = [
            racing(slice_, plan, control_url, name, (reading, writing)) for name in ("kim", "lee")
        ]
        os.close(reading)
        os.close(writing)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert sorted(codes) == [0, SLOWER], percent
        stands = slice_.standing
        assert (stands.reads, stands.percent, stands.plan) == ("mirror", percent, None)
        lines = [
            line for line in slice_.control.rollout_ledger(CONTEXT, REGION) if line.version > begin
        ]
        assert [line.version for line in lines] == list(range(stands.version, begin, -1))
        assert len({line.changed_by for line in lines}) == 1, "the slower one changed nothing"
