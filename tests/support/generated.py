"""Spark with generated code, as in production; the session of the tests does without.

Most tests have few rows and many plans, and writing Java for a plan takes longer than walking it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pyspark.sql import SparkSession

_GENERATED = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


@contextlib.contextmanager
def generated(spark: SparkSession) -> Iterator[SparkSession]:
    """The session as production has it, and afterwards as it was."""
    before = {name: spark.conf.get(name) for name in _GENERATED}
    try:
        for name, value in _GENERATED.items():
            spark.conf.set(name, value)
        yield spark
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))
