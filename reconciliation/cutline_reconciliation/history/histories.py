"""The history tables of a run: breaks, exceptions and trend, in the lake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.lake.table_write import TableWrite
from cutline.lake.written import TableWritten
from cutline.results.reconcile import HistoryResult, LevelFigures
from cutline.spark.parallel import run_parallel
from cutline.tables import BREAK_HISTORY, BREAKS, EXCEPTION_HISTORY, TREND
from cutline.tables.breaks import LEVELS
from cutline.tables.trend import FIGURES
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.history.ages import ages_of, open_ages
from cutline_reconciliation.history.identity import with_break_id, with_exception_id
from cutline_reconciliation.history.lifecycle import RunStamp, history, level_figures, with_state


@dataclass(frozen=True)
class HistoryWritten:
    """The written histories and trend, and their part of the stage's result."""

    tables: tuple[TableWritten, ...]
    result: HistoryResult


def with_break_state(workspace: Workspace, before: RunBefore, breaks: DataFrame) -> DataFrame:
    """The breaks with `id`, and `state` against the previous run."""
    named = with_break_id(breaks, workspace.context.name, workspace.region)
    return with_state(named, before.read(workspace.spark, BREAK_HISTORY))


def write_histories(
    workspace: Workspace, exceptions: DataFrame, rules: Sequence[str], before: RunBefore
) -> HistoryWritten:
    """Write `break_history`, `exception_history` and `trend` of a run.

    The counts of each level and the ages are observed in the passes that write the histories.
    `rules` are those of the exceptions, `before` is the previous run.
    """
    lake, spark = workspace.lake, workspace.spark
    stamp = RunStamp(workspace.run_id, workspace.recorded_at)
    breaks = lake.read(spark, BREAKS).drop("state")
    counts = KeyedCounts(
        {
            (level, figure): column
            for level in LEVELS
            for figure, column in level_figures(workspace.run_id, level).items()
        }
    )
    at = workspace.recorded_at
    break_ages = open_ages("level", LEVELS, F.lit(1), at)
    exception_ages = open_ages("rule", rules, F.col("rows"), at)
    named = with_exception_id(exceptions, workspace.context.name, workspace.region)

    def write_break_history() -> TableWrite:
        rows = history(breaks, before.read(spark, BREAK_HISTORY), stamp)
        return lake.write(rows, BREAK_HISTORY, counts.columns | break_ages.columns)

    def write_exception_history() -> TableWrite:
        rows = history(named, before.read(spark, EXCEPTION_HISTORY), stamp)
        return lake.write(rows, EXCEPTION_HISTORY, exception_ages.columns)

    of_breaks, of_exceptions = run_parallel(spark, [write_break_history, write_exception_history])
    counted = counts.read(of_breaks.counts)
    figures = {
        level: LevelFigures(**{figure: counted[level, figure] for figure in FIGURES})
        for level in LEVELS
    }
    place = before.place + 1
    rows = [
        (workspace.run_id, place, workspace.recorded_at, level, *astuple(figures[level]))
        for level in LEVELS
    ]
    trend = before.read(spark, TREND).union(spark.createDataFrame(rows, TREND.ddl))
    return HistoryWritten(
        (of_breaks.table, of_exceptions.table, lake.write(trend, TREND).table),
        HistoryResult(
            compared_with=before.run_id,
            removed_runs=before.forgotten_runs,
            place=place,
            levels=figures,
            breaks=ages_of(break_ages.read(of_breaks.counts)),
            exceptions=ages_of(exception_ages.read(of_exceptions.counts)),
        ),
    )
