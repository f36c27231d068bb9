"""The true cause of what fails in Spark, instead of the Java class that tells of it.

Each module knows one kind of cause by what exceptions say; the order here is that of trust: a full
disk is told as lack of memory too, and a process that is gone as a connection that failed.
"""

from __future__ import annotations

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.spark.causes.cause import Recogniser, SparkCause
from cutline.spark.causes.chain import texts_of
from cutline.spark.causes.disk import disk_cause, is_of_sorting
from cutline.spark.causes.files import file_cause
from cutline.spark.causes.heap import heap_cause
from cutline.spark.causes.processes import (
    executor_cause,
    java_process_cause,
    python_worker_cause,
)
from cutline.spark.causes.setup import SparkSetup
from cutline.spark.causes.start import no_master, start_cause

RECOGNISERS: tuple[Recogniser, ...] = (
    disk_cause,
    file_cause,
    python_worker_cause,
    heap_cause,
    executor_cause,
    start_cause,
    java_process_cause,
)


def cause_of(error: BaseException, setup: SparkSetup) -> SparkCause | None:
    """The cause of an error that came out of Spark, or of Python beside it; None if unknown."""
    text = texts_of(error)
    causes = (recognise(text, setup) for recognise in RECOGNISERS)
    return next((cause for cause in causes if cause is not None), None)


def explained(error: Exception, setup: SparkSetup) -> CutlineError | None:
    """An error with the cause of what failed outside of a stage; None if it is unknown."""
    if isinstance(error, CutlineError) or (cause := cause_of(error, setup)) is None:
        return None
    if cause.is_setting:
        return ConfigurationError(
            cause.sentence, left_behind="Nothing was started.", next_step=cause.next_step
        )
    return RunFailed(
        cause.sentence,
        left_behind="What runs had completed is kept.",
        next_step=f"{cause.next_step} Then run the same command again.",
    )


__all__ = [
    "RECOGNISERS",
    "SparkCause",
    "SparkSetup",
    "cause_of",
    "explained",
    "is_of_sorting",
    "no_master",
    "texts_of",
]
