"""Subjects that a translator ignores: all of their rows ended at an `@ignore` rule."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables.disposition import NO_OP, VISIBLE
from cutline.tables.exception import SOURCE_ROW
from cutline.translator.rules import IGNORE
from cutline.translator.translation import Translation
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.excuses.evidence import evidence

FILTERED = "_filtered"
_DESCRIBED = ("rule", "source", "table", "key", "position")
_ROW_LEFT_OUT = f"struct<{','.join(f'{name}:string' for name in _DESCRIBED)}>"


def filter_rules(translation: Translation) -> tuple[str, ...]:
    """The sorted names of the translators' `@ignore` rules."""
    rules = (r for t in translation.translators for r in t.row_rules if r.kind == IGNORE)
    return tuple(sorted({rule.name for rule in rules}))


def filtered_rule() -> Column:
    """The rule that ignored the subject; else null."""
    return F.col(FILTERED).getField("rule")


def filtered_evidence() -> Column:
    """The ignored row as evidence."""
    where = {c: F.col(FILTERED).getField(c) for c in _DESCRIBED if c != "rule"}
    return evidence(SOURCE_ROW, **where)


def with_filtered(rows: DataFrame, dispositions: DataFrame, rules: Sequence[str]) -> DataFrame:
    """The rows of `entities` with an ignored source row in FILTERED, a struct with `rule` first.

    It is null unless only the truth has the subject and all of its source rows were ignored. Of
    several rules it is the first by name.
    """
    if not rules:
        return rows.withColumn(FILTERED, F.lit(None).cast(_ROW_LEFT_OUT))
    left_out = (F.col("disposition") == NO_OP) & F.col("rule").isin(*rules)
    missing = rows.where(F.col("class") == classes.ONLY_LEFT).select(
        F.col("name").alias("aggregate"), "subject"
    )
    # A change that is visible in the snapshot is no further evidence beside the snapshot's row.
    ended_otherwise = ~left_out & (F.col("disposition") != VISIBLE)
    filtered = (
        dispositions.join(missing, ["aggregate", "subject"], "left_semi")
        .groupBy(F.col("aggregate").alias("_of"), F.col("subject").alias("_subject"))
        .agg(
            F.min(F.when(left_out, F.struct(*_DESCRIBED))).alias(FILTERED),
            F.max(ended_otherwise).alias("_other"),
        )
        .where(F.col(FILTERED).isNotNull() & ~F.col("_other"))
        .drop("_other")
    )
    same_subject = (F.col("name") == F.col("_of")) & (F.col("subject") == F.col("_subject"))
    return rows.join(filtered, same_subject, "left").drop("_of", "_subject")
