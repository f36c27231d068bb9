"""The three comparisons as passes over the run's tables, each with the counts it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cutline.context import state_name
from cutline.stage import TableWritten
from cutline.stages.books import balance
from cutline.tables import BREAKS, OUTCOMES
from cutline.tables.breaks import DUPLICATED, LEVELS, MISSING, RECORD, STATE, UNEXPECTED
from cutline.workspace import Workspace
from cutline_reconciliation.decide_sql import decided
from cutline_reconciliation.entities import (
    SUBJECT,
    check_entities,
    differing,
    entities,
    entity_counts,
)
from cutline_reconciliation.explain.explain import Explained, explain
from cutline_reconciliation.explained import explanations, with_explanations
from cutline_reconciliation.known import Known
from cutline_reconciliation.outcome import (
    check_decisions,
    decisions,
    explained_decisions,
    outcome_breaks,
    outcome_counts,
)
from cutline_reconciliation.record import record_breaks, record_explanation
from cutline_reconciliation.state import state_breaks, state_explanation
from cutline_reconciliation.truth.query import Answer
from cutline_reconciliation.truth.tables import texts

_EXAMPLES = 3


@dataclass(frozen=True)
class Vouched:
    """What was found of one aggregate: the columns its truth vouches for, and the counts."""

    columns: tuple[str, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Compared:
    """All aggregates with truth. `differing` holds the subjects that are not the same on both
    sides, in the columns of `entities`; None where there is no truth at all."""

    aggregates: Mapping[str, Vouched]
    differing: DataFrame | None


@dataclass(frozen=True)
class Wrote:
    """A table that was written, and the counts from the same pass."""

    table: TableWritten
    counts: Mapping[str, int]


@dataclass(frozen=True)
class WroteBreaks(Wrote):
    """`breaks`, and what explains them."""

    explained: Explained


def compare_entities(
    workspace: Workspace, truths: Mapping[str, DataFrame], states: Mapping[str, DataFrame]
) -> Compared:
    """Compare truth and state of every aggregate that has a truth, in one job.

    The few subjects that differ are set aside: what explains them is looked up for them alone.
    """
    if not truths:
        return Compared({}, None)
    frames, observed, columns = [], {}, {}
    for name, truth in truths.items():
        rows = entities(name, truth, states[name])
        observed[name] = Observation()
        counts = [column.alias(alias) for alias, column in entity_counts().items()]
        frames.append(differing(rows.observe(observed[name], *counts)))
        columns[name] = tuple(c for c in truth.columns if c != SUBJECT)
    rows = reduce(DataFrame.unionByName, frames)
    place = workspace.lake.scratch("differing")
    rows.write.mode("overwrite").parquet(place)
    found = workspace.spark.read.schema(rows.schema).parquet(place)
    vouched = {n: Vouched(columns[n], dict(o.get)) for n, o in observed.items()}
    for name, one in vouched.items():
        check_entities(
            name, one.counts, _doubled(found, name) if one.counts["doubled_truth"] else ()
        )
    return Compared(vouched, found)


def write_outcomes(
    workspace: Workspace,
    said: Mapping[str, Answer],
    states: Mapping[str, DataFrame],
    exceptions: DataFrame,
) -> Wrote:
    """Write `outcomes`: the decisions of every outcome that the legacy answers.

    The counts are `<outcome>/<class>`.
    """
    lake, spark = workspace.lake, workspace.spark
    views = {state_name(name): state for name, state in states.items()}
    asked = [o for o in workspace.context.outcomes if o.name in said]
    frames = [decisions(o, texts(workspace, said[o.name]), decided(o, views)) for o in asked]
    if not frames:
        written = lake.write(spark.createDataFrame([], OUTCOMES.ddl), OUTCOMES)
        return Wrote(written.table, {})
    rows = explained_decisions(reduce(DataFrame.unionByName, frames), explanations(exceptions))
    counts: dict[str, Column] = {}
    for outcome in asked:
        counts |= outcome_counts(outcome.name)
    written = lake.write(rows, OUTCOMES, counts)
    for outcome in asked:
        check_decisions(outcome.name, written.counts)
    return Wrote(written.table, written.counts)


def write_breaks(
    workspace: Workspace,
    compared: Compared,
    exceptions: DataFrame,
    rules: Sequence[str],
    known: Known,
) -> WroteBreaks:
    """Write `breaks` of all levels, from what differs and from `outcomes`, and their `clusters`.

    Each break gets the row behind it and its cluster first, so that the rest may go by these.
    `known` gives each break its `id`, `state` and `waiver`.

    The counts are rows by `<level>`, `record/<aggregate>/<kind>`, `state/<aggregate>` and
    `state/<aggregate>/<column>`; and subjects that were explained instead by
    `explained-record/<aggregate>/<rule>` and `explained-state/<aggregate>`. Beside them stand those
    of `known`.
    """
    rows = outcome_breaks(workspace.lake.read(workspace.spark, OUTCOMES))
    explained: Observation | None = None
    if compared.differing is not None:
        explained = Observation()
        looked_up = with_explanations(compared.differing, explanations(exceptions)).select(
            "name",
            record_explanation().alias("record_rule"),
            state_explanation().alias("state_rule"),
            F.concat(record_breaks(), state_breaks()).alias("breaks"),
        )
        whole = _explained_counts(compared, rules)
        observed = looked_up.observe(explained, *(c.alias(n) for n, c in whole.items()))
        rows = observed.select(F.explode("breaks").alias("b")).select("b.*").unionByName(rows)
    told = explain(workspace, rows, compared.differing)
    counts = {**_break_counts(compared), **known.counts}
    written = workspace.lake.write(known.tell(told.breaks), BREAKS, counts)
    balance("breaks", sum(told.counts.values()), written.table.rows)
    found = {**written.counts, **(explained.get if explained else {})}
    return WroteBreaks(written.table, found, told)


def _explained_counts(compared: Compared, rules: Sequence[str]) -> dict[str, Column]:
    counts = {}
    for name in compared.aggregates:
        mine = F.col("name") == name
        counts[f"explained-state/{name}"] = F.count_if(mine & F.col("state_rule").isNotNull())
        for rule in rules:
            by_rule = F.count_if(mine & (F.col("record_rule") == rule))
            counts[f"explained-record/{name}/{rule}"] = by_rule
    return counts


def _break_counts(compared: Compared) -> dict[str, Column]:
    level, kind = F.col("level"), F.col("kind")
    counts = {name: F.count_if(level == name) for name in LEVELS}
    for name, vouched in compared.aggregates.items():
        records = (level == RECORD) & (F.col("name") == name)
        states = (level == STATE) & (F.col("name") == name)
        for one in (MISSING, UNEXPECTED, DUPLICATED):
            counts[f"{RECORD}/{name}/{one}"] = F.count_if(records & (kind == one))
        counts[f"{STATE}/{name}"] = F.count_if(states)
        for column in vouched.columns:
            differs = states & (F.col("column") == column)
            counts[f"{STATE}/{name}/{column}"] = F.count_if(differs)
    return counts


def _doubled(rows: DataFrame, aggregate: str) -> list[str]:
    doubled = rows.where((F.col("name") == aggregate) & (F.col("rows_left") > 1))
    return [str(row[0]) for row in doubled.select(SUBJECT).limit(_EXAMPLES).collect()]
