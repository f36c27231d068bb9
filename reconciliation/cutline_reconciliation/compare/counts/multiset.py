"""Rows that a key cannot pair, compared as a multiset: duplicated keys, and rows without a key."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.counts.digest import digest
from cutline_reconciliation.compare.counts.totals import Totals, doubled, key_names, keyed, no_key
from cutline_reconciliation.compare.plan import Plan


def unlike(left: DataFrame, right: DataFrame, plan: Plan, totals: Totals) -> tuple[int, int]:
    """How many duplicated keys, and how many rows without a key, the sides do not have alike.

    Rows are alike by the digest of their values, after every rule but tolerances: as many of each
    on both sides, whatever their order. One job, and none where there is nothing of the kind.
    """
    counts, keys = totals.counts, key_names(plan)
    nameless = counts["null_keys_left"] + counts["null_keys_right"]
    if not counts["duplicate_keys"] and not nameless:
        return 0, 0
    rows = signed_rows(left, plan, "left").unionAll(signed_rows(right, plan, "right"))
    several = totals.suspects.where(doubled()).select(*keys)
    parts = rows.where(~no_key(plan)).join(several, keys, "left_semi")
    if nameless:
        parts = parts.unionAll(rows.where(no_key(plan)))
    left_over = (
        parts.groupBy(*keys, "_one", "_other")
        .agg(F.sum("_sign").alias("_more"))
        .where(F.col("_more") != 0)
    )
    found = left_over.groupBy(*keys).agg(F.sum(F.abs("_more")).alias("_rows"))
    row = found.agg(F.count_if(~no_key(plan)), F.sum(F.when(no_key(plan), F.col("_rows")))).first()
    assert row is not None
    return int(row[0]), int(row[1] or 0)


def signed_rows(frame: DataFrame, plan: Plan, side: str) -> DataFrame:
    values = (p.alike(named(p.name), side).alias(f"_{i}") for i, p in enumerate(plan.columns))
    alike = frame.select(*keyed(side, plan), *values)
    # A rule may need more room than the common form has: `round` gives a decimal one digit more.
    typed = {i: (F.col(f"_{i}"), alike.schema[f"_{i}"].dataType) for i in range(len(plan.columns))}
    one, other = digest(typed)
    sign = F.lit(1 if side == "left" else -1)
    return alike.select(
        *key_names(plan), one.alias("_one"), other.alias("_other"), sign.alias("_sign")
    )
