"""Outcome level: do both sides take the same business decision, subject by subject?"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Outcome
from cutline.errors import RunFailed
from cutline.tables import breaks
from cutline.tables.evidence import DECIDE, TRUTH
from cutline.tables.outcome import (
    AGREE,
    BREAKING,
    CLASSES,
    DIFFER,
    DUPLICATED,
    EXPLAINED,
    JUDGED,
    LATE,
    NOT_ELIGIBLE,
    ONLY_LEGACY,
    ONLY_NEW,
    WITHIN_TOLERANCE,
)
from cutline_reconciliation.compare import classes, paired
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.typed import UNREADABLE, comparable_type, typed
from cutline_reconciliation.levels.break_row import a_break
from cutline_reconciliation.levels.column_rules import outcome_rules
from cutline_reconciliation.levels.excuses.evidence import columns_of, evidence, no_evidence
from cutline_reconciliation.levels.excuses.exceptions import OWN, own_evidence, own_rule, with_own
from cutline_reconciliation.levels.excuses.lateness import Lateness, late_evidence, touched_of
from cutline_reconciliation.truth.marks import (
    CATEGORY,
    KINDS,
    WHY,
    changed_after,
    ineligible,
    marks_of,
)

VALUE, SAID = "value", "said"
LEGACY_MONEY, NEW_MONEY = "legacy_money", "new_money"
_FOUND = {
    classes.MATCHED: AGREE,
    classes.WITHIN_TOLERANCE: WITHIN_TOLERANCE,
    classes.CHANGED: DIFFER,
    classes.ONLY_LEFT: ONLY_LEGACY,
    classes.ONLY_RIGHT: ONLY_NEW,
    classes.DUPLICATED: DUPLICATED,
}


def decisions(outcome: Outcome, legacy: DataFrame, new: DataFrame, lateness: Lateness) -> DataFrame:
    """One row per subject in either population, in the columns of `outcomes` but for what explains
    it; what is late or not eligible rests on its `evidence`, null of all else.

    `legacy` has texts `subject` and `value`; a null value is not in the population. `new` is what
    `decide` returned: `value` null is not in the population. Either side may say in `not_eligible`
    why a subject is not judged, and in `category` what it counts as; where both do, the legacy is
    believed. What the new side decides more than once is duplicated. Beside those columns stand
    `doubled` (by the legacy), `nameless` and `unreadable`, which must be nowhere true.
    """
    marks = marks_of(legacy.columns, ())
    new = new.select(F.col("subject").cast("string"), VALUE, _text(new, WHY), _text(new, CATEGORY))
    kind = new.schema[VALUE].dataType
    legacy_kind = comparable_type(kind)
    types: dict[str, T.DataType] = {
        "subject": T.StringType(), VALUE: legacy_kind, SAID: T.StringType(),
        CATEGORY: T.StringType(), **{mark: KINDS[mark] for mark in marks},
    }  # fmt: skip
    asked = legacy.withColumns({SAID: F.col(VALUE), CATEGORY: _text(legacy, CATEGORY)})
    said = typed(asked.where(_is_decided(legacy)), types)
    found = paired(
        said, new.where(_is_decided(new)), key=["subject"], columns={VALUE: outcome_rules(outcome)}
    )
    found = touched_of(found, lateness, outcome.aggregate)
    late = changed_after(marks, lateness.until) | F.col("touches").isNotNull()
    left, right = F.col("left").getField(VALUE), F.col("right").getField(VALUE)
    of_legacy = ineligible(marks)
    reason = F.coalesce(of_legacy, F.col("right").getField(WHY))
    return found.select(
        F.lit(outcome.name).alias("outcome"),
        F.lit(outcome.aggregate).alias("aggregate"),
        "subject",
        F.when(late, LATE)
        .when(reason.isNotNull(), NOT_ELIGIBLE)
        .otherwise(_named())
        .alias("class"),
        F.col("left").getField(SAID).alias("legacy"),
        values.text(right, kind).alias("new"),
        values.amount(left, legacy_kind, right, kind).alias("amount"),
        F.when(~late, reason).alias("reason"),
        F.coalesce(F.col("left").getField(CATEGORY), F.col("right").getField(CATEGORY)).alias(
            CATEGORY
        ),
        F.when(late, late_evidence())
        .when(of_legacy.isNotNull(), evidence(TRUTH))
        .when(reason.isNotNull(), evidence(DECIDE))
        .otherwise(no_evidence())
        .alias("evidence"),
        _money(left, legacy_kind).alias(LEGACY_MONEY),
        _money(right, kind).alias(NEW_MONEY),
        (F.col("rows_left") > 1).alias("doubled"),
        (F.col("class") == classes.NULL_KEY).alias("nameless"),
        (F.size(F.col("left").getField(UNREADABLE)) > 0).alias("unreadable"),
    )


def _money(value: Column, kind: T.DataType) -> Column:
    """A value as an amount; null where it is no number that fits."""
    number = value if isinstance(kind, T.NumericType) else F.lit(None)
    return number.try_cast(values.AMOUNT)


def _text(frame: DataFrame, name: str) -> Column:
    """A column as text; null where the frame has none of that name."""
    found = F.col(name) if name in frame.columns else F.lit(None)
    return found.cast("string").alias(name)


def _is_decided(frame: DataFrame) -> Column:
    """Whether a subject is in the side's population, or is said not to be eligible."""
    decided = F.col(VALUE).isNotNull()
    return decided | F.col(WHY).isNotNull() if WHY in frame.columns else decided


def explained_decisions(rows: DataFrame, explanations: DataFrame) -> DataFrame:
    """The rows, in the columns of `outcomes`; those that would break are `explained` where an
    exception of the very subject, of the aggregate that is decided on, says so."""
    rule = own_rule()
    explained = F.col("class").isin(*BREAKING) & rule.isNotNull()
    at_risk = F.coalesce(*(F.abs(c) for c in ("amount", LEGACY_MONEY, NEW_MONEY)))
    rests_on = F.when(explained, own_evidence()).otherwise(F.col("evidence"))
    names = [c for c in rows.columns if c != "evidence"]
    return (
        with_own(rows, explanations, "aggregate")
        .select(*names, OWN, *columns_of(rests_on))
        .withColumn("reason", F.when(explained, rule).otherwise(F.col("reason")))
        .withColumn("class", F.when(explained, EXPLAINED).otherwise(F.col("class")))
        .withColumn("at_risk", F.when(F.col("class").isin(*BREAKING), at_risk))
    )


def outcome_counts(outcome: str) -> dict[str, Column]:
    """Aggregates over the decisions of all outcomes: those of one, by `<outcome>/<class>`, those
    with a `<outcome>/category`, what must be zero, and of what was judged the sums of
    `<outcome>/legacy_money`, `new_money` and `at_risk`, in millionths, with how many there are."""
    mine = F.col("outcome") == outcome
    by_class = {f"{outcome}/{c}": F.count_if(mine & (F.col("class") == c)) for c in CLASSES}
    defects = {f"{outcome}/{c}": F.count_if(mine & F.col(c)) for c in _DEFECTS}
    told = {f"{outcome}/{CATEGORY}": F.count_if(mine & F.col(CATEGORY).isNotNull())}
    judged = mine & F.col("class").isin(*JUDGED)
    for money in (LEGACY_MONEY, NEW_MONEY, "at_risk"):
        amount = F.when(judged, F.col(money))
        told |= {
            f"{outcome}/{money}": _micros(F.sum(amount)),
            f"{outcome}/with-{money}": F.count(amount),
        }
    return by_class | defects | told


def outcome_breaks(outcomes: DataFrame) -> DataFrame:
    """One break per decision that breaks; `missing` means: only the legacy has it."""
    kind = F.col("class")
    found = (
        F.when(kind == ONLY_LEGACY, breaks.MISSING)
        .when(kind == ONLY_NEW, breaks.UNEXPECTED)
        .when(kind == DIFFER, breaks.DIFFERENT)
        .when(kind == DUPLICATED, breaks.DUPLICATED)
    )
    told = a_break(
        level=F.lit(breaks.OUTCOME),
        name=F.col("outcome"),
        subject=F.col("subject"),
        aggregate=F.col("aggregate"),
        category=F.col("category"),
        kind=found,
        column=F.when(kind == DIFFER, VALUE),
        legacy=F.col("legacy"),
        new=F.col("new"),
        amount=F.col("amount"),
        at_risk=F.col("at_risk"),
    )
    return outcomes.where(kind.isin(*BREAKING)).select(told.alias("b")).select("b.*")


def check_decisions(outcome: str, counts: Mapping[str, int]) -> None:
    """RunFailed, naming the outcome, for decisions that cannot be compared."""
    for defect, what in _DEFECTS.items():
        if found := counts[f"{outcome}/{defect}"]:
            raise RunFailed(
                f"outcome {outcome}: {found:,} {what}",
                left_behind="The earlier stages are kept.",
                next_step="Mend the outcome's `decide`, or the SQL of its truth.",
            )


_DEFECTS = {
    "doubled": "subjects are decided more than once by the legacy",
    "nameless": "decisions are about no subject",
    "unreadable": "legacy values are none of the type that the new side decides in",
}


def _micros(total: Column) -> Column:
    """An amount as the digits of a whole number of millionths: counts are whole numbers."""
    return F.replace(total.cast(values.AMOUNT).cast("string"), F.lit("."), F.lit(""))


def _named() -> Column:
    found = F.lit(None).cast("string")
    for comparison, name in _FOUND.items():
        found = F.when(F.col("class") == comparison, name).otherwise(found)
    return found
