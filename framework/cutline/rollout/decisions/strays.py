"""The decisions of a side that had not the authority, each with that of the side that had it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.rollout.decisions.legacy_side import DECISION
from cutline.rollout.decisions.result import BOTH_DECIDED, NO_AUTHORITY
from cutline.tables.contract import Column as TableColumn
from cutline.tables.contract import Table

STRAYS = Table(
    name="stray_decisions",
    one_row_is="one decision of a side that had not the authority to take it",
    columns=(
        *(column for column in DECISION if column.name not in ("factkey", "counts")),
        TableColumn(
            "rule",
            "string",
            f"{BOTH_DECIDED}: the side that had it decided too | {NO_AUTHORITY}",
            False,
        ),
        TableColumn("side", "string", "who took it: legacy | new", False),
        TableColumn("source", "string", "of the legacy its system; else null"),
        TableColumn("table", "string", "of the legacy its table; else null"),
        TableColumn("key", "string", "of the legacy its row's key; else null"),
        TableColumn("producer", "string", "of the new side who announced it; else null"),
        TableColumn("topic", "string", "of the new side its topic; else null"),
        TableColumn("partition", "int", "of the new side its partition; else null"),
        TableColumn("offset", "bigint", "of the new side its offset; else null"),
        TableColumn("epoch", "bigint", "of the new side the epoch that it carries; else null"),
        TableColumn("other_id", "string", "the newest decision of the other side on the subject"),
        TableColumn("other_at", "timestamp", "when that was taken"),
    ),
)

_ENTITY = ["aggregate", "subject"]


def strays(legacy: DataFrame, new: DataFrame) -> DataFrame:
    """The stray decisions of both sides, in the columns of STRAYS."""
    of_legacy = legacy.where("NOT counts AND NOT is_fed_back")
    of_new = new.where("is_judged AND NOT counts")
    return _with_other(of_legacy, "legacy", new.where("counts")).unionByName(
        _with_other(of_new, "new", legacy.where("counts"))
    )


def _with_other(stray: DataFrame, side: str, others: DataFrame) -> DataFrame:
    """The strays with the newest decision of the other side on the same aggregate and subject."""
    newest = others.groupBy(*_ENTITY).agg(
        F.max_by("id", "at").alias("other_id"), F.max("at").alias("other_at")
    )
    joined = stray.join(newest, _ENTITY, "left").withColumns(
        {
            "side": F.lit(side),
            "rule": F.when(F.col("other_id").isNotNull(), F.lit(BOTH_DECIDED)).otherwise(
                F.lit(NO_AUTHORITY)
            ),
        }
    )
    return joined.select(*(_column(joined, column) for column in STRAYS.columns))


def _column(frame: DataFrame, column: TableColumn) -> Column:
    """A column of the frame; null where it is of the other side alone."""
    value = F.col(column.name) if column.name in frame.columns else F.lit(None)
    return value.cast(column.type).alias(column.name)
