"""The matching subjects, with which broken ones are compared."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import state_name, truth_name
from cutline.tables import OUTCOMES
from cutline.tables.breaks import OUTCOME
from cutline.tables.outcome import AGREE, WITHIN_TOLERANCE
from cutline.workspace import Workspace
from cutline_reconciliation.compare import classes


def matching_subjects(
    workspace: Workspace, groups: Iterable[tuple[str, str]], differing: DataFrame | None
) -> DataFrame:
    """One row per level, name and matching subject: `level`, `name`, `aggregate`, `subject`.

    At record and state level these are the subjects of both sides that are not among `differing`
    (`name`, `subject`, `class`), or only by forgiven differences; of an outcome those with the same
    decision on both sides.
    """
    frames = [_alike(workspace, level, name, differing) for level, name in groups]
    return reduce(DataFrame.unionByName, frames)


def _alike(workspace: Workspace, level: str, name: str, differing: DataFrame | None) -> DataFrame:
    lake, spark = workspace.lake, workspace.spark
    if level == OUTCOME:
        decided = lake.read(spark, OUTCOMES).where(F.col("outcome") == name)
        agreed = decided.where(F.col("class").isin(AGREE, WITHIN_TOLERANCE))
        matching_subjects = agreed.select("aggregate", "subject")
    else:
        matching_subjects = (
            lake.read(spark, state_name(name))
            .select("subject")
            .join(lake.read(spark, truth_name(name)).select("subject"), "subject", "left_semi")
        )
        if differing is not None:
            alike = F.col("class").isin(classes.MATCHED, classes.WITHIN_TOLERANCE)
            apart = differing.where((F.col("name") == name) & ~alike).select("subject")
            matching_subjects = matching_subjects.join(apart, "subject", "left_anti")
        matching_subjects = matching_subjects.withColumn("aggregate", F.lit(name))
    return matching_subjects.select(
        F.lit(level).alias("level"), F.lit(name).alias("name"), "aggregate", "subject"
    )
