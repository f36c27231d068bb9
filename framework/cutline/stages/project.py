"""Project: each aggregate's state, as the timeline tells it."""

from __future__ import annotations

from cutline.engine.projection import project, state_table
from cutline.stage import MERGE, PROJECT, Stage, StageResult
from cutline.tables import TIMELINE
from cutline.workspace import Workspace


def perform(workspace: Workspace) -> StageResult:
    """Writes `state_<aggregate>` for each aggregate; counts 'subjects'."""
    timeline = workspace.lake.read(workspace.spark, TIMELINE.name)
    written = {
        aggregate.name: workspace.lake.write(project(timeline, aggregate), state_table(aggregate))
        for aggregate in workspace.context.aggregates
    }
    return StageResult(
        rows_in=workspace.done[MERGE].rows_out,
        rows_out=sum(w.table.rows for w in written.values()),
        tables=tuple(w.table for w in written.values()),
        counts={"subjects": {name: w.table.rows for name, w in written.items()}},
        facts={"unexplained": 0},
    )


PROJECT_STAGE = Stage(PROJECT, perform)
