"""Differing subjects made into breaks, or explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.spark.observed import collect_counts, observed_counts
from cutline.stages.books import check_balance
from cutline.tables import BREAKS, DISPOSITIONS, OUTCOMES
from cutline.workspace import Workspace
from cutline_reconciliation.breaks.annotations import BreakAnnotations
from cutline_reconciliation.compare import classes
from cutline_reconciliation.explain.explain import ExplainedBreaks, explain
from cutline_reconciliation.levels.aggregates import ComparedAggregates
from cutline_reconciliation.levels.break_counts import BreakCounts, break_counting
from cutline_reconciliation.levels.excuses.exceptions import (
    first_exceptions,
    with_exception_of_whole,
    with_own_exception,
)
from cutline_reconciliation.levels.excuses.filters import exclude_filtered, filter_rules
from cutline_reconciliation.levels.outcome import outcome_breaks
from cutline_reconciliation.levels.record import record_breaks, record_explanation
from cutline_reconciliation.levels.state import state_breaks, state_explanation
from cutline_reconciliation.waivers.apply import Tally


@dataclass(frozen=True)
class BreaksWritten:
    """The table `breaks`, and the results of the passes that wrote it."""

    table: TableWritten
    """The written table."""
    counts: BreakCounts
    """Counts of its rows."""
    tallies: Sequence[Tally]
    """The tally of each waiver of the slice."""
    subjects: DataFrame | None
    """One row per subject that is not a plain match; None without any truth.

    Its columns are `name`, `subject`, `class`, `category`, `reason`, `evidence`, and the
    explanations `record_rule` and `state_rule`.
    """
    explained: ExplainedBreaks
    """The clusters of the breaks, and their feeds."""


def write_breaks(
    workspace: Workspace,
    compared: ComparedAggregates,
    exceptions: DataFrame,
    exception_rules: Sequence[str],
    annotations: BreakAnnotations,
) -> BreaksWritten:
    """Write `breaks` of all levels, from differing subjects and `outcomes`, and their `clusters`.

    Breaks get their source row and cluster before their annotations, which may use both.
    `exceptions` are those of history, `exception_rules` the rules of all. ConservationError if
    clusters and breaks do not balance.
    """
    rows = outcome_breaks(workspace.lake.read(workspace.spark, OUTCOMES))
    counting, observed = break_counting(compared.columns, exception_rules), Observation()
    subjects = subjects_with_reasons(workspace, compared, exceptions)
    if subjects is not None:
        with_breaks = subjects.withColumn("breaks", F.concat(record_breaks(), state_breaks()))
        metrics = [column.alias(name) for name, column in counting.over_subjects.items()]
        observing = with_breaks.observe(observed, *metrics)
        of_subjects = observing.select(F.explode("breaks").alias("b")).select("b.*")
        rows = of_subjects.unionByName(rows)
    explained = explain(workspace, rows, compared.differing, exceptions)
    counts = {**counting.over_breaks, **annotations.counts}
    written = workspace.lake.write(annotations.annotate(explained.breaks), BREAKS, counts)
    check_balance("breaks", sum(explained.counts.values()), written.table.rows)
    of_subjects_metrics = (
        {}
        if subjects is None
        else observed_counts(observed, lambda: collect_counts(subjects, counting.over_subjects))
    )
    return BreaksWritten(
        written.table,
        counting.read(written.counts, of_subjects_metrics),
        annotations.tallies(written.counts),
        subjects,
        explained,
    )


def subjects_with_reasons(
    workspace: Workspace, compared: ComparedAggregates, exceptions: DataFrame
) -> DataFrame | None:
    """The subjects that are not a plain match, with their explanations; None without any truth.

    A subject that a translator ignores by rule is not eligible, with the rule as reason and the
    ignored row as evidence.
    """
    rows = compared.differing
    if rows is None:
        return None
    rules = filter_rules(workspace.translation) if compared.subjects_of(classes.ONLY_LEFT) else ()
    dispositions = workspace.lake.read(workspace.spark, DISPOSITIONS) if rules else rows
    of_exceptions = first_exceptions(exceptions)
    excused = with_exception_of_whole(
        with_own_exception(rows, of_exceptions, "name"), of_exceptions, _wholes(workspace)
    )
    excluding = exclude_filtered(
        excused, dispositions, rules, aggregate="name", only_legacy=classes.ONLY_LEFT
    )
    return excluding.withColumns(
        {"record_rule": record_explanation(), "state_rule": state_explanation()}
    )


def _wholes(workspace: Workspace) -> dict[str, str]:
    """The aggregate of the whole, by aggregate of the part."""
    parts = {a.name: a.part_of for a in workspace.context.aggregates}
    return {name: part.aggregate for name, part in parts.items() if part is not None}
