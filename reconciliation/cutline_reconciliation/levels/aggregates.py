"""The comparison of truth and state by aggregate, in one job, and its counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.spark.observed import collect_counts, observed_counts
from cutline.spark.written_aside import written_aside
from cutline.workspace import Workspace
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.column_rules import compared_columns
from cutline_reconciliation.levels.entities import (
    SUBJECT,
    EntityCounting,
    EntityCounts,
    check_entities,
    entities,
    entity_counting,
)
from cutline_reconciliation.levels.excuses.lateness import Lateness
from cutline_reconciliation.truth.marks import marks_of

_EXAMPLES = 3


@dataclass(frozen=True)
class AggregateComparison:
    """The comparison of one aggregate."""

    columns: tuple[str, ...]
    """The compared columns; empty where truth has no column of the state."""
    counts: EntityCounts
    """Counts of its subjects."""


@dataclass(frozen=True)
class ComparedAggregates:
    """The comparisons of all aggregates with a truth."""

    aggregates: Mapping[str, AggregateComparison]
    """The comparisons by aggregate."""
    subjects: DataFrame | None
    """The subjects that are not a plain match, as rows of `entities`; None without any truth.

    Matches of aggregates with categories are among them, with a null id.
    """

    @property
    def differing(self) -> DataFrame | None:
        """The subjects that are not a plain match; None without any truth."""
        if self.subjects is None:
            return None
        return self.subjects.where(F.col("class") != classes.MATCHED)

    @property
    def columns(self) -> Mapping[str, Sequence[str]]:
        """The compared columns by aggregate."""
        return {name: aggregate.columns for name, aggregate in self.aggregates.items()}

    def subjects_of(self, kind: str) -> int:
        """The number of subjects of a class, over all aggregates."""
        return sum(aggregate.counts.by_class[kind] for aggregate in self.aggregates.values())


def compare_aggregates(
    workspace: Workspace,
    truths: Mapping[str, DataFrame],
    states: Mapping[str, DataFrame],
    lateness: Lateness,
) -> ComparedAggregates:
    """Compare truth and state of every aggregate that has a truth, in one job.

    The subjects that differ are few, and are written to a scratch table: their explanations are
    joined to these alone.
    """
    if not truths:
        return ComparedAggregates({}, None)
    declared = {a.name: a for a in workspace.context.aggregates}
    passes = {
        name: _Pass.over(declared[name], truth, states[name], lateness)
        for name, truth in truths.items()
    }
    rows = reduce(DataFrame.unionByName, [one.rows for one in passes.values()])
    subjects = written_aside(rows, workspace.lake.scratch("differing"))
    aggregates = {
        name: AggregateComparison(one.columns, one.counts()) for name, one in passes.items()
    }
    for name, aggregate in aggregates.items():
        doubled = _doubled(subjects, name) if aggregate.counts.doubled_truth else ()
        check_entities(name, aggregate.counts, doubled)
    return ComparedAggregates(aggregates, subjects)


@dataclass(frozen=True)
class _Pass:
    """The comparison of one aggregate, before its job has run."""

    columns: tuple[str, ...]
    counting: EntityCounting
    compared: DataFrame
    observed: Observation
    rows: DataFrame
    """The subjects to write, with the observation of the counts."""

    @classmethod
    def over(
        cls, aggregate: Aggregate, truth: DataFrame, state: DataFrame, lateness: Lateness
    ) -> _Pass:
        marks = marks_of(truth.columns, state.columns)
        vouched = tuple(c for c in truth.columns if c != SUBJECT and c not in marks)
        counting = entity_counting(aggregate, vouched, state.schema)
        compared, observed = entities(aggregate, truth, state, lateness), Observation()
        metrics = [column.alias(name) for name, column in counting.columns.items()]
        rows = _without_matches(compared.observe(observed, *metrics), aggregate)
        columns = tuple(compared_columns(aggregate, vouched))
        return cls(columns, counting, compared, observed, rows)

    def counts(self) -> EntityCounts:
        """The counts of the pass; they are observed while `rows` are written."""
        otherwise = partial(collect_counts, self.compared, self.counting.columns)
        return self.counting.read(observed_counts(self.observed, otherwise))


def _without_matches(rows: DataFrame, aggregate: Aggregate) -> DataFrame:
    """The subjects that are not a plain match.

    Of aggregates with categories all subjects, matches with a null id.
    """
    matched = F.col("class") == classes.MATCHED
    if not aggregate.categories:
        return rows.where(~matched)
    return rows.withColumn(SUBJECT, F.when(~matched, F.col(SUBJECT)))


def _doubled(rows: DataFrame, aggregate: str) -> list[str]:
    """Examples of subjects with several rows in the truth."""
    doubled = rows.where((F.col("name") == aggregate) & (F.col("rows_left") > 1))
    return [str(row[0]) for row in doubled.select(SUBJECT).limit(_EXAMPLES).collect()]
