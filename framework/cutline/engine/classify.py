"""The first look at each change: visible in the snapshot, unreadable, or against its contract."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import visible_in_snapshot
from cutline.engine.checks import contract_checks
from cutline.engine.images import subject_of
from cutline.tables.disposition import QUARANTINED, VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part


def classified(changes: DataFrame, part: Part, consistent_point: str | None) -> DataFrame:
    """The changes with `subject`, and `row_disposition`, `row_rule`, `row_reason`.

    Those three are null where the row may be translated. `consistent_point` is the position at
    which the snapshot of a source with changes was exported.
    """
    return _looked_at(changes, part.contract, consistent_point).withColumn(
        "subject", subject_of(part, _row())
    )


def readable(
    changes: DataFrame, contract: type[SourceContract], consistent_point: str | None
) -> DataFrame:
    """The changes that may be used as reference data."""
    looked = _looked_at(changes, contract, consistent_point)
    return looked.where(F.col("row_disposition").isNull())


def _looked_at(
    changes: DataFrame, contract: type[SourceContract], consistent_point: str | None
) -> DataFrame:
    visible: Column = F.lit(False)
    if consistent_point is not None:
        visible = visible_in_snapshot(F.col("op"), F.col("position"), consistent_point)
    # A deletion has no values left to check.
    checks = contract_checks(contract, F.col("after"))
    broken = [F.col("after").isNotNull() & check.breaks for check in checks]
    none = F.lit(None).cast("string")
    first = F.coalesce(
        *(F.when(b, F.lit(c.rule)) for c, b in zip(checks, broken, strict=True)), none
    )
    told = F.concat_ws(
        "; ", *(F.when(b, F.lit(c.reason)) for c, b in zip(checks, broken, strict=True))
    )
    unreadable = F.size("defects") > 0
    return changes.withColumns(
        {
            "row_disposition": F.when(visible, F.lit(VISIBLE)).when(
                unreadable | first.isNotNull(), F.lit(QUARANTINED)
            ),
            "row_rule": F.when(visible, F.lit("committed-before-the-snapshot"))
            .when(unreadable, F.element_at("defects", 1))
            .otherwise(first),
            "row_reason": F.when(visible, F.lit("the snapshot already shows what this change did"))
            .when(
                unreadable,
                F.concat(F.lit("the row could not be read: "), F.concat_ws(", ", "defects")),
            )
            .when(first.isNotNull(), F.concat(F.lit("the row breaks its contract: "), told)),
        }
    )


def _row() -> Column:
    return F.coalesce(F.col("after"), F.col("before"))
