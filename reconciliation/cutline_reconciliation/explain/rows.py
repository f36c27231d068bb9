"""The legacy rows behind subjects: their own, and those that announced an event of them."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.tables import DISPOSITIONS, REFUSED, TIMELINE
from cutline.workspace import Workspace

ROW = ("source", "table", "key")
SUBJECT = ("aggregate", "subject")


def rows_of_subjects(workspace: Workspace) -> DataFrame:
    """One row per change and subject of its disposition: the columns of SUBJECT and of ROW."""
    return workspace.lake.read(workspace.spark, DISPOSITIONS).select(*SUBJECT, *ROW)


def announcing_rows(workspace: Workspace) -> DataFrame:
    """One row per event, accepted or refused, with its subject and the legacy row behind it.

    Columns are those of SUBJECT and of ROW; ROW is null for events of a live producer.
    """
    frames = [
        workspace.lake.read(workspace.spark, table).select(
            *SUBJECT,
            F.col("migsrcsystem").alias("source"),
            F.col("migsrctable").alias("table"),
            F.col("migsrckey").alias("key"),
        )
        for table in (TIMELINE, REFUSED)
    ]
    return reduce(DataFrame.unionByName, frames)
