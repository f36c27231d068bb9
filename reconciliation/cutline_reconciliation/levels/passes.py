"""The three comparisons as passes over the run's tables, each with the counts it gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cutline.context import Aggregate, state_name
from cutline.lake.written import TableWritten
from cutline.spark.no_rows import no_rows
from cutline.tables import OUTCOMES
from cutline.workspace import Workspace
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.counts.observed import counted, seen
from cutline_reconciliation.levels.column_rules import compared_columns, forgiven_counts
from cutline_reconciliation.levels.entities import SUBJECT, check_entities, entities, entity_counts
from cutline_reconciliation.levels.excuses.exceptions import explanations
from cutline_reconciliation.levels.excuses.lateness import Lateness
from cutline_reconciliation.levels.noise import churn, drift_count, noise_of, with_churn
from cutline_reconciliation.levels.outcome import (
    check_decisions,
    decisions,
    explained_decisions,
    outcome_counts,
)
from cutline_reconciliation.levels.outcome_sql import decided, looks_at
from cutline_reconciliation.truth.marks import marks_of
from cutline_reconciliation.truth.query import Answer
from cutline_reconciliation.truth.tables import texts

_EXAMPLES = 3


@dataclass(frozen=True)
class Vouched:
    """What was found of one aggregate: the columns that were compared, and the counts."""

    columns: tuple[str, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Compared:
    """All aggregates with truth. `subjects` holds, in the columns of `entities`, those that are not
    a plain match, and where categories are declared the others as well, without their id; None
    where there is no truth at all."""

    aggregates: Mapping[str, Vouched]
    subjects: DataFrame | None

    @property
    def differing(self) -> DataFrame | None:
        """The subjects that are not a plain match."""
        found = self.subjects
        return None if found is None else found.where(F.col("class") != classes.MATCHED)

    def subjects_of(self, kind: str) -> int:
        """How many subjects of all aggregates are of a class."""
        return sum(one.counts[kind] for one in self.aggregates.values())


@dataclass(frozen=True)
class Wrote:
    """A table that was written, and the counts from the same pass."""

    table: TableWritten
    counts: Mapping[str, int]


def compare_entities(
    workspace: Workspace,
    truths: Mapping[str, DataFrame],
    states: Mapping[str, DataFrame],
    lateness: Lateness,
) -> Compared:
    """Compare truth and state of every aggregate that has a truth, in one job.

    The few subjects that differ are set aside: what explains them is looked up for them alone.
    """
    if not truths:
        return Compared({}, None)
    declared = {a.name: a for a in workspace.context.aggregates}
    frames, told, columns = [], {}, {}
    for name, truth in truths.items():
        marks = marks_of(truth.columns, states[name].columns)
        vouched = tuple(c for c in truth.columns if c != SUBJECT and c not in marks)
        asked = entity_counts() | forgiven_counts(declared[name], vouched, states[name].schema)
        counts = [column.alias(alias) for alias, column in asked.items()]
        rows = entities(declared[name], truth, states[name], lateness)
        observed = Observation()
        frames.append(_worth_keeping(rows.observe(observed, *counts), declared[name]))
        told[name] = partial(seen, observed, partial(counted, rows, asked))
        columns[name] = tuple(compared_columns(declared[name], vouched))
    rows = reduce(DataFrame.unionByName, frames)
    place = workspace.lake.scratch("differing")
    rows.write.mode("overwrite").parquet(place)
    found = workspace.spark.read.schema(rows.schema).parquet(place)
    vouched_for = {n: Vouched(columns[n], counts_of()) for n, counts_of in told.items()}
    for name, one in vouched_for.items():
        check_entities(
            name, one.counts, _doubled(found, name) if one.counts["doubled_truth"] else ()
        )
    return Compared(vouched_for, found)


def _worth_keeping(rows: DataFrame, aggregate: Aggregate) -> DataFrame:
    matched = F.col("class") == classes.MATCHED
    if not aggregate.categories:
        return rows.where(~matched)
    return rows.withColumn(SUBJECT, F.when(~matched, F.col(SUBJECT)))


def write_outcomes(
    workspace: Workspace,
    said: Mapping[str, Answer],
    states: Mapping[str, DataFrame],
    exceptions: DataFrame,
    lateness: Lateness,
    baseline: Mapping[str, Answer],
) -> Wrote:
    """Write `outcomes`: the decisions of every outcome that the legacy answers.

    The counts are `<outcome>/<class>`, and those of `outcome.outcome_counts`; of an outcome that
    the legacy answers at a `baseline` as well `<outcome>/noise`, `<outcome>/noise-compared` and
    `<outcome>/drift`.
    """
    lake, spark = workspace.lake, workspace.spark
    views = {state_name(name): state for name, state in states.items()}
    asked = [o for o in workspace.context.outcomes if o.name in said]
    frames, noise = [], dict[str, int]()
    for outcome in asked:
        legacy, new = texts(workspace, said[outcome.name]), decided(outcome, views)
        if outcome.looks_at:
            # It is asked where something breaks; whether it can be is known before.
            looks_at(outcome, views, tuple(states))
        churned = None
        if outcome.name in baseline:
            other = texts(workspace, baseline[outcome.name])
            churned = churn(outcome, legacy, other, new.schema["value"].dataType)
            told = noise_of(outcome.name, churned)
            noise[f"{outcome.name}/noise"] = told.churned
            noise[f"{outcome.name}/noise-compared"] = told.compared
        frames.append(with_churn(decisions(outcome, legacy, new, lateness), churned))
    if not frames:
        written = lake.write(no_rows(spark, OUTCOMES.ddl), OUTCOMES)
        return Wrote(written.table, {})
    rows = explained_decisions(reduce(DataFrame.unionByName, frames), explanations(exceptions))
    counts: dict[str, Column] = {}
    for outcome in asked:
        counts |= outcome_counts(outcome.name)
        counts |= drift_count(outcome.name) if outcome.name in baseline else {}
    written = lake.write(rows, OUTCOMES, counts)
    for outcome in asked:
        check_decisions(outcome.name, written.counts)
    return Wrote(written.table, {**written.counts, **noise})


def _doubled(rows: DataFrame, aggregate: str) -> list[str]:
    doubled = rows.where((F.col("name") == aggregate) & (F.col("rows_left") > 1))
    return [str(row[0]) for row in doubled.select(SUBJECT).limit(_EXAMPLES).collect()]
