"""Subjects that a translator ignores: all of their rows ended at an `@ignore` rule."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER
from cutline.tables.disposition import NO_OP, VISIBLE
from cutline.tables.exception import SOURCE_ROW
from cutline.tables.outcome import NOT_ELIGIBLE
from cutline.translator.rules import IGNORE
from cutline.translator.translation import Translation
from cutline_reconciliation.levels.excuses.evidence import evidence

FILTERED = "_filtered"
_DESCRIBED = ("rule", "source", "table", "key", "position")
_ROW_LEFT_OUT = f"struct<{','.join(f'{name}:string' for name in _DESCRIBED)}>"


def filter_rules(translation: Translation) -> tuple[str, ...]:
    """The sorted names of the translators' `@ignore` rules."""
    rules = (r for t in translation.translators for r in t.row_rules if r.kind == IGNORE)
    return tuple(sorted({rule.name for rule in rules}))


def exclude_filtered(
    rows: DataFrame,
    dispositions: DataFrame,
    rules: Sequence[str],
    *,
    aggregate: str,
    only_legacy: str,
) -> DataFrame:
    """The rows with FILTERED; of ignored subjects `class` is not eligible, `reason` the rule, and
    `evidence` the ignored row.

    FILTERED has an ignored source row as a struct. It is null unless the class is `only_legacy` and
    all source rows of the subject, up to the end of history, were ignored. Of several rules it is
    the first by name. `aggregate` is the column with the aggregate of `subject`.
    """
    if not rules:
        return rows.withColumn(FILTERED, F.lit(None).cast(_ROW_LEFT_OUT))
    left_out = (F.col("disposition") == NO_OP) & F.col("rule").isin(*rules)
    missing = rows.where(F.col("class") == only_legacy).select(
        F.col(aggregate).alias("aggregate"), "subject"
    )
    of_history = dispositions.where(~F.col("side").eqNullSafe(AFTER))
    # A change that is visible in the snapshot is no further evidence beside the snapshot's row.
    ended_otherwise = ~left_out & (F.col("disposition") != VISIBLE)
    filtered = (
        of_history.join(missing, ["aggregate", "subject"], "left_semi")
        .groupBy(F.col("aggregate").alias("_of"), F.col("subject").alias("_subject"))
        .agg(
            F.min(F.when(left_out, F.struct(*_DESCRIBED))).alias(FILTERED),
            F.max(ended_otherwise).alias("_other"),
        )
        .where(F.col(FILTERED).isNotNull() & ~F.col("_other"))
        .drop("_other")
    )
    same_subject = (F.col(aggregate) == F.col("_of")) & (F.col("subject") == F.col("_subject"))
    joined = rows.join(filtered, same_subject, "left").drop("_of", "_subject")
    row = F.col(FILTERED)
    place = {name: row.getField(name) for name in _DESCRIBED if name != "rule"}
    is_filtered = (F.col("class") == only_legacy) & row.isNotNull()
    excluded = {
        "reason": row.getField("rule"),
        "evidence": evidence(SOURCE_ROW, **place),
        "class": F.lit(NOT_ELIGIBLE),
    }
    return joined.withColumns(
        {
            name: F.when(is_filtered, value).otherwise(F.col(name))
            for name, value in excluded.items()
        }
    )
