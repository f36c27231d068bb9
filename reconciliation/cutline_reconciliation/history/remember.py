"""What a run adds to the memory of its slice: histories and trend, in the lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from cutline.lake.lake import Written
from cutline.lake.written import TableWritten
from cutline.spark.together import together
from cutline.tables import BREAK_HISTORY, BREAKS, EXCEPTION_HISTORY, TREND
from cutline.tables.breaks import LEVELS
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.history.identity import with_break_id, with_exception_id
from cutline_reconciliation.history.lifecycle import Seen, figures, history, with_state


@dataclass(frozen=True)
class Remembered:
    """The tables of the memory, and what the stage's facts say of it."""

    tables: tuple[TableWritten, ...]
    facts: Mapping[str, Any]


def known_again(workspace: Workspace, before: RunBefore, breaks: DataFrame) -> DataFrame:
    """The breaks with `id`, and `state` against the run before."""
    named = with_break_id(breaks, workspace.context.name, workspace.region)
    return with_state(named, before.read(workspace.spark, BREAK_HISTORY))


def remember(workspace: Workspace, exceptions: DataFrame, before: RunBefore) -> Remembered:
    """Write `break_history`, `exception_history` and `trend`, from what the run found.

    Facts: `compared_with`, the run before or null; `gone`, runs after that one whose memory is no
    longer in the lake; `place` of the run in the trend, 1 for the first; `levels`, by level the
    counts of `tables.trend.FIGURES`.
    """
    lake, spark = workspace.lake, workspace.spark
    seen = Seen(workspace.run_id, workspace.recorded_at)
    breaks = lake.read(spark, BREAKS).drop("state")
    counts = {
        f"{level}/{name}": column
        for level in LEVELS
        for name, column in figures(workspace.run_id, level).items()
    }
    named = with_exception_id(exceptions, workspace.context.name, workspace.region)

    def of_breaks() -> Written:
        told = history(breaks, before.read(spark, BREAK_HISTORY), seen)
        return lake.write(told, BREAK_HISTORY, counts)

    def of_exceptions() -> Written:
        told = history(named, before.read(spark, EXCEPTION_HISTORY), seen)
        return lake.write(told, EXCEPTION_HISTORY)

    written, held = together(spark, [of_breaks, of_exceptions])
    found = {
        level: {name: written.counts[f"{level}/{name}"] for name in figures("", level)}
        for level in LEVELS
    }
    place = before.place + 1
    rows = [
        (workspace.run_id, place, workspace.recorded_at, level, *found[level].values())
        for level in LEVELS
    ]
    trend = before.read(spark, TREND).union(spark.createDataFrame(rows, TREND.ddl))
    return Remembered(
        (written.table, held.table, lake.write(trend, TREND).table),
        {
            "compared_with": before.run_id,
            "gone": list(before.gone),
            "place": place,
            "levels": found,
        },
    )
