"""The re-verify queue: what changed after the end of history is compared by a later run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.spark.no_rows import no_rows
from cutline.tables.outcome import LATE
from cutline.tables.reverify import OWED, REVERIFY, SETTLED
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.levels.passes import Compared


@dataclass(frozen=True)
class Queue:
    """The queue as written, and its counts: `owed` and `settled` subjects, and `touches` owed."""

    table: TableWritten
    counts: Mapping[str, int]


def write_queue(workspace: Workspace, compared: Compared, before: RunBefore) -> Queue:
    """Write `reverify`: what is late now, and what the run before owed and this one compared.

    A run compares every subject that is not late, so what the run before owed is settled unless it
    was touched again: then all its touches behind the new cut are owed.
    """
    spark = workspace.spark
    earlier = before.read(spark, REVERIFY)
    was = earlier.where(F.col("state") == OWED).select("aggregate", "subject", "since")
    now = _late(compared)
    if now is None:
        now = no_rows(spark, REVERIFY.ddl).select("aggregate", "subject", "touches")
    rows = now.join(was, ["aggregate", "subject"], "full_outer").select(
        "aggregate",
        "subject",
        F.when(F.col("touches").isNull(), SETTLED).otherwise(OWED).alias("state"),
        F.coalesce("touches", F.lit(0)).alias("touches"),
        F.coalesce("since", F.lit(workspace.run_id)).alias("since"),
    )
    counts = {name: F.count_if(F.col("state") == name) for name in (OWED, SETTLED)}
    touches = F.coalesce(F.sum("touches"), F.lit(0))
    written = workspace.lake.write(rows, REVERIFY, counts | {"touches": touches})
    return Queue(written.table, dict(written.counts))


def _late(compared: Compared) -> DataFrame | None:
    if compared.subjects is None:
        return None
    late = compared.subjects.where(F.col("class") == LATE)
    return late.select(F.col("name").alias("aggregate"), "subject", "touches")
