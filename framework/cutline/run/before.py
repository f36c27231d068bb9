"""The run that a run's breaks are compared with."""

from __future__ import annotations

import dataclasses
from itertools import takewhile

from pyspark.sql import SparkSession

from cutline.control import Control, RunKey, Trend
from cutline.lake.lake import Lake, run_folder
from cutline.lake.unchanged import LakeCheck
from cutline.project.loaded import LoadedProject
from cutline.results import ReconcileResult, StageResult
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, REVERIFY, TREND
from cutline.workspace import RunBefore

MEMORY_TABLES = (BREAK_HISTORY, EXCEPTION_HISTORY, TREND, REVERIFY)


def run_before(
    project: LoadedProject, control: Control, key: RunKey, spark: SparkSession, unchanged: LakeCheck
) -> RunBefore:
    """The newest reconciled run of the slice, begun before this one, whose memory is in the lake.

    A run that was reconciled once keeps the run that it was compared with, whatever was finished
    since; only if that one is gone from the lake is another chosen. RunFailed if its memory is
    there and is not what it wrote.
    """
    trends = control.trends(key.context, key.region)
    earlier = control.reconciled_before(key.run_id)

    def lake_of(run_id: str) -> Lake:
        return Lake(run_folder(project.lake, key.context, key.region, run_id))

    def is_there(run_id: str) -> bool:
        lake = lake_of(run_id)
        return run_id in trends and all(lake.exists(spark, table.name) for table in MEMORY_TABLES)

    own_trend = trends.get(key.run_id)
    keeps_its_own = own_trend is not None and (
        own_trend.compared_with is None or is_there(own_trend.compared_with)
    )
    chosen = (
        own_trend.compared_with
        if own_trend and keeps_its_own
        else next(filter(is_there, earlier), None)
    )
    between = takewhile(lambda run_id: run_id != chosen, earlier)
    forgotten_runs = tuple(run_id for run_id in between if not is_there(run_id))
    if chosen is None:
        return RunBefore(forgotten_runs=forgotten_runs)
    _refuse_changed(control, lake_of(chosen), chosen, unchanged)
    return RunBefore(chosen, lake_of(chosen), trends[chosen].place, forgotten_runs)


def _refuse_changed(control: Control, lake: Lake, run_id: str, unchanged: LakeCheck) -> None:
    record = control.run(run_id)
    for stage in record.stages if record else ():
        if stage.result is not None:
            memory = [t for t in stage.result.tables if t.name in {m.name for m in MEMORY_TABLES}]
            unchanged.check_tables(lake, run_id, stage.name, memory)


def trend_of(run_id: str, result: StageResult) -> Trend | None:
    """What reconciliation says became of the run's breaks; null if it says nothing of it."""
    history = result.history if isinstance(result, ReconcileResult) else None
    if history is None:
        return None
    levels = {level: dataclasses.asdict(figures) for level, figures in history.levels.items()}
    return Trend(run_id, history.compared_with, history.place, levels)
