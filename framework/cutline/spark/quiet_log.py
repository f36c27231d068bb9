"""Spark's log turned off for a while, for errors that are raised anyhow."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCK = threading.Lock()
_levels: list[str] = []
"""For each block that is open, in any thread, the level from before the first of them."""


@contextlib.contextmanager
def quiet_log(spark: SparkSession) -> Iterator[None]:
    """Nothing is written to Spark's log meanwhile.

    The level is the JVM's, for all threads: the last of several blocks gives it back.
    """
    with _LOCK:
        _levels.append(_levels[0] if _levels else _level(spark))
        spark.sparkContext.setLogLevel("OFF")
    try:
        yield
    finally:
        with _LOCK:
            level = _levels.pop()
            if not _levels:
                spark.sparkContext.setLogLevel(level)


def _level(spark: SparkSession) -> str:
    jvm = spark._jvm
    assert jvm is not None
    return str(jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().name())
