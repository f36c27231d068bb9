"""Outcome level: the comparison of a business decision on both sides, by subject."""

from __future__ import annotations

import datetime as dt

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
    DIFFER,
    DUPLICATED,
    EXPLAINED,
    LATE,
    NOT_ELIGIBLE,
    ONLY_LEGACY,
    ONLY_NEW,
    WITHIN_TOLERANCE,
)
from cutline_reconciliation.compare import classes, pair_rows
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.parse_texts import (
    UNREADABLE,
    comparable_type,
    parse_texts,
)
from cutline_reconciliation.levels.break_row import break_struct
from cutline_reconciliation.levels.column_rules import outcome_rules
from cutline_reconciliation.levels.excuses.evidence import evidence, evidence_columns, no_evidence
from cutline_reconciliation.levels.excuses.exceptions import (
    OF_SUBJECT,
    own_evidence,
    own_rule,
    with_own_exception,
)
from cutline_reconciliation.levels.excuses.lateness import Lateness, late_evidence, with_touches
from cutline_reconciliation.levels.outcome_counts import (
    DEFECTS,
    LEGACY_MONEY,
    NEW_MONEY,
    OutcomeCounts,
)
from cutline_reconciliation.truth.marks import (
    CATEGORY,
    CHANGED_AT,
    MARK_TYPES,
    NOT_ELIGIBLE_REASON,
    changed_after,
    ineligible_reason,
    marks_of,
    without_blank_reasons,
)

VALUE, ANSWER = "value", "said"
_BY_COMPARISON_CLASS = {
    classes.MATCHED: AGREE,
    classes.WITHIN_TOLERANCE: WITHIN_TOLERANCE,
    classes.CHANGED: DIFFER,
    classes.ONLY_LEFT: ONLY_LEGACY,
    classes.ONLY_RIGHT: ONLY_NEW,
    classes.DUPLICATED: DUPLICATED,
}


def decisions(outcome: Outcome, legacy: DataFrame, new: DataFrame, lateness: Lateness) -> DataFrame:
    """One row per subject in either population, in the columns of `outcomes` without explanations.

    `legacy` has the texts `subject` and `value`, `new` the columns of the domain's `decide`; a null
    `value` means that the subject is not in that side's population. One that the legacy changed
    after the end of history may have left it since: it is late where the new side has it. Either
    side may give `not_eligible`, the reason why a subject is not judged, and `category`; the
    legacy's wins. Late
    and not eligible subjects have `evidence`; it is null for all others. A subject with several
    decisions of the new side is duplicated. Three more columns must be false everywhere: `doubled`
    (several decisions of the legacy), `nameless` and `unreadable`.
    """
    marks = marks_of(legacy.columns, ())
    legacy, new = without_blank_reasons(legacy), without_blank_reasons(new)
    new = new.select(
        F.col("subject").cast("string"),
        VALUE,
        _text_or_null(new, NOT_ELIGIBLE_REASON),
        _text_or_null(new, CATEGORY),
    )
    kind = new.schema[VALUE].dataType
    legacy_kind = comparable_type(kind)
    types: dict[str, T.DataType] = {
        "subject": T.StringType(), VALUE: legacy_kind, ANSWER: T.StringType(),
        CATEGORY: T.StringType(), **{mark: MARK_TYPES[mark] for mark in marks},
    }  # fmt: skip
    answered = legacy.withColumns({ANSWER: F.col(VALUE), CATEGORY: _text_or_null(legacy, CATEGORY)})
    parsed = parse_texts(answered.where(_is_decided(legacy) | _may_be_late(marks)), types)
    until = lateness.after(outcome.aggregate)
    compared = pair_rows(
        # By its text: what is no value of the type is a defect, and not a subject that is left out.
        parsed.where(_is_decided(parsed, ANSWER) | _is_late(marks, until)),
        new.where(_is_decided(new)),
        key=["subject"],
        columns={VALUE: outcome_rules(outcome)},
    )
    # What neither side decides on is no decision, however late.
    compared = compared.where(~_is_undecided(marks) | (F.col("rows_right") > 0))
    compared = with_touches(compared, lateness, outcome.aggregate)
    late = changed_after(marks, until) | F.col("touches").isNotNull()
    left, right = F.col("left").getField(VALUE), F.col("right").getField(VALUE)
    of_legacy = ineligible_reason(marks)
    reason = F.coalesce(of_legacy, F.col("right").getField(NOT_ELIGIBLE_REASON))
    return compared.select(
        F.lit(outcome.name).alias("outcome"),
        F.lit(outcome.aggregate).alias("aggregate"),
        "subject",
        F.when(late, LATE)
        .when(reason.isNotNull(), NOT_ELIGIBLE)
        .otherwise(_outcome_class())
        .alias("class"),
        F.col("left").getField(ANSWER).alias("legacy"),
        values.value_text(right, kind).alias("new"),
        values.numeric_difference(left, legacy_kind, right, kind).alias("amount"),
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
    """A value as an amount; null for a value that is no number or too large."""
    number = value if isinstance(kind, T.NumericType) else F.lit(None)
    return number.try_cast(values.AMOUNT)


def _text_or_null(frame: DataFrame, name: str) -> Column:
    """A column as text; null where the frame has no such column."""
    column = F.col(name) if name in frame.columns else F.lit(None)
    return column.cast("string").alias(name)


def _is_decided(frame: DataFrame, value: str = VALUE) -> Column:
    """Whether a subject is in the side's population, or has a reason not to be eligible."""
    decided = F.col(value).isNotNull()
    return (
        decided | F.col(NOT_ELIGIBLE_REASON).isNotNull()
        if NOT_ELIGIBLE_REASON in frame.columns
        else decided
    )


def _may_be_late(marks: tuple[str, ...]) -> Column:
    """Whether an answer of the legacy tells whose change it is, and when it was."""
    if CHANGED_AT not in marks:
        return F.lit(False)
    return F.col("subject").isNotNull() & F.col(CHANGED_AT).isNotNull()


def _is_late(marks: tuple[str, ...], until: dt.datetime | None) -> Column:
    if CHANGED_AT not in marks:
        return F.lit(False)
    return F.coalesce(F.col(CHANGED_AT) > F.lit(until), F.lit(False))


def _is_undecided(marks: tuple[str, ...]) -> Column:
    """Whether the one row of the legacy is of a subject that is not in its population."""
    row = F.col("left")
    undecided = row.isNotNull() & row.getField(ANSWER).isNull()
    if NOT_ELIGIBLE_REASON in marks:
        return undecided & row.getField(NOT_ELIGIBLE_REASON).isNull()
    return undecided


def explained_decisions(rows: DataFrame, explanations: DataFrame) -> DataFrame:
    """The rows in the columns of `outcomes`, with breaks `explained` by exceptions.

    Only an exception of the very subject, of the outcome's aggregate, explains a break.
    """
    rule = own_rule()
    explained = F.col("class").isin(*BREAKING) & rule.isNotNull()
    at_risk = F.coalesce(*(F.abs(c) for c in ("amount", LEGACY_MONEY, NEW_MONEY)))
    rests_on = F.when(explained, own_evidence()).otherwise(F.col("evidence"))
    names = [c for c in rows.columns if c != "evidence"]
    return (
        with_own_exception(rows, explanations, "aggregate")
        .select(*names, OF_SUBJECT, *evidence_columns(rests_on))
        .withColumn("reason", F.when(explained, rule).otherwise(F.col("reason")))
        .withColumn("class", F.when(explained, EXPLAINED).otherwise(F.col("class")))
        .withColumn("at_risk", F.when(F.col("class").isin(*BREAKING), at_risk))
    )


def outcome_breaks(outcomes: DataFrame) -> DataFrame:
    """One break per decision of a breaking class; `missing` is a decision of the legacy alone."""
    kind = F.col("class")
    break_kind = (
        F.when(kind == ONLY_LEGACY, breaks.MISSING)
        .when(kind == ONLY_NEW, breaks.UNEXPECTED)
        .when(kind == DIFFER, breaks.DIFFERENT)
        .when(kind == DUPLICATED, breaks.DUPLICATED)
    )
    struct = break_struct(
        level=F.lit(breaks.OUTCOME),
        name=F.col("outcome"),
        subject=F.col("subject"),
        aggregate=F.col("aggregate"),
        category=F.col("category"),
        kind=break_kind,
        column=F.when(kind == DIFFER, VALUE),
        legacy=F.col("legacy"),
        new=F.col("new"),
        amount=F.col("amount"),
        at_risk=F.col("at_risk"),
    )
    return outcomes.where(kind.isin(*BREAKING)).select(struct.alias("b")).select("b.*")


def check_decisions(outcome: str, counts: OutcomeCounts) -> None:
    """RunFailed, naming the outcome, for decisions that cannot be compared."""
    for defect, meaning in DEFECTS.items():
        if number := counts.defects[defect]:
            raise RunFailed(
                f"outcome {outcome}: {number:,} {meaning}",
                left_behind="The earlier stages are kept.",
                next_step="Mend the outcome's `decide`, or the SQL of its truth.",
            )


def _outcome_class() -> Column:
    outcome_class = F.lit(None).cast("string")
    for comparison, name in _BY_COMPARISON_CLASS.items():
        outcome_class = F.when(F.col("class") == comparison, name).otherwise(outcome_class)
    return outcome_class
