"""What is known of a subject from the legacy: columns of few values of the rows behind it.

An attribute is a pair of texts: the column, `<source>.<table>.<column>`, and its value; null is a
value, too. A subject has an attribute if any of its rows has it.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.tables import DISPOSITIONS, REFUSED, TIMELINE
from cutline.workspace import Workspace
from cutline_reconciliation.explain.images import TOLD, images

ATTRIBUTES = "attributes"
ATTRIBUTE = "struct<name:string,value:string>"
_ROW = ("source", "table", "key")


def with_attributes(subjects: DataFrame, workspace: Workspace) -> DataFrame:
    """The rows of `subjects`, with the attributes of its column `subject` in `attributes`.

    A subject's rows are those that dispositions name it for, those of its parts (`SO-1/2` is a part
    of `SO-1`), and those that announced an event of it, accepted or refused. Of a row its last
    image counts, with what its translator looks up for it; `images` says which columns.
    """
    none = F.array().cast(f"array<{ATTRIBUTE}>")
    if not workspace.translation.translators:
        return subjects.withColumn(ATTRIBUTES, none)
    wanted = subjects.select("subject").distinct()
    rows = _rows(workspace).join(wanted, "subject", "left_semi").distinct()
    told = (
        rows.join(images(workspace), list(_ROW))
        .groupBy("subject")
        .agg(F.array_distinct(F.flatten(F.collect_set(TOLD))).alias(ATTRIBUTES))
    )
    every = subjects.join(told, "subject", "left")
    return every.withColumn(ATTRIBUTES, F.coalesce(ATTRIBUTES, none))


def _rows(workspace: Workspace) -> DataFrame:
    """The legacy rows behind every subject: `subject`, `source`, `table`, `key`."""
    lake, spark = workspace.lake, workspace.spark
    whole = F.when(F.col("subject").contains("/"), F.substring_index("subject", "/", 1))
    named = F.explode(F.array_compact(F.array("subject", whole))).alias("subject")
    own = lake.read(spark, DISPOSITIONS).select(named, *_ROW)
    announced = [
        lake.read(spark, table).select(
            "subject",
            F.col("migsrcsystem").alias("source"),
            F.col("migsrctable").alias("table"),
            F.col("migsrckey").alias("key"),
        )
        for table in (TIMELINE, REFUSED)
    ]
    return reduce(DataFrame.unionByName, announced, own).dropna()
