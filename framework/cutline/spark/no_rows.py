"""A frame without rows, of which Spark knows that it has none."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T


def no_rows(spark: SparkSession, ddl: str) -> DataFrame:
    """No rows, in the columns of `ddl`.

    What is joined with it or read from it is left out of the plan before anything runs; behind
    `createDataFrame([], ddl)` there is an RDD, which Spark has to ask.
    """
    jvm = spark._jvm
    assert jvm is not None
    schema = spark._jsparkSession.parseDataType(T.DataType.fromDDL(ddl).json())
    frame = spark._jsparkSession.createDataFrame(jvm.java.util.ArrayList(), schema)
    return DataFrame(frame, spark)
