"""Spark's Python workers: whether they find Cutline, and what they say when they fail."""

from __future__ import annotations

import re
import sys
import weakref
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.spark.quiet_log import quiet_log

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_checked: weakref.WeakSet[SparkContext] = weakref.WeakSet()


def trust_workers(spark: SparkSession) -> None:
    """Let the workers pass `check_workers` without a task, because Cutline has set them up."""
    _checked.add(spark.sparkContext)


def check_workers(spark: SparkSession) -> None:
    """ConfigurationError if the workers cannot import Cutline, or have another Python.

    Rules and facts that are Python functions run there, some only in the last stage of a run. It is
    one task, performed once per Spark context.
    """
    if spark.sparkContext in _checked:
        return
    if reason := worker_failure(spark):
        raise ConfigurationError(
            f"spark: its Python workers cannot import cutline: {reason}",
            next_step=f"Before the session starts, set PYSPARK_PYTHON to {sys.executable}, or "
            ".config('spark.executorEnv.PYTHONPATH', …) to the folders in which cutline and its "
            "plugins are; on a cluster, install them on every machine.",
        )
    _checked.add(spark.sparkContext)


def worker_failure(spark: SparkSession) -> str | None:
    """Why a worker cannot import Cutline; None if it can."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    def import_error(_: int) -> str | None:
        # This function goes to the worker by value.
        try:
            import cutline.errors  # noqa: F401
        except ImportError as error:
            return f"{type(error).__name__}: {error}"
        return None

    try:
        with quiet_log(spark):
            (failure,) = spark.sparkContext.parallelize([0], 1).map(import_error).collect()
    except (PySparkException, Py4JError) as error:
        return reason_of(error)
    return failure


def reason_of(error: BaseException) -> str:
    """The first line of an error, and the last one of the traceback if a worker raised it.

    >>> reason_of(ValueError("no number\\nbut a text"))
    'no number'
    >>> reason_of(ValueError('''A worker failed.
    ... Traceback (most recent call last):
    ...   File "worker.py", line 3, in main
    ... SerializationError: Caused by Traceback (most recent call last):
    ...   File "serializers.py", line 5, in loads
    ... ModuleNotFoundError: No module named 'cutline'
    ...   at org.apache.spark'''))
    "A worker failed. ModuleNotFoundError: No module named 'cutline'"
    """
    try:
        text = str(error).strip()
    except Exception:
        # PySpark asks the JVM for the text of an error.
        return "it cannot be read: the process of Java is gone"
    first = text.partition("\n")[0]
    raised = re.findall(r"Traceback \(most recent call last\):\s*\n(?:[ \t].*\n)+(?=(\S.*))", text)
    return f"{first} {raised[-1].strip()}" if raised and raised[-1].strip() not in first else first
