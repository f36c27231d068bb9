"""The subjects whose state depends on a possible feed, by declaration and by lineage only."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.stages.wholes import read_wholes
from cutline.tables.breaks import RECORD, STATE
from cutline.tables.exception import SOURCE_ROW
from cutline.workspace import Workspace
from cutline_reconciliation.explain.feeding.possible_feeds import BY
from cutline_reconciliation.explain.feeding.way import BY_ROW, ITSELF, PART
from cutline_reconciliation.explain.rows import ROW, announcing_rows, rows_of_subjects


def reached_subjects(workspace: Workspace, below: DataFrame) -> DataFrame:
    """One row per possible feed and subject whose state it may feed, with the columns of BY.

    The subject is `aggregate` and `subject`, and `way` says how it depends: it is the feed's own,
    its declared whole, or has an event that a row of the feed's subject announced. Several ways or
    rows give several rows. A break at state level feeds its whole alone.
    """
    frames = [_itself(below)]
    of_parts = read_wholes(workspace.lake, workspace.spark, workspace.context.aggregates)
    if of_parts is not None:
        frames.append(_parts(below, of_parts))
    if workspace.translation.translators:
        frames.append(_rows(workspace, below))
    return reduce(DataFrame.unionByName, frames)


def _itself(below: DataFrame) -> DataFrame:
    subject_columns = F.col("by_name").alias("aggregate"), F.col("by_subject").alias("subject")
    return below.where(F.col("by_level") != STATE).select(
        *subject_columns, F.lit(ITSELF).alias("way"), *BY
    )


def _parts(below: DataFrame, of_parts: DataFrame) -> DataFrame:
    parts = of_parts.select(
        F.col("aggregate").alias("by_name"),
        F.col("subject").alias("by_subject"),
        F.col("whole_aggregate").alias("aggregate"),
        F.col("whole").alias("subject"),
        F.lit(PART).alias("way"),
    )
    return below.join(parts, ["by_name", "by_subject"]).select("aggregate", "subject", "way", *BY)


def _rows(workspace: Workspace, below: DataFrame) -> DataFrame:
    """Feeds by the legacy rows that announced a subject's events.

    Of a break at record level these are all rows of its subject; of an excluded row, the row's
    other changes.
    """
    named = rows_of_subjects(workspace).select(
        F.col("aggregate").alias("by_name"), F.col("subject").alias("by_subject"), *ROW
    )
    broken = below.where(F.col("by_level") == RECORD).join(named, ["by_name", "by_subject"])
    aside = below.where(F.col("by_level") == SOURCE_ROW)
    aside_rows = aside.withColumns({name: F.col(f"by_{name}") for name in ROW})
    hearing = announcing_rows(workspace).dropna()
    itself = (F.col("aggregate") == F.col("by_name")) & (F.col("subject") == F.col("by_subject"))
    return (
        broken.unionByName(aside_rows)
        .join(hearing, list(ROW))
        .where(~F.coalesce(itself, F.lit(False)))
        .select("aggregate", "subject", F.lit(BY_ROW).alias("way"), *BY)
    )
