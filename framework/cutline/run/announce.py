"""What a run tells on its control topic: started, stage done, decided."""

from __future__ import annotations

import datetime as dt
from typing import Any

from cutline.results import StageResult
from cutline.topics.choice import topics_of
from cutline.topics.names import control
from cutline.topics.record import ControlRecord
from cutline.workspace import Workspace


def announce_start(workspace: Workspace) -> None:
    """The run has begun; told once, however often it is continued."""
    _send(workspace, "run-started", "run", {"positions": dict(workspace.positions)})


def announce_stage(workspace: Workspace, stage: str, result: StageResult, digest: str) -> None:
    """A stage is complete."""
    data = {
        "stage": stage,
        "rows_in": result.rows_in,
        "rows_out": result.rows_out,
        "digest": digest,
    }
    _send(workspace, "stage-done", stage, data)


def announce_decision(workspace: Workspace, decision: str, decided_by: str) -> None:
    """The gates have spoken."""
    _send(workspace, "run-decided", "run", {"decision": decision, "decided_by": decided_by})


def _send(workspace: Workspace, type: str, step: str, data: dict[str, Any]) -> None:
    topics = workspace.project.file.topics
    context = workspace.context.name
    record = ControlRecord(
        key=f"{context}/{workspace.region}",
        type=type,
        step=step,
        time=dt.datetime.now(dt.UTC),
        source=f"urn:cutline:{context}",
        data={"run_id": workspace.run_id, "context": context, "slice": workspace.region, **data},
    )
    topics_of(workspace).append_records(control(topics.prefix, context), workspace.run_id, [record])
