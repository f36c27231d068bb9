"""What a session is doing: tasks of the jobs that run, and rows read and written so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class SparkWork:
    """Tasks of the jobs under way, and rows since the count began."""

    tasks_done: int
    tasks: int
    rows_read: int
    rows_written: int


class WorkCount:
    """Counts what a session does from now on, by Spark's own record of it, with few calls.

    Work that begins and ends between two looks is missed: the counts are for people who wait.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._store: Any = spark.sparkContext._jsc.sc().statusStore()
        self._rows: dict[int, tuple[int, int]] = {}
        self._active: set[int] = set()

    def look(self) -> SparkWork:
        """What is under way at this moment."""
        tasks = tasks_done = 0
        active = set()
        stages = self._store.activeStages().iterator()
        while stages.hasNext():
            stage = stages.next()
            active.add(self._count(stage))
            tasks += stage.numTasks()
            tasks_done += stage.numCompleteTasks()
        for ended in self._active - active:
            self._count(self._store.lastStageAttempt(ended))
        self._active = active
        read, written = (sum(rows[i] for rows in self._rows.values()) for i in (0, 1))
        return SparkWork(tasks_done, tasks, read, written)

    def _count(self, stage: Any) -> int:
        stage_id = int(stage.stageId())
        self._rows[stage_id] = int(stage.inputRecords()), int(stage.outputRecords())
        return stage_id
