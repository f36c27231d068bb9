"""What the legacy decided: the events that its source rows announce, and the rows that a person
must look at, each with who wrote then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.control.tenures import Tenure
from cutline.tables import DISPOSITIONS, EVENTS, disposition
from cutline.tables.contract import Column as TableColumn
from cutline.tables.contract import Table
from cutline.tables.event import ROW_OF_EVENT

if TYPE_CHECKING:
    from cutline.workspace import Workspace

DECISION = (
    TableColumn(
        "id", "string", "the event's id; of a row without events, a digest of its place", False
    ),
    TableColumn("aggregate", "string", "the aggregate that was decided on; null if unknown"),
    TableColumn("subject", "string", "its subject; null if unknown"),
    TableColumn("type", "string", "the event's type; of a row without events, its rule", False),
    TableColumn("factkey", "string", "the fact, whoever says it; null if it is not known"),
    TableColumn("at", "timestamp", "when it was committed, or happened; null if unknown"),
    TableColumn("authority", "string", "who wrote then: legacy | held | new; null if nobody could"),
    TableColumn("authority_epoch", "bigint", "under which epoch"),
    TableColumn("counts", "boolean", "whether the side had the authority to take it", False),
)
"""What the decisions of both sides have in common."""

LEGACY_DECISIONS = Table(
    name="legacy_decisions",
    one_row_is="one event that a row of the legacy announces since the slice was opened, or one "
    "row of since then that a person must look at",
    columns=(
        *DECISION,
        TableColumn("source", "string", "the legacy system", False),
        TableColumn("table", "string", "its table", False),
        TableColumn("key", "string", "the row's key, a canonical JSON array"),
        TableColumn("is_fed_back", "boolean", "whether the new side decided it", False),
    ),
)


def legacy_decisions(
    workspace: Workspace, held_run: DataFrame | None, every: Sequence[Tenure], new: DataFrame
) -> DataFrame:
    """What the legacy decided since the slice was opened, in the columns of LEGACY_DECISIONS.

    A row of a snapshot has no moment: it is one of the current tenure if the legacy does not write
    now and `held_run`, the events of the run that was made under the hold, have it not; otherwise
    it is of before. What a row says while the legacy does not write, and the new side decided, the
    feed brought there: the same fact is one decision, whoever says it.
    """
    rows = _events(workspace, held_run, every).unionByName(_rows_for_a_person(workspace))
    dated = rows.where(F.col("at").isNull() | (F.col("at") >= F.lit(every[0].begins)))
    tenure = _tenure(F.col("at"), every)
    facts = new.where("counts AND factkey IS NOT NULL").select("factkey").distinct()
    return (
        dated.withColumns(
            {name: tenure[name] for name in ("authority", "authority_epoch", "counts")}
        )
        .join(facts.withColumn("is_of_new", F.lit(True)), "factkey", "left")
        .withColumn("is_fed_back", F.coalesce("is_of_new", F.lit(False)) & ~F.col("counts"))
        .select(*LEGACY_DECISIONS.names)
    )


def _events(workspace: Workspace, held_run: DataFrame | None, every: Sequence[Tenure]) -> DataFrame:
    events = workspace.lake.read(workspace.spark, EVENTS)
    dated = events.where(F.col("migsrctime").isNotNull())
    if held_run is not None and not every[-1].is_legacys:
        undated = events.where(F.col("migsrctime").isNull())
        dated = dated.unionByName(undated.join(held_run.select("id"), "id", "left_anti"))
    return dated.select(
        *("id", "aggregate", "subject", "type"),
        F.col("migfactkey").alias("factkey"),
        F.col("migsrctime").alias("at"),
        *(F.col(name).alias(of_row) for name, of_row in ROW_OF_EVENT.items()),
    )


def _rows_for_a_person(workspace: Workspace) -> DataFrame:
    """The changes that could not be read as events."""
    from cutline.stages.translate import inputs_of

    row = ("source", "table", "key", "position")
    times = reduce(
        DataFrame.unionByName,
        (
            given.frame.where(F.col("source_time").isNotNull()).select(*row, "source_time")
            for given in inputs_of(workspace).values()
        ),
    )
    ends = workspace.lake.read(workspace.spark, DISPOSITIONS)
    exceptional = ends.where(F.col("disposition").isin(*disposition.EXCEPTIONAL))
    # The least readable rows have no key.
    is_of_row = [exceptional[name].eqNullSafe(times[name]) for name in row]
    dated = exceptional.join(times, is_of_row).select(exceptional["*"], "source_time")
    place = F.concat_ws(" ", *(F.coalesce(F.col(name), F.lit("")) for name in row))
    return dated.select(
        # A key may be personal.
        F.sha2(place, 256).alias("id"),
        *("aggregate", "subject"),
        F.col("rule").alias("type"),
        F.lit(None).cast("string").alias("factkey"),
        F.col("source_time").alias("at"),
        *("source", "table", "key"),
    )


def _tenure(at: Column, every: Sequence[Tenure]) -> Column:
    """The tenure of a moment by the legacy's clock: the newest that had begun; of none, the last
    one."""
    column = _values(every[0])
    for tenure in every[1:]:
        # Commits may be dated by whole seconds.
        begins = tenure.begins.replace(microsecond=0) if tenure.is_legacys else tenure.begins
        column = F.when(at >= F.lit(begins), _values(tenure)).otherwise(column)
    return F.when(at.isNull(), _values(every[-1])).otherwise(column)


def _values(tenure: Tenure) -> Column:
    return F.struct(
        F.lit(tenure.side).alias("authority"),
        F.lit(tenure.epoch).cast("bigint").alias("authority_epoch"),
        F.lit(tenure.is_legacys).alias("counts"),
    )
