"""Outcome level: do both sides take the same business decision, subject by subject?"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Outcome
from cutline.errors import RunFailed
from cutline.tables import breaks
from cutline.tables.outcome import (
    AGREE,
    CLASSES,
    DIFFER,
    EXPLAINED,
    NOT_ELIGIBLE,
    ONLY_LEGACY,
    ONLY_NEW,
    WITHIN_TOLERANCE,
)
from cutline_reconciliation.breaks import a_break
from cutline_reconciliation.compare import ColumnRules, classes, paired, values
from cutline_reconciliation.explained import any_rule, with_explanations
from cutline_reconciliation.truth.typed import UNREADABLE, comparable_type, typed

VALUE, REASON, SAID = "value", "not_eligible", "said"
_FOUND = {
    classes.MATCHED: AGREE,
    classes.WITHIN_TOLERANCE: WITHIN_TOLERANCE,
    classes.CHANGED: DIFFER,
    classes.ONLY_LEFT: ONLY_LEGACY,
    classes.ONLY_RIGHT: ONLY_NEW,
}


def decisions(outcome: Outcome, legacy: DataFrame, new: DataFrame) -> DataFrame:
    """One row per subject in either population, in the columns of `outcomes` but for explanation.

    `legacy` has texts `subject` and `value`; a null value is not in the population. `new` is what
    `decide` returned: `value` null is not in the population, unless `not_eligible` says why.
    Beside those columns stand `doubled`, `nameless` and `unreadable`, which must be nowhere true.
    """
    reasoned = REASON in new.columns
    reason = F.col(REASON).cast("string") if reasoned else F.lit(None).cast("string")
    new = new.select(F.col("subject").cast("string"), VALUE, reason.alias(REASON))
    kind = new.schema[VALUE].dataType
    legacy_kind = comparable_type(kind)
    said = typed(
        legacy.where(F.col(VALUE).isNotNull()).withColumn(SAID, F.col(VALUE)),
        {"subject": T.StringType(), VALUE: legacy_kind, SAID: T.StringType()},
    )
    rules = ColumnRules(tolerance=outcome.tolerance) if outcome.tolerance else None
    found = paired(
        said,
        new.where(F.col(VALUE).isNotNull() | F.col(REASON).isNotNull()),
        key=["subject"],
        columns={VALUE: rules},
    )
    left, right = F.col("left").getField(VALUE), F.col("right").getField(VALUE)
    ineligible = F.col("right").getField(REASON)
    return found.select(
        F.lit(outcome.name).alias("outcome"),
        "subject",
        F.when(ineligible.isNotNull(), NOT_ELIGIBLE).otherwise(_named()).alias("class"),
        F.col("left").getField(SAID).alias("legacy"),
        values.text(right, kind).alias("new"),
        values.amount(left, legacy_kind, right, kind).alias("amount"),
        ineligible.alias("reason"),
        (F.col("class") == classes.DUPLICATED).alias("doubled"),
        (F.col("class") == classes.NULL_KEY).alias("nameless"),
        (F.size(F.col("left").getField(UNREADABLE)) > 0).alias("unreadable"),
    )


def explained_decisions(rows: DataFrame, explanations: DataFrame) -> DataFrame:
    """The rows, those that would break as `explained` where an exception of the subject says so."""
    rule = any_rule()
    explained = F.col("class").isin(*_BREAKING) & rule.isNotNull()
    return (
        with_explanations(rows, explanations)
        .withColumn("reason", F.when(explained, rule).otherwise(F.col("reason")))
        .withColumn("class", F.when(explained, EXPLAINED).otherwise(F.col("class")))
    )


def outcome_counts(outcome: str) -> dict[str, Column]:
    """Aggregates over the decisions of all outcomes: those of one, by `<outcome>/<class>`, and
    what must be zero."""
    mine = F.col("outcome") == outcome
    by_class = {f"{outcome}/{c}": F.count_if(mine & (F.col("class") == c)) for c in CLASSES}
    defects = {f"{outcome}/{c}": F.count_if(mine & F.col(c)) for c in _DEFECTS}
    return by_class | defects


def outcome_breaks(outcomes: DataFrame) -> DataFrame:
    """One break per decision that breaks; `missing` means: only the legacy has it."""
    kind = F.col("class")
    found = (
        F.when(kind == ONLY_LEGACY, breaks.MISSING)
        .when(kind == ONLY_NEW, breaks.UNEXPECTED)
        .when(kind == DIFFER, breaks.DIFFERENT)
    )
    told = a_break(
        level=F.lit(breaks.OUTCOME),
        name=F.col("outcome"),
        subject=F.col("subject"),
        kind=found,
        column=F.when(kind == DIFFER, VALUE),
        legacy=F.col("legacy"),
        new=F.col("new"),
        amount=F.col("amount"),
    )
    return outcomes.where(kind.isin(*_BREAKING)).select(told.alias("b")).select("b.*")


def check_decisions(outcome: str, counts: Mapping[str, int]) -> None:
    """RunFailed, naming the outcome, for decisions that cannot be compared."""
    for defect, what in _DEFECTS.items():
        if found := counts[f"{outcome}/{defect}"]:
            raise RunFailed(
                f"outcome {outcome}: {found:,} {what}",
                left_behind="The earlier stages are kept.",
                next_step="Mend the outcome's `decide`, or the SQL of its truth.",
            )


_BREAKING = (DIFFER, ONLY_LEGACY, ONLY_NEW)
_DEFECTS = {
    "doubled": "subjects are decided more than once on one side",
    "nameless": "decisions are about no subject",
    "unreadable": "legacy values are none of the type that the new side decides in",
}


def _named() -> Column:
    found = F.lit(None).cast("string")
    for comparison, name in _FOUND.items():
        found = F.when(F.col("class") == comparison, name).otherwise(found)
    return found
