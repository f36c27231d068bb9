"""The lake of a run of which only the subjects are known."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession


class SubjectLake:
    """Tables of states with one aggregate's subjects; those of other aggregates are not there."""

    def __init__(self, subjects: list[str]) -> None:
        self._subjects = subjects

    def exists(self, spark: SparkSession, name: str) -> bool:
        return "customer_order" in name

    def read(self, spark: SparkSession, table: Any) -> DataFrame:
        return spark.createDataFrame([(s,) for s in self._subjects], "subject string")
