"""One aggregate's truth against its state: the comparison that record and state level read."""

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
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare import pair_rows as paired
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.levels.categories import category_text
from cutline_reconciliation.levels.column_rules import compared_columns, forgiven_counts
from cutline_reconciliation.levels.excuses.evidence import evidence, no_evidence
from cutline_reconciliation.levels.excuses.lateness import Lateness, late_evidence, with_touches
from cutline_reconciliation.truth.marks import changed_after, ineligible_reason, marks_of

SUBJECT = "subject"
ALL = (*classes.ALL, LATE, NOT_ELIGIBLE)
"""The classes of subjects: those of a comparison, and those that are set aside."""


def entities(
    aggregate: Aggregate, truth: DataFrame, state: DataFrame, lateness: Lateness
) -> DataFrame:
    """One row per subject of either side: `name` (the aggregate), `subject`, `class`, `category`,
    `reason` (why it is not eligible; else null), `touches` (for how many changes after the end of
    history it is owed a comparison, where it is late; else null), `whole` (the subject that truth
    says it is a part of; null where none is declared), `evidence` (of what is late or not eligible;
    else null), `rows_left` (in the truth), `rows_right` (in the state), and `differences` in the
    columns of the truth. What rules forgive is a match."""
    marks = marks_of(truth.columns, state.columns)
    vouched = [c for c in truth.columns if c != SUBJECT and c not in marks]
    counted = [c for c in aggregate.categories if c not in vouched]
    compared = paired(
        truth,
        state.select(SUBJECT, *vouched, *counted),
        key=[SUBJECT],
        columns=compared_columns(aggregate, vouched),
    )
    compared = with_touches(compared, lateness, aggregate.name)
    late = changed_after(marks, lateness.until) | F.col("touches").isNotNull()
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
    """The subject that this one is a part of, by what truth says of it; null where it does not."""
    part = aggregate.part_of
    if part is None or not set(part.by) <= set(vouched):
        return F.lit(None).cast("string")
    return whole_of(part, F.col("left"))


@dataclass(frozen=True)
class EntityCounts:
    """The subjects of one aggregate, counted in the pass that compares them."""

    by_class: Mapping[str, int]
    """Subjects by class of ALL, 0 included."""
    rows_left: int
    """Rows of the truth."""
    rows_right: int
    """Rows of the state."""
    doubled_truth: int
    """Subjects that the truth names more than once; must be 0."""
    forgiven: int
    """Matches that are matches only because rules forgive a difference."""
    forgiven_by: Mapping[tuple[str, str], int]
    """Subjects in which a rule was needed, by column and rule; 0 where it forgave nothing."""


@dataclass(frozen=True)
class EntityCounting:
    """The aggregates that make `EntityCounts`, over rows of `entities`."""

    by_class: KeyedCounts[str]
    others: KeyedCounts[str]
    forgiven_by: KeyedCounts[tuple[str, str]]

    @property
    def columns(self) -> dict[str, Column]:
        """The aggregates by the names of their metrics."""
        return self.by_class.columns | self.others.columns | self.forgiven_by.columns

    def read(self, metrics: Mapping[str, int]) -> EntityCounts:
        """The counts, of the metrics of the pass."""
        return EntityCounts(
            self.by_class.read(metrics),
            **self.others.read(metrics),
            forgiven_by=self.forgiven_by.read(metrics),
        )


def entity_counting(
    aggregate: Aggregate, vouched: Sequence[str], types: T.StructType
) -> EntityCounting:
    """What is counted of an aggregate of which the truth vouches for some columns.

    `types` are those of its state. ConfigurationError, naming aggregate and column, for a rule that
    a column's type cannot have.
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
    """RunFailed if the truth names a subject twice, or the state has none for a row."""
    if counts.doubled_truth:
        raise RunFailed(
            f"the truth of aggregate {aggregate} has {counts.doubled_truth:,} subjects more "
            f"than once, such as {', '.join(examples)}",
            left_behind="The earlier stages are kept.",
            next_step="Its SQL must return one row per subject: group it, or choose one.",
        )
    if counts.by_class[classes.NULL_KEY]:
        raise RunFailed(f"the state of aggregate {aggregate} has rows without a subject")
