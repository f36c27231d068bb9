"""The one Spark session of a test run, started when the first rows are translated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run_session() -> SparkSession:
    """The process's session; if there is none yet, a small local one, set up to start fast."""
    from cutline.project.spark import SparkSection
    from cutline.spark.session import session

    return session(
        SparkSection(master="local[2]", memory="1g", shuffle_partitions=2, quick_start=True)
    )
