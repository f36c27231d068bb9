"""What is known of a subject from the legacy: columns of few values of the rows behind it.

An attribute is a pair of texts: the column, `<source>.<table>.<column>`, and its value; null is a
value, too. A subject has an attribute if any of its rows has it.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.wholes import wholes
from cutline.tables import DISPOSITIONS, REFUSED, TIMELINE
from cutline.workspace import Workspace
from cutline_reconciliation.explain.images import TOLD, images

ATTRIBUTES = "attributes"
ATTRIBUTE = "struct<name:string,value:string>"
_ROW = ("source", "table", "key")
_SUBJECT = ("aggregate", "subject")


def with_attributes(subjects: DataFrame, workspace: Workspace) -> DataFrame:
    """The rows of `subjects`, with the attributes of its `aggregate` and `subject` in `attributes`.

    A subject's rows are those that dispositions name it for, those of the parts that are declared
    to be its own, and those that announced an event of it, accepted or refused. Of a row its last
    image counts, with what its translator looks up for it; `images` says which columns.
    """
    none = F.array().cast(f"array<{ATTRIBUTE}>")
    if not workspace.translation.translators:
        return subjects.withColumn(ATTRIBUTES, none)
    wanted = subjects.select(*_SUBJECT).distinct()
    rows = _rows(workspace).join(wanted, list(_SUBJECT), "left_semi").distinct()
    told = (
        rows.join(images(workspace), list(_ROW))
        .groupBy(*_SUBJECT)
        .agg(F.array_distinct(F.flatten(F.collect_set(TOLD))).alias(ATTRIBUTES))
    )
    every = subjects.join(told, list(_SUBJECT), "left")
    return every.withColumn(ATTRIBUTES, F.coalesce(ATTRIBUTES, none))


def _rows(workspace: Workspace) -> DataFrame:
    """The legacy rows behind every subject: `aggregate`, `subject`, `source`, `table`, `key`."""
    lake, spark = workspace.lake, workspace.spark
    own = lake.read(spark, DISPOSITIONS).select(*_SUBJECT, *_ROW)
    of_parts = wholes(lake, spark, workspace.context.aggregates)
    if of_parts is not None:
        named = F.col("whole_aggregate").alias("aggregate"), F.col("whole").alias("subject")
        parts = own.join(of_parts, list(_SUBJECT)).select(*named, *_ROW)
        own = own.unionByName(parts)
    announced = [
        lake.read(spark, table).select(
            *_SUBJECT,
            F.col("migsrcsystem").alias("source"),
            F.col("migsrctable").alias("table"),
            F.col("migsrckey").alias("key"),
        )
        for table in (TIMELINE, REFUSED)
    ]
    return reduce(DataFrame.unionByName, announced, own).dropna()
