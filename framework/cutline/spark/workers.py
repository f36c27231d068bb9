"""The Python workers of any session, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.project.spark import is_local
from cutline.spark.cluster import settle
from cutline.spark.python_workers import check_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def ready_workers(spark: SparkSession) -> None:
    """ConfigurationError if the session's workers cannot work for Cutline.

    Those of a cluster are sent its packages first.
    """
    if is_local(str(spark.sparkContext.master)):
        check_workers(spark)
    else:
        settle(spark)
