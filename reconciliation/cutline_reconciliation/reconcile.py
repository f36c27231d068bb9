"""The work of the stage: query the legacy, compare at three levels, decide the gates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import state_name
from cutline.lake.written import TableWritten
from cutline.results import MERGE, ReconcileResult, TranslateResult
from cutline.results.reconcile import outcome_book
from cutline.spark.parallel import run_parallel, side_by_side
from cutline.tables import DISPOSITIONS, EXCEPTIONS
from cutline.tables.breaks import LEVELS
from cutline.tables.disposition import UNKNOWN_COMMIT
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.tables.outcome import CLASSES
from cutline.workspace import Workspace
from cutline_reconciliation.breaks.annotations import break_annotations
from cutline_reconciliation.breaks.write import write_breaks
from cutline_reconciliation.gates.decide import ConservationTotals, ExceptionCount, decide
from cutline_reconciliation.gates.policy import gates_of
from cutline_reconciliation.history.histories import write_histories
from cutline_reconciliation.history.reverify import write_queue
from cutline_reconciliation.levels.aggregates import ComparedAggregates, compare_aggregates
from cutline_reconciliation.levels.break_down import break_down
from cutline_reconciliation.levels.excuses.exceptions import exceptions_of_history
from cutline_reconciliation.levels.excuses.excuses_table import write_excuses
from cutline_reconciliation.levels.excuses.lateness import Lateness, lateness
from cutline_reconciliation.levels.outcomes_table import write_outcomes
from cutline_reconciliation.levels.results import level_results
from cutline_reconciliation.truth.marks import CHANGED_AT
from cutline_reconciliation.truth.tables import LegacyAnswers, query_legacy, write_truth
from cutline_reconciliation.waivers.discards import discard_outcomes
from cutline_reconciliation.waivers.outcomes import waiver_outcomes
from cutline_reconciliation.waivers.without_waived import without_waived


def run_reconcile(workspace: Workspace) -> ReconcileResult:
    """Write `truth_<aggregate>`, `outcomes`, `breaks`, `clusters`, `links` and `excuses`, and the
    histories `break_history`, `exception_history`, `trend` and `reverify`.

    The result counts breaks by level, and by outcome the subjects of each class. Its rows in are
    the compared rows of truth and state.
    """
    gates = gates_of(workspace)
    lake, spark = workspace.lake, workspace.spark
    states = {a.name: lake.read(spark, state_name(a.name)) for a in workspace.context.aggregates}
    exceptions = lake.read(spark, EXCEPTIONS)
    of_history = exceptions_of_history(exceptions, lake.read(spark, DISPOSITIONS))
    answers = query_legacy(workspace)
    dated = answers.marked(CHANGED_AT, states, workspace.context)
    late = lateness(workspace, by_moment=bool(dated), aggregates=dated)
    (truths, compared), outcomes = side_by_side(
        spark,
        lambda: _compare_with_truth(workspace, answers, states, late),
        lambda: write_outcomes(
            workspace, answers.outcomes, states, of_history, late, answers.baseline
        ),
    )
    exception_counts = _exception_counts(exceptions)
    discards = discard_outcomes(workspace, exceptions)
    rules = sorted({count.rule for count in exception_counts})
    before = workspace.before()
    breaks = write_breaks(
        workspace,
        compared,
        of_history,
        rules,
        break_annotations(workspace, before),
    )
    histories = write_histories(workspace, exceptions, rules, before)
    queue = write_queue(workspace, compared.subjects, before)
    levels = level_results(
        compared,
        breaks.counts,
        workspace.context,
        outcomes.counts,
        break_down(workspace, compared, breaks.subjects, breaks.counts, outcomes.counts, gates),
    )
    excuses = write_excuses(workspace, breaks.subjects, levels)
    waivers = waiver_outcomes(workspace, compared, breaks.tallies, breaks.counts.by_level, levels)
    levels = without_waived(levels, waivers.subjects)
    totals = _totals(workspace)
    decision = decide(
        levels,
        gates,
        _exception_counts(discards.left) if discards.discarded else exception_counts,
        totals,
        (*discards.verdicts, *waivers.verdicts),
    )
    tables = (
        *truths,
        outcomes.table,
        breaks.table,
        *breaks.explained.tables,
        excuses,
        queue.table,
        *histories.tables,
    )
    counts = {"breaks": {level: breaks.counts.by_level[level] for level in LEVELS}}
    for name, of_outcome in outcomes.counts.items():
        counts[outcome_book(name)] = {kind: of_outcome.by_class[kind] for kind in CLASSES}
    entities = [aggregate.counts for aggregate in compared.aggregates.values()]
    return ReconcileResult(
        rows_in=sum(of.rows_left + of.rows_right for of in entities),
        rows_out=sum(table.rows for table in tables),
        tables=tables,
        counts=counts,
        unexplained=totals.unexplained,
        decision=decision.decision,
        decided_by=decision.decided_by,
        gates=decision.gates,
        levels=levels,
        clusters=breaks.explained.top_clusters,
        history=histories.result,
        waivers=(*discards.results, *waivers.results),
        reverify=queue.counts,
        truth=answers.loaded,
    )


def _compare_with_truth(
    workspace: Workspace,
    answers: LegacyAnswers,
    states: Mapping[str, DataFrame],
    late: Lateness,
) -> tuple[list[TableWritten], ComparedAggregates]:
    """Write the truth of every aggregate that has one, and compare it with its state."""
    write = [
        partial(write_truth, workspace, name, answer, states[name].schema)
        for name, answer in answers.aggregates.items()
    ]
    written = run_parallel(workspace.spark, write)
    truths = {name: truth for name, (_, truth) in zip(answers.aggregates, written, strict=True)}
    return [table for table, _ in written], compare_aggregates(workspace, truths, states, late)


def _exception_counts(exceptions: DataFrame) -> list[ExceptionCount]:
    """Exceptions by rule and level: few rows, for rules are declared in code."""
    counts = exceptions.groupBy("rule", "level").agg(
        F.count("*").alias("count"), F.max("reason").alias("reason")
    )
    return [
        ExceptionCount(
            str(row["rule"]),
            SOURCE_ROW if row["level"] == SOURCE_ROW else EVENT,
            int(row["count"]),
            cause=row["reason"] if row["rule"] == UNKNOWN_COMMIT else None,
        )
        for row in counts.collect()
    ]


def _totals(workspace: Workspace) -> ConservationTotals:
    """The totals of the books of the earlier stages.

    A change by which a row left one subject for another has two ends, one for each.
    """
    translated, merged = workspace.result_of(TranslateResult), workspace.done[MERGE]
    rows = sum(translated.counts["dispositions"].values()) - translated.left_subjects
    events = sum(merged.counts["verdicts"].values())
    unexplained = abs(translated.rows_in - rows) + abs(merged.rows_in - events)
    return ConservationTotals(translated.rows_in, merged.rows_in, unexplained)
