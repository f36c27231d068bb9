"""The table `outcomes`: the decisions of every outcome that the legacy answers, in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame

from cutline.context import state_name
from cutline.lake.written import TableWritten
from cutline.spark.no_rows import no_rows
from cutline.tables import DISPOSITIONS, OUTCOMES
from cutline.tables.outcome import ONLY_LEGACY
from cutline.workspace import Workspace
from cutline_reconciliation.levels.excuses.exceptions import first_exceptions
from cutline_reconciliation.levels.excuses.filters import FILTERED, exclude_filtered, filter_rules
from cutline_reconciliation.levels.excuses.lateness import Lateness
from cutline_reconciliation.levels.noise import Noise, churn, noise_of, with_churn
from cutline_reconciliation.levels.outcome import check_decisions, decisions, explained_decisions
from cutline_reconciliation.levels.outcome_counts import OutcomeCounts, outcome_counting
from cutline_reconciliation.levels.outcome_sql import query_decisions
from cutline_reconciliation.truth.query import Answer
from cutline_reconciliation.truth.tables import answer_texts


@dataclass(frozen=True)
class OutcomesWritten:
    """The table `outcomes`, and the counts of the pass that wrote it."""

    table: TableWritten
    counts: Mapping[str, OutcomeCounts]
    """Counts by outcome that the legacy answers."""


def write_outcomes(
    workspace: Workspace,
    answers: Mapping[str, Answer],
    states: Mapping[str, DataFrame],
    exceptions: DataFrame,
    lateness: Lateness,
    baseline: Mapping[str, Answer],
) -> OutcomesWritten:
    """Write `outcomes` from the legacy's answers by outcome.

    `baseline` has its answers of an earlier moment, of outcomes that have one.
    """
    lake, spark = workspace.lake, workspace.spark
    views = {state_name(name): state for name, state in states.items()}
    answered = [o for o in workspace.context.outcomes if o.name in answers]
    frames, noise = [], dict[str, Noise]()
    for outcome in answered:
        legacy, new = (
            answer_texts(workspace, answers[outcome.name]),
            query_decisions(outcome, views),
        )
        churned = None
        if outcome.name in baseline:
            earlier = answer_texts(workspace, baseline[outcome.name])
            churned = churn(outcome, legacy, earlier, new.schema["value"].dataType)
            noise[outcome.name] = noise_of(outcome.name, churned)
        frames.append(with_churn(decisions(outcome, legacy, new, lateness), churned))
    if not frames:
        written = lake.write(no_rows(spark, OUTCOMES.ddl), OUTCOMES)
        return OutcomesWritten(written.table, {})
    rows = reduce(DataFrame.unionByName, frames)
    rules = filter_rules(workspace.translation)
    if rules:
        dispositions = lake.read(spark, DISPOSITIONS)
        rows = exclude_filtered(
            rows, dispositions, rules, aggregate="aggregate", only_legacy=ONLY_LEGACY
        ).drop(FILTERED)
    rows = explained_decisions(rows, first_exceptions(exceptions))
    counting = {o.name: outcome_counting(o.name, drift=o.name in baseline) for o in answered}
    metrics: dict[str, Column] = {}
    for outcome_counts in counting.values():
        metrics |= outcome_counts.columns
    written = lake.write(rows, OUTCOMES, metrics)
    counts = {name: one.read(written.counts) for name, one in counting.items()}
    for name, of_outcome in counts.items():
        check_decisions(name, of_outcome)
    return OutcomesWritten(
        written.table, {name: replace(c, noise=noise.get(name)) for name, c in counts.items()}
    )
