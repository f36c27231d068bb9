"""Positions of a table ascend within a partition, except for redelivered changes.

A restarted connector sends whole transactions again, with their positions. So a new position before
one that came earlier belongs to another log, or to another order. Positions of two tables are not
compared: each table may have a topic of its own, with the file of one after the file of the other.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import ROW
from cutline.sources.changes.position_sql import CORE_WIDTH
from cutline.tables.change import SNAPSHOT


def refuse_backwards(narrow: DataFrame, change_input: ChangeInput) -> None:
    """RunFailed for the first change with a new position that goes back."""
    if change_input.section.log == "kafka":
        return
    places = (
        narrow.where((F.col("kind") == ROW) & (F.col("op") != SNAPSHOT))
        .withColumn("core", F.left("position", F.lit(CORE_WIDTH)))
        .where("core IS NOT NULL")
        .groupBy("partition", "table", "core")
        .agg(F.min(F.struct("place", "file", "number")).alias("first"))
    )
    later = Window.partitionBy("partition", "table").orderBy(F.col("core").desc())
    backward = (
        places.withColumn("beyond", F.min("first.place").over(later))
        .where("beyond < first.place")
        .agg(F.min(F.struct("first", "core", "table")).alias("found"))
        .first()
    )
    if backward is not None and backward["found"] is not None:
        at = backward["found"]["first"]
        change_input.stop_at(
            at,
            f"a change of table {backward['found'].table!r} goes back in the log, to "
            f"{backward['found']['core']}, which was not delivered before",
            "Give the changes of one log, in the order in which the connector sent them, and each "
            "partition of a topic as a file of its own.",
        )
