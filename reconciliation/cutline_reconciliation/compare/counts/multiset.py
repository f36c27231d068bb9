"""Rows without a unique key, compared as a multiset: duplicated keys, and null keys."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.counts.digest import digest
from cutline_reconciliation.compare.counts.key_totals import (
    KeyTotals,
    duplicated,
    key_columns,
    key_has_null,
    key_names,
)
from cutline_reconciliation.compare.plan import ComparisonPlan


def count_unlike(
    left: DataFrame, right: DataFrame, plan: ComparisonPlan, totals: KeyTotals
) -> tuple[int, int]:
    """The numbers of duplicated keys, and of rows with a null key, that differ between the sides.

    Both sides must have each row equally often, in any order. Rows are equal if their digests are,
    after all rules but tolerances. One job, and none without such rows.
    """
    counts, keys = totals.counts, key_names(plan)
    nameless = counts["null_keys_left"] + counts["null_keys_right"]
    if not counts["duplicate_keys"] and not nameless:
        return 0, 0
    rows = signed_rows(left, plan, "left").unionAll(signed_rows(right, plan, "right"))
    duplicated_keys = totals.suspects.where(duplicated()).select(*keys)
    parts = rows.where(~key_has_null(plan)).join(duplicated_keys, keys, "left_semi")
    if nameless:
        parts = parts.unionAll(rows.where(key_has_null(plan)))
    uneven = (
        parts.groupBy(*keys, "_one", "_other")
        .agg(F.sum("_sign").alias("_more"))
        .where(F.col("_more") != 0)
    )
    uneven_keys = uneven.groupBy(*keys).agg(F.sum(F.abs("_more")).alias("_rows"))
    row = uneven_keys.agg(
        F.count_if(~key_has_null(plan)), F.sum(F.when(key_has_null(plan), F.col("_rows")))
    ).first()
    assert row is not None
    return int(row[0]), int(row[1] or 0)


def signed_rows(frame: DataFrame, plan: ComparisonPlan, side: str) -> DataFrame:
    values = (
        p.normalized(quoted_column(p.name), side).alias(f"_{i}") for i, p in enumerate(plan.columns)
    )
    alike = frame.select(*key_columns(side, plan), *values)
    # A rule may need more room than the common form has: `round` gives a decimal one digit more.
    typed = {i: (F.col(f"_{i}"), alike.schema[f"_{i}"].dataType) for i in range(len(plan.columns))}
    first, second = digest(typed)
    sign = F.lit(1 if side == "left" else -1)
    return alike.select(
        *key_names(plan), first.alias("_one"), second.alias("_other"), sign.alias("_sign")
    )
