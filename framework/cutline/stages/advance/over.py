"""The tables of the run that an advance goes on from, as its own tables lie over them."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column

from cutline.errors import RunFailed
from cutline.lake import Over, Replaced
from cutline.lake.written import TableWritten
from cutline.results import StageResult
from cutline.workspace import BaseRun, Workspace


def base_of_stage(workspace: Workspace, advanced_from: str | None) -> BaseRun | None:
    """The run that a stage goes on from, where the stage before it did; else null."""
    base = workspace.base
    return base if base is not None and base.run_id == advanced_from else None


def over(
    base: BaseRun,
    stage: str,
    name: str,
    *replaced: Replaced,
    counts: Mapping[str, Column] | None = None,
) -> Over:
    """A table of a stage of the base, with the rows of it that come anew."""
    table = table_of(base.done[stage], name, base.run_id)
    return Over(base.run_id, base.lake.path(name), table, replaced, counts or {})


def table_of(result: StageResult, name: str, run_id: str) -> TableWritten:
    """What a stage recorded of a table; RunFailed where it wrote none of that name."""
    for table in result.tables:
        if table.name == name:
            return table
    raise RunFailed(
        f"run {run_id} has no table {name}, so the slice cannot go on from it",
        left_behind="The stages before this one are kept.",
        next_step="cutline run reads everything anew.",
    )
