"""The comparison of one aggregate's truth and state, from which record and state level are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Aggregate
from cutline.engine.wholes import whole_of
from cutline.errors import RunFailed
from cutline.tables.evidence import TRUTH
from cutline.tables.outcome import LATE, NOT_ELIGIBLE
from cutline_reconciliation.compare import classes, pair_rows
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.levels.categories import category_text
from cutline_reconciliation.levels.column_rules import compared_columns, forgiven_counts
from cutline_reconciliation.levels.excuses.evidence import evidence, no_evidence
from cutline_reconciliation.levels.excuses.lateness import Lateness, late_evidence, with_touches
from cutline_reconciliation.truth.marks import changed_after, ineligible_reason, marks_of

SUBJECT = "subject"
ALL = (*classes.ALL, LATE, NOT_ELIGIBLE)
"""The classes of subjects: those of a comparison, and `late` and `not_eligible`."""


def entities(
    aggregate: Aggregate, truth: DataFrame, state: DataFrame, lateness: Lateness
) -> DataFrame:
    """One row per subject of either side. A difference that rules forgive is a match.

    Columns of all subjects are `name` (the aggregate), `subject`, `class` (one of ALL), `category`,
    `rows_left` in the truth, `rows_right` in the state, and `differences` of the truth's columns.
    Four more are null for most: `reason` of subjects that are not eligible; `touches`, the number
    of changes after the end of history, and `evidence`, of late ones (evidence also of those that
    are not eligible); and `whole`, the subject that contains this one, where `part_of` is declared.
    """
    marks = marks_of(truth.columns, state.columns)
    vouched = [c for c in truth.columns if c != SUBJECT and c not in marks]
    counted = [c for c in aggregate.categories if c not in vouched]
    compared = pair_rows(
        truth,
        state.select(SUBJECT, *vouched, *counted),
        key=[SUBJECT],
        columns=compared_columns(aggregate, vouched),
    )
    compared = with_touches(compared, lateness, aggregate.name)
    late = changed_after(marks, lateness.after(aggregate.name)) | F.col("touches").isNotNull()
    reason = ineligible_reason(marks)
    kind = (
        F.when(F.col("class") == classes.NULL_KEY, F.col("class"))
        .when(late, LATE)
        .when(reason.isNotNull(), NOT_ELIGIBLE)
        .when(F.col("class") == classes.WITHIN_TOLERANCE, classes.MATCHED)
        .otherwise(F.col("class"))
    )
    return compared.select(
        F.lit(aggregate.name).alias("name"),
        SUBJECT,
        kind.alias("class"),
        category_text(compared.schema, aggregate.categories, vouched).alias("category"),
        F.when(kind == NOT_ELIGIBLE, reason).alias("reason"),
        F.when(kind == LATE, F.coalesce("touches", F.lit(1))).cast("bigint").alias("touches"),
        _whole(aggregate, vouched).alias("whole"),
        F.when(kind == LATE, late_evidence())
        .when(kind == NOT_ELIGIBLE, evidence(TRUTH))
        .otherwise(no_evidence())
        .alias("evidence"),
        "rows_left",
        "rows_right",
        "differences",
    )


def _whole(aggregate: Aggregate, vouched: Collection[str]) -> Column:
    """The subject that contains this one, by the truth's columns; null without `part_of`."""
    part = aggregate.part_of
    if part is None or not set(part.by) <= set(vouched):
        return F.lit(None).cast("string")
    return whole_of(part, F.col("left"))


@dataclass(frozen=True)
class EntityCounts:
    """Counts of the subjects of one aggregate, from the pass that compares them."""

    by_class: Mapping[str, int]
    """Subjects by class of ALL, zeros included."""
    rows_left: int
    """Rows of the truth."""
    rows_right: int
    """Rows of the state."""
    doubled_truth: int
    """Subjects with several rows in the truth; must be 0."""
    forgiven: int
    """Matches with a difference that rules forgave."""
    forgiven_by: Mapping[tuple[str, str], int]
    """Subjects with a difference that a rule forgave, by column and rule, zeros included."""


@dataclass(frozen=True)
class EntityCounting:
    """The Spark aggregates from which `EntityCounts` are read, over rows of `entities`."""

    by_class: KeyedCounts[str]
    others: KeyedCounts[str]
    forgiven_by: KeyedCounts[tuple[str, str]]

    @property
    def columns(self) -> dict[str, Column]:
        """The aggregates by metric."""
        return self.by_class.columns | self.others.columns | self.forgiven_by.columns

    def read(self, metrics: Mapping[str, int]) -> EntityCounts:
        """The counts from the metrics of the pass."""
        return EntityCounts(
            self.by_class.read(metrics),
            **self.others.read(metrics),
            forgiven_by=self.forgiven_by.read(metrics),
        )


def entity_counting(
    aggregate: Aggregate, vouched: Sequence[str], types: T.StructType
) -> EntityCounting:
    """The Spark aggregates that count subjects of an aggregate.

    `vouched` are the truth's columns, `types` those of the state. ConfigurationError, naming
    aggregate and column, for a rule that the column's type cannot have.
    """
    forgiven = (F.col("class") == classes.MATCHED) & (F.size("differences") > 0)
    return EntityCounting(
        KeyedCounts({name: F.count_if(F.col("class") == name) for name in ALL}, "class"),
        KeyedCounts(
            {
                "rows_left": F.coalesce(F.sum("rows_left"), F.lit(0)),
                "rows_right": F.coalesce(F.sum("rows_right"), F.lit(0)),
                "doubled_truth": F.count_if(F.col("rows_left") > 1),
                "forgiven": F.count_if(forgiven),
            },
            "other",
        ),
        KeyedCounts(forgiven_counts(aggregate, vouched, types), "forgiven_by"),
    )


def check_entities(aggregate: str, counts: EntityCounts, examples: Sequence[str]) -> None:
    """RunFailed for a subject with several rows in the truth, or a state row without a subject."""
    if counts.doubled_truth:
        raise RunFailed(
            f"the truth of aggregate {aggregate} has {counts.doubled_truth:,} subjects more "
            f"than once, such as {', '.join(examples)}",
            left_behind="The earlier stages are kept.",
            next_step="Its SQL must return one row per subject: group it, or choose one.",
        )
    if counts.by_class[classes.NULL_KEY]:
        raise RunFailed(f"the state of aggregate {aggregate} has rows without a subject")
