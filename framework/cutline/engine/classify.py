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
from cutline.engine.end import end
from cutline.engine.images import subject_of
from cutline.tables.disposition import QUARANTINED, VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part


def classified(changes: DataFrame, part: Part, consistent_point: str | None) -> DataFrame:
    """The changes with `subject`, `row_end` and `row_checks`.

    `row_end` is a struct of `disposition`, `rule` and `reason`, null where the row may be
    translated; `row_checks` has the rules that its values break, and is empty there.
    `consistent_point` is the position at which the snapshot of a source with changes was exported.
    """
    row = F.col("after")
    if consistent_point is not None:
        row = F.coalesce(row, F.col("before"))
    # Before the checks, not after them: there Spark computes it in the same step.
    named = changes.withColumn("subject", subject_of(part, row))
    return _looked_at(named, part.contract, consistent_point)


def readable(
    changes: DataFrame, contract: type[SourceContract], consistent_point: str | None
) -> DataFrame:
    """The changes that may be used as reference data."""
    looked = _looked_at(changes, contract, consistent_point)
    return looked.where(F.col("row_end").isNull())


def _looked_at(
    changes: DataFrame, contract: type[SourceContract], consistent_point: str | None
) -> DataFrame:
    """The changes with `row_end` and `row_checks`."""
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
    shown = end(
        VISIBLE,
        F.lit("committed-before-the-snapshot"),
        F.lit("the snapshot already shows what this change did"),
    )
    why = F.when(
        unreadable, F.concat(F.lit("the row could not be read: "), F.concat_ws(", ", "defects"))
    ).otherwise(F.concat(F.lit("the row breaks its contract: "), told(checks, F.col("row_checks"))))
    broken = end(QUARANTINED, F.get("row_checks", 0), why)
    return without_twins(looked).withColumn(
        "row_end", F.when(visible, shown).when(F.size("row_checks") > 0, broken)
    )
