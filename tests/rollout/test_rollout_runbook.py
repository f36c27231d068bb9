"""The runbook has the steps of a command as its plan has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from cutline.api.reports_index.runbooks import runbook_of
from support.recorded import T0
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models

TOPIC = f"retail.release.{CONTEXT}.1.{REGION}.customer_order.state"


def steps(slice_: RolledOutSlice, command: str) -> tuple[list[str], list[str]]:
    """What the runbook and the plan of a command say of its steps."""
    runbook = runbook_of(slice_.project, slice_.control, CONTEXT, REGION, T0)
    typed = f"cutline rollout {command} {CONTEXT} --region {REGION}"
    (move,) = [m for m in (*runbook.forward, *runbook.back) if m.command == typed]
    planned = [step.says for step in slice_.plan(command).steps]
    return [step.says for step in move.steps], planned


def test_it_has_the_steps_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model={"url": "sqlite:///readmodel.db"})
    for command, *arguments in (("open",), ("stage", "run-1"), ("switch reads", 5)):
        slice_.do(command, *arguments)
    runbook, planned = steps(slice_, "reverse reads")
    assert runbook == planned
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    slice_.do("switch reads", None)
    # Recorded when cutline.yaml still asked for topics of each release.
    with slice_.control.database.write() as connection:
        positions = {"p": json.dumps({TOPIC: {"0": 7}})}
        connection.execute(
            text("UPDATE cutline_releases SET positions = :p WHERE release = 1"), positions
        )
    for command in ("reverse reads", "cancel", "complete", "switch writes", "reverse writes"):
        runbook, planned = steps(slice_, command)
        assert runbook == planned, command
