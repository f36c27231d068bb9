"""Project: each aggregate's state, as the timeline tells it, and the schemas of its events."""

from __future__ import annotations

from functools import partial

from cutline.context import Aggregate
from cutline.context.payload import SCHEMAS, schemas
from cutline.engine.projection import project, state_table
from cutline.lake.keep import keep
from cutline.lake.lake import Written
from cutline.spark.together import together
from cutline.stage import MERGE, PROJECT, Stage, StageResult
from cutline.tables import TIMELINE
from cutline.workspace import Workspace


def perform(workspace: Workspace) -> StageResult:
    """Writes `state_<aggregate>` for each aggregate; counts 'subjects'.

    Beside the tables, `schemas/` holds the JSON Schema that each event's `dataschema` names.
    """
    keep(workspace.lake.path(SCHEMAS), schemas(workspace.context), "the schemas of the events")
    timeline = workspace.lake.read(workspace.spark, TIMELINE)
    aggregates = workspace.context.aggregates

    def write(aggregate: Aggregate) -> Written:
        return workspace.lake.write(project(timeline, aggregate), state_table(aggregate))

    tables = together(workspace.spark, [partial(write, aggregate) for aggregate in aggregates])
    written = {aggregate.name: one for aggregate, one in zip(aggregates, tables, strict=True)}
    return StageResult(
        rows_in=workspace.done[MERGE].rows_out,
        rows_out=sum(w.table.rows for w in written.values()),
        tables=tuple(w.table for w in written.values()),
        counts={"subjects": {name: w.table.rows for name, w in written.items()}},
        facts={"unexplained": 0},
    )


PROJECT_STAGE = Stage(PROJECT, perform)
