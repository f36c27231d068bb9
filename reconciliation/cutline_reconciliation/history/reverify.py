"""The re-verify queue: subjects that changed after the end of history, for a later run."""

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
    """The written queue, and its counts."""

    table: TableWritten
    counts: ReverifyCounts


def write_queue(
    workspace: Workspace, subjects: DataFrame | None, before: RunBefore
) -> QueueWritten:
    """Write `reverify`: subjects that are late now, and those of the previous queue that this run
    compared.

    A run compares every subject that is not late, which settles its entry of the previous queue. A
    subject that changed again has all its changes after the new cut in the queue.
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
