"""Project of an advance: only the subjects whose events moved."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pyspark.sql import Column

from cutline.context import Aggregate
from cutline.lake import Over, Replaced
from cutline.results import PROJECT, MergeResult, ProjectResult
from cutline.sql.spark import literal
from cutline.stages.advance.over import base_of_stage, over
from cutline.stages.project import (
    PROJECT_STAGE,
    project_result,
    run_project,
    write_projections,
)
from cutline.tables import REPLACED_SUBJECTS, TIMELINE, Table
from cutline.workspace import Workspace


def advance_project(workspace: Workspace) -> ProjectResult:
    """As `run_project`; where the merge went on from a base, its tables are deltas over those of
    the base, with the subjects of events that moved.
    """
    base = base_of_stage(workspace, workspace.result_of(MergeResult).advanced_from)
    if base is None:
        return run_project(workspace)
    before = base.done[PROJECT]

    def over_of(
        table: Table, aggregate: Aggregate | None, counts: Mapping[str, Column]
    ) -> Over | None:
        if aggregate is None:
            columns = {"aggregate": "aggregate", "subject": "subject"}
            replaced = Replaced(REPLACED_SUBJECTS.name, columns)
        else:
            mine = f"aggregate = {literal(aggregate.name)}"
            replaced = Replaced(REPLACED_SUBJECTS.name, {"subject": "subject"}, of_keys=mine)
        return over(base, PROJECT, table.name, replaced, counts=counts)

    # The timeline's delta holds all events of the subjects that moved.
    timeline = workspace.lake.read_new(workspace.spark, TIMELINE)
    written = write_projections(workspace, timeline, over_of)
    going = written.tombstones.gone_counts
    ended = {
        name: before.counts["ended"].get(name, 0) - going[name] + number
        for name, number in written.tombstones.counts.items()
    }
    return project_result(workspace, written, ended)


ADVANCE_PROJECT = dataclasses.replace(PROJECT_STAGE, perform=advance_project)
