"""Subjects of which nothing is published while one of their exceptions waits."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance import SUBJECT
from cutline.tables import EXCEPTION_HISTORY
from cutline.tables.breaks import FIXED
from cutline.workspace import Workspace


def held_subjects(workspace: Workspace) -> DataFrame | None:
    """Aggregate and subject of each that is held; null where no rule holds any.

    That is who has an open exception of a rule that is accepted with `siblings: held`, unless the
    exception is discarded up to the day of the run's knowledge time.
    """
    context, region = workspace.context.name, workspace.region
    gates = workspace.project.file.contexts[context].gates
    rules = [accepted.rule for accepted in gates.accept if accepted.siblings == "held"]
    if not rules:
        return None
    discarded = workspace.project.discarded_on(context, region, workspace.recorded_at)
    history = workspace.lake.read(workspace.spark, EXCEPTION_HISTORY)
    waiting = history.where(
        (F.col("state") != FIXED) & F.col("rule").isin(rules) & ~F.col("id").isin([*discarded])
    )
    return waiting.where(F.col("subject").isNotNull()).select(*SUBJECT).distinct()


def without_held(rows: DataFrame, subjects: DataFrame) -> DataFrame:
    """The rows without those of held subjects."""
    return rows.join(subjects, list(SUBJECT), "left_anti")
