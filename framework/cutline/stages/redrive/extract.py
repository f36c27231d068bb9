"""Extract of a re-drive: the changes of the run that it goes on from, as they are."""

from __future__ import annotations

from functools import partial

from cutline.results import EXTRACT, ExtractResult
from cutline.spark.parallel import run_parallel
from cutline.stages.advance.over import over
from cutline.workspace import BaseRun, Workspace


def redrive_extract(workspace: Workspace) -> ExtractResult:
    """All tables of the base go on; no source is read, and no row is copied."""
    base = base_of_redrive(workspace)
    before = base.done[EXTRACT]
    assert isinstance(before, ExtractResult)
    tables = run_parallel(
        workspace.spark,
        [
            partial(workspace.lake.go_on, workspace.spark, over(base, EXTRACT, table.name))
            for table in before.tables
        ],
    )
    return before.model_copy(
        update={
            "tables": tuple(tables),
            # What the runs before left is not all that is there, so no other run takes it over.
            "input_digest": "",
            "taken_from": None,
            "advanced_from": base.run_id,
        }
    )


def base_of_redrive(workspace: Workspace) -> BaseRun:
    """The run that a re-drive goes on from: it always has one."""
    assert workspace.base is not None
    return workspace.base
