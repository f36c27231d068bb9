"""Progress within a stage: a thread that asks Spark now and then how far its work is."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cutline.control import RunRecord
from cutline.logs import logger
from cutline.results import EXTRACT, ExtractResult, StageResult
from cutline.run.progress import OnEvent, StageProgress
from cutline.spark.work import WorkCount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)

_SECONDS = 2.0
"""Between two looks, each of which is a few calls into the JVM."""
_LOG_EVERY = 30.0
_PATIENCE = 0.2


@contextlib.contextmanager
def progress_of_stage(
    spark: SparkSession, run_id: str, stage: str, expected: float | None, on_event: OnEvent
) -> Iterator[None]:
    """Meanwhile `on_event` gets a StageProgress every two seconds, in a thread of its own.

    `expected` is how long the stage will take, None if that is not known. What `on_event` raises
    stops the jobs that run, and is raised when the stage has ended for it.
    """
    ended = threading.Event()
    raised: list[BaseException] = []

    def watch() -> None:
        try:
            _watch(spark, run_id, stage, expected, on_event, ended)
        except BaseException as error:
            raised.append(error)
            # Again and again: a stage begins one job after the other.
            while not ended.wait(_PATIENCE):
                with contextlib.suppress(Exception):
                    spark.sparkContext.cancelAllJobs()

    thread = threading.Thread(target=watch, name="cutline-progress", daemon=True)
    thread.start()
    try:
        yield
    except Exception as error:
        ended.set()
        thread.join()
        if raised:
            raise raised[0] from error
        raise
    finally:
        ended.set()
        thread.join()
    if raised:
        raise raised[0]


def _watch(
    spark: SparkSession,
    run_id: str,
    stage: str,
    expected: float | None,
    on_event: OnEvent,
    ended: threading.Event,
) -> None:
    began = logged = time.monotonic()
    count: WorkCount | None = None
    while not ended.wait(_SECONDS):
        work = None
        # The JVM may be gone, which is for the stage itself to say.
        with contextlib.suppress(Exception):
            count = count or WorkCount(spark)
            work = count.look()
        if work is None or ended.is_set():
            continue
        now = time.monotonic()
        seconds = now - began
        left = None if expected is None or expected <= seconds else expected - seconds
        event = StageProgress(
            stage,
            seconds,
            work.tasks_done,
            work.tasks,
            work.rows_read,
            work.rows_written,
            left,
        )
        on_event(event)
        if now - logged >= _LOG_EVERY:
            logged = now
            _LOG.info(
                "stage progress",
                extra={
                    "run": run_id,
                    "stage": stage,
                    "tasks_done": work.tasks_done,
                    "tasks": work.tasks,
                    "rows_read": work.rows_read,
                    "rows_written": work.rows_written,
                    "seconds": round(seconds, 3),
                    "seconds_left": None if left is None else round(left, 3),
                },
            )


def expected_seconds(
    runs: Sequence[RunRecord], stage: str, results: Mapping[str, StageResult]
) -> float | None:
    """How long a stage will take, by the newest of other runs of the slice that did it.

    For as many rows as there are now, as far as extracts, theirs and this run's, tell.
    """
    for record in runs:
        done = next((s for s in record.stages if s.name == stage and s.status == "done"), None)
        if done is None or done.result is None or not done.seconds:
            continue
        if isinstance(done.result, ExtractResult) and done.result.taken_from:
            continue
        before, now = record.results().get(EXTRACT), results.get(EXTRACT)
        if stage == EXTRACT or before is None or now is None or not before.rows_out:
            return done.seconds
        return done.seconds * now.rows_out / before.rows_out
    return None
