"""The re-verify queue: what changed after the end of history is compared by a later run."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.results.reconcile import ReverifyCounts
from cutline.spark.no_rows import no_rows
from cutline.tables.outcome import LATE
from cutline.tables.reverify import OWED, REVERIFY, SETTLED
from cutline.workspace import RunBefore, Workspace


@dataclass(frozen=True)
class QueueWritten:
    """The re-verify queue as written, and its counts."""

    table: TableWritten
    counts: ReverifyCounts


def write_queue(
    workspace: Workspace, subjects: DataFrame | None, before: RunBefore
) -> QueueWritten:
    """Write `reverify`: what is late now, and what the run before owed and this one compared.

    A run compares every subject that is not late, so what the run before owed is settled unless it
    was touched again: then all its touches behind the new cut are owed.
    """
    spark = workspace.spark
    earlier = before.read(spark, REVERIFY)
    owed_before = earlier.where(F.col("state") == OWED).select("aggregate", "subject", "since")
    now = _late(subjects)
    if now is None:
        now = no_rows(spark, REVERIFY.ddl).select("aggregate", "subject", "touches")
    rows = now.join(owed_before, ["aggregate", "subject"], "full_outer").select(
        "aggregate",
        "subject",
        F.when(F.col("touches").isNull(), SETTLED).otherwise(OWED).alias("state"),
        F.coalesce("touches", F.lit(0)).alias("touches"),
        F.coalesce("since", F.lit(workspace.run_id)).alias("since"),
    )
    counts = {name: F.count_if(F.col("state") == name) for name in (OWED, SETTLED)}
    touches = F.coalesce(F.sum("touches"), F.lit(0))
    written = workspace.lake.write(rows, REVERIFY, counts | {"touches": touches})
    return QueueWritten(written.table, ReverifyCounts(**written.counts))


def _late(subjects: DataFrame | None) -> DataFrame | None:
    if subjects is None:
        return None
    late = subjects.where(F.col("class") == LATE)
    return late.select(F.col("name").alias("aggregate"), "subject", "touches")
