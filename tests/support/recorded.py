"""Runs in a real control database, recorded without being performed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from cutline.control import Control, RunKey
from cutline.lake.written import TableWritten
from cutline.project import LoadedProject
from cutline.results import StageResult

T0 = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)


def recorded(
    project: LoadedProject,
    run_id: str,
    stages: dict[str, Sequence[str]],
    *,
    decision: Any = None,
    running: str | None = None,
) -> None:
    """A run of fulfilment eu-west whose `stages` wrote these tables; `running` was begun."""
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west") as lease:
        control.begin(RunKey("fulfilment", "eu-west", run_id, {"run": run_id}), T0, lease)
        for name, tables in stages.items():
            result = StageResult(
                rows_in=10, rows_out=5, tables=tuple(TableWritten(t, 5, "d") for t in tables)
            )
            control.stage_started(run_id, name, lease)
            control.stage_done(run_id, name, result, "d" * 32, 1.25, lease)
        if running:
            control.stage_started(run_id, running, lease)
        elif decision:
            control.decide(run_id, decision, "a gate", lease)
            control.complete(run_id, lease)
