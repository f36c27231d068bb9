"""Attributes of subjects: columns with few distinct values, from their legacy rows.

An attribute is a pair of texts: the column, `<source>.<table>.<column>`, and its value, which may
be null. A subject has an attribute if any of its rows has it.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.stages.wholes import read_wholes
from cutline.workspace import Workspace
from cutline_reconciliation.explain.images import IMAGE_ATTRIBUTES, last_images
from cutline_reconciliation.explain.rows import (
    ROW,
    SUBJECT,
    announcing_rows,
    rows_of_subjects,
)

ATTRIBUTES = "attributes"
ATTRIBUTE = "struct<name:string,value:string>"


def with_attributes(subjects: DataFrame, workspace: Workspace) -> DataFrame:
    """The rows of `subjects` with the attributes of `aggregate` and `subject` in `attributes`.

    The rows of a subject are those that dispositions give it, those of its declared parts, and
    those that announced an event of it, accepted or refused. Attributes come from a row's last
    image and from its translator's lookups; `images` chooses the columns.
    """
    none = F.array().cast(f"array<{ATTRIBUTE}>")
    if not workspace.translation.translators:
        return subjects.withColumn(ATTRIBUTES, none)
    wanted = subjects.select(*SUBJECT).distinct()
    rows = _rows_behind(workspace).join(wanted, list(SUBJECT), "left_semi").distinct()
    by_subject = (
        rows.join(last_images(workspace), list(ROW))
        .groupBy(*SUBJECT)
        .agg(F.array_distinct(F.flatten(F.collect_set(IMAGE_ATTRIBUTES))).alias(ATTRIBUTES))
    )
    joined = subjects.join(by_subject, list(SUBJECT), "left")
    return joined.withColumn(ATTRIBUTES, F.coalesce(ATTRIBUTES, none))


def _rows_behind(workspace: Workspace) -> DataFrame:
    """The legacy rows behind every subject: `aggregate`, `subject`, `source`, `table`, `key`."""
    rows = rows_of_subjects(workspace)
    of_parts = read_wholes(workspace.lake, workspace.spark, workspace.context.aggregates)
    if of_parts is not None:
        named = F.col("whole_aggregate").alias("aggregate"), F.col("whole").alias("subject")
        parts = rows.join(of_parts, list(SUBJECT)).select(*named, *ROW)
        rows = rows.unionByName(parts)
    return rows.unionByName(announcing_rows(workspace)).dropna()
