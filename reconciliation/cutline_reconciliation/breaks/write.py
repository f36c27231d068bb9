"""From the subjects that differ to breaks: what explains them, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.stages.books import balance
from cutline.tables import BREAKS, DISPOSITIONS, OUTCOMES
from cutline.tables.breaks import DUPLICATED, LEVELS, MISSING, RECORD, STATE, UNEXPECTED
from cutline.tables.outcome import NOT_ELIGIBLE
from cutline.workspace import Workspace
from cutline_reconciliation.breaks.annotations import Known
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.counts.observed import counted, seen
from cutline_reconciliation.explain.explain import Explained, explain
from cutline_reconciliation.levels.excuses.exceptions import explanations, with_own, with_whole
from cutline_reconciliation.levels.excuses.filters import (
    FILTERED,
    filter_rules,
    filtered_evidence,
    filtered_rule,
    with_filtered,
)
from cutline_reconciliation.levels.outcome import outcome_breaks
from cutline_reconciliation.levels.passes import Compared
from cutline_reconciliation.levels.record import record_breaks, record_explanation
from cutline_reconciliation.levels.state import state_breaks, state_explanation


@dataclass(frozen=True)
class Judged:
    """`breaks` as it was written, the counts from that pass, and the subjects behind them.

    `subjects` has one row per subject that is not a plain match: `name`, `subject`, `class`,
    `category`, `reason`, `evidence`, and `record_rule` and `state_rule`, which explain it; None
    without truth.
    `explained` is what explains the breaks.
    """

    table: TableWritten
    counts: Mapping[str, int]
    subjects: DataFrame | None
    explained: Explained


def write_breaks(
    workspace: Workspace,
    compared: Compared,
    exceptions: DataFrame,
    rules: Sequence[str],
    known: Known,
) -> Judged:
    """Write `breaks` of all levels, from what differs and from `outcomes`, and their `clusters`.

    Each break gets the row behind it and its cluster first, so that the rest may go by these.
    `known` gives each break its `id`, `state` and `waiver`.

    The counts are rows by `<level>`, `record/<aggregate>/<kind>`, `state/<aggregate>` and
    `state/<aggregate>/<column>`; and subjects that were explained instead by
    `explained-record/<aggregate>/<rule>` and `explained-state/<aggregate>`, or that were
    `filtered/<aggregate>`. Beside them stand those of `known`.
    """
    rows = outcome_breaks(workspace.lake.read(workspace.spark, OUTCOMES))
    observed, by_rule = Observation(), _explained_counts(compared, rules)
    subjects = _judged(workspace, compared, exceptions)
    if subjects is not None:
        found = subjects.withColumn("breaks", F.concat(record_breaks(), state_breaks()))
        found = found.observe(observed, *(c.alias(n) for n, c in by_rule.items()))
        rows = found.select(F.explode("breaks").alias("b")).select("b.*").unionByName(rows)
    told = explain(workspace, rows, compared.differing, exceptions)
    asked = {**_break_counts(compared), **known.counts}
    written = workspace.lake.write(known.tell(told.breaks), BREAKS, asked)
    balance("breaks", sum(told.counts.values()), written.table.rows)
    explained = {} if subjects is None else seen(observed, lambda: counted(subjects, by_rule))
    return Judged(written.table, {**written.counts, **explained}, subjects, told)


def _judged(workspace: Workspace, compared: Compared, exceptions: DataFrame) -> DataFrame | None:
    """The subjects that are not a plain match, with what explains them."""
    rows = compared.differing
    if rows is None:
        return None
    rules = filter_rules(workspace.translation) if compared.subjects_of(classes.ONLY_LEFT) else ()
    dispositions = workspace.lake.read(workspace.spark, DISPOSITIONS) if rules else rows
    of_exceptions = explanations(exceptions)
    named = with_whole(with_own(rows, of_exceptions, "name"), of_exceptions, _wholes(workspace))
    known = with_filtered(named, dispositions, rules)
    filtered = (F.col("class") == classes.ONLY_LEFT) & F.col(FILTERED).isNotNull()
    return (
        known.withColumn("reason", F.when(filtered, filtered_rule()).otherwise(F.col("reason")))
        .withColumn("evidence", F.when(filtered, filtered_evidence()).otherwise(F.col("evidence")))
        .withColumn("class", F.when(filtered, NOT_ELIGIBLE).otherwise(F.col("class")))
        .withColumns({"record_rule": record_explanation(), "state_rule": state_explanation()})
    )


def _wholes(workspace: Workspace) -> dict[str, str]:
    """By aggregate, the one that it is declared to be a part of."""
    parts = {a.name: a.part_of for a in workspace.context.aggregates}
    return {name: part.aggregate for name, part in parts.items() if part is not None}


def _explained_counts(compared: Compared, rules: Sequence[str]) -> dict[str, Column]:
    counts = {}
    for name in compared.aggregates:
        mine = F.col("name") == name
        counts[f"explained-state/{name}"] = F.count_if(mine & F.col("state_rule").isNotNull())
        counts[f"filtered/{name}"] = F.count_if(mine & F.col(FILTERED).isNotNull())
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
