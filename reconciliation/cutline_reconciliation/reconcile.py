"""The stage's work: ask the legacy, compare at three levels, decide."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import state_name
from cutline.lake.written import TableWritten
from cutline.results import MERGE, TRANSLATE, Memory, ReconcileResult, StageResult
from cutline.spark.together import side_by_side, together
from cutline.tables import DISPOSITIONS, EXCEPTIONS
from cutline.tables.breaks import LEVELS
from cutline.tables.disposition import UNKNOWN_COMMIT
from cutline.tables.outcome import CLASSES
from cutline.workspace import Workspace
from cutline_reconciliation.breaks.annotations import known
from cutline_reconciliation.breaks.write import write_breaks
from cutline_reconciliation.gates.decide import ExceptionCount, Totals, decide
from cutline_reconciliation.gates.policy import gates_of
from cutline_reconciliation.history.remember import remember
from cutline_reconciliation.history.reverify import write_queue
from cutline_reconciliation.levels.break_down import told_apart
from cutline_reconciliation.levels.excuses.exceptions import of_history
from cutline_reconciliation.levels.excuses.lateness import Lateness, lateness
from cutline_reconciliation.levels.excuses.table import write_excuses
from cutline_reconciliation.levels.passes import Compared, compare_entities, write_outcomes
from cutline_reconciliation.levels.summary import summarise
from cutline_reconciliation.results import as_facts
from cutline_reconciliation.truth.marks import CHANGED_AT
from cutline_reconciliation.truth.tables import Answers, answers, write_truth
from cutline_reconciliation.waivers.judged import judged
from cutline_reconciliation.waivers.levels import without_waived


def perform(workspace: Workspace) -> StageResult:
    """Writes `truth_<aggregate>`, `outcomes`, `breaks`, `clusters`, `links`, `excuses` and what is
    remembered of them: `break_history`, `exception_history`, `trend` and `reverify`.

    Counts 'breaks', rows of it by level, and 'outcomes:<name>', subjects by class. The facts are
    those of `results.as_facts`, 'clusters': the first of them, 'memory': those of
    `memory.remember`, 'reverify': the counts of the queue, 'waivers': what each came to, and
    'truth': per table of a file source the rows read and the malformed lines skipped. Rows in are
    those of truth and state that were compared.
    """
    gates = gates_of(workspace)
    lake, spark = workspace.lake, workspace.spark
    states = {a.name: lake.read(spark, state_name(a.name)) for a in workspace.context.aggregates}
    held = lake.read(spark, EXCEPTIONS)
    explaining = of_history(held, lake.read(spark, DISPOSITIONS))
    said = answers(workspace)
    late = lateness(workspace, by_moment=CHANGED_AT in said.marks(states))
    (truths, compared), outcomes = side_by_side(
        spark,
        lambda: _entities(workspace, said, states, late),
        lambda: write_outcomes(workspace, said.outcomes, states, explaining, late, said.baseline),
    )
    exceptions = _exceptions(held)
    before = workspace.before()
    rules = sorted({e.rule for e in exceptions})
    breaks = write_breaks(workspace, compared, explaining, rules, known(workspace, before))
    memory = remember(workspace, held, before)
    queue = write_queue(workspace, compared, before)
    parts = told_apart(workspace, compared, breaks, outcomes, gates)
    summary = summarise(compared, breaks.counts, workspace.context, outcomes.counts, parts)
    excuses = write_excuses(workspace, breaks.subjects, summary)
    waivers = judged(workspace, compared, breaks.counts)
    summary = without_waived(summary, waivers.subjects)
    totals = _totals(workspace)
    decision = decide(summary, gates, exceptions, totals, waivers.verdicts)
    explained = breaks.explained
    judging = (outcomes.table, breaks.table, *explained.tables, excuses, queue.table)
    tables = (*truths, *judging, *memory.tables)
    counts = {"breaks": {level: breaks.counts[level] for level in LEVELS}}
    for name in said.outcomes:
        counts[f"outcomes:{name}"] = {c: outcomes.counts[f"{name}/{c}"] for c in CLASSES}
    sides = [v.counts for v in compared.aggregates.values()]
    return ReconcileResult(
        rows_in=sum(c["rows_left"] + c["rows_right"] for c in sides),
        rows_out=sum(table.rows for table in tables),
        tables=tables,
        counts=counts,
        **as_facts(summary, decision, totals.unexplained),
        clusters=tuple(explained.told),
        memory=Memory.model_validate(memory.facts),
        waivers=tuple(waivers.facts),
        reverify=dict(queue.counts),
        truth={name: dataclasses.asdict(one) for name, one in said.loaded.items()},
    )


def _entities(
    workspace: Workspace, said: Answers, states: Mapping[str, DataFrame], late: Lateness
) -> tuple[list[TableWritten], Compared]:
    """Write the truth of every aggregate that has one, and compare it with its state."""
    write = [
        partial(write_truth, workspace, name, answer, states[name].schema)
        for name, answer in said.aggregates.items()
    ]
    written = together(workspace.spark, write)
    truths = {name: truth for name, (_, truth) in zip(said.aggregates, written, strict=True)}
    return [table for table, _ in written], compare_entities(workspace, truths, states, late)


def _exceptions(held: DataFrame) -> list[ExceptionCount]:
    """How many exceptions there are by rule and level: few rows, for rules are declared in code."""
    counts = held.groupBy("rule", "level").agg(
        F.count("*").alias("count"), F.max("reason").alias("reason")
    )
    return [
        ExceptionCount(
            str(row["rule"]),
            str(row["level"]),
            int(row["count"]),
            cause=row["reason"] if row["rule"] == UNKNOWN_COMMIT else None,
        )
        for row in counts.collect()
    ]


def _totals(workspace: Workspace) -> Totals:
    """What the books of the earlier stages say, added up once more."""
    translated, merged = workspace.done[TRANSLATE], workspace.done[MERGE]
    rows = sum(translated.counts["dispositions"].values())
    events = sum(merged.counts["verdicts"].values())
    unexplained = abs(translated.rows_in - rows) + abs(merged.rows_in - events)
    return Totals(translated.rows_in, merged.rows_in, unexplained)
