"""Spark without generated code, for plans that are many and rows that are few."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pyspark.sql import SparkSession

_INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextlib.contextmanager
def interpreted(spark: SparkSession) -> Iterator[SparkSession]:
    """The session as that of a sample is set up, and afterwards as it was."""
    before = {name: spark.conf.get(name) for name in _INTERPRETED}
    try:
        for name, value in _INTERPRETED.items():
            spark.conf.set(name, value)
        yield spark
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))
