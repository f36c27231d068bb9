"""The first look at each change: visible in the snapshot, unreadable, or against its contract."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import visible_in_snapshot
from cutline.engine.checks import (
    contract_checks,
    failed_rules,
    no_rules,
    told,
    with_twins,
    without_twins,
)
from cutline.engine.images import subject_of
from cutline.tables.disposition import QUARANTINED, VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part


def classified(changes: DataFrame, part: Part, consistent_point: str | None) -> DataFrame:
    """The changes with `subject`, and `row_disposition`, `row_rule`, `row_reason`, `row_checks`.

    The first three are null where the row may be translated; the last has the rules that its values
    break, and is empty there. `consistent_point` is the position at
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
    changes = with_twins(changes, contract)
    checks = contract_checks(contract, changes, F.col("after"))
    unreadable = F.size("defects") > 0
    # A deletion has no values left to check; what could not be read has its own reasons.
    looked = changes.withColumn(
        "row_checks",
        F.when(visible, no_rules())
        .when(unreadable, F.col("defects"))
        .when(F.col("after").isNotNull(), failed_rules(checks))
        .otherwise(no_rules()),
    )
    broken = F.size("row_checks") > 0
    return without_twins(looked).withColumns(
        {
            "row_disposition": F.when(visible, F.lit(VISIBLE)).when(broken, F.lit(QUARANTINED)),
            "row_rule": F.when(visible, F.lit("committed-before-the-snapshot")).when(
                broken, F.get("row_checks", 0)
            ),
            "row_reason": F.when(visible, F.lit("the snapshot already shows what this change did"))
            .when(
                unreadable,
                F.concat(F.lit("the row could not be read: "), F.concat_ws(", ", "defects")),
            )
            .when(
                broken,
                F.concat(F.lit("the row breaks its contract: "), told(checks, F.col("row_checks"))),
            ),
        }
    )


def _row() -> Column:
    return F.coalesce(F.col("after"), F.col("before"))
