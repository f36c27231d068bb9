"""Records of text files: their positions, and those that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources import LINE, RECORD_DDL, spark_path
from cutline_reconciliation.compare.tables.fetched_table import BROKEN
from cutline_reconciliation.compare.tables.place import TablePlace

AT = "_cutline_at"
"""A column beside a record: its position, a struct of `place`, `file` and `number`."""


def read_records(spark: SparkSession, scratch: str) -> DataFrame:
    """The records that lie in `scratch`: LINE, and AT."""
    read = spark.read.schema(RECORD_DDL).parquet(spark_path(scratch))
    return read.select(F.col("line").alias(LINE), F.struct("place", "file", "number").alias(AT))


def broken_record(reason: Column) -> Column:
    """BROKEN with a reason; null where the reason is."""
    at = [F.col(AT).getField(name).alias(name) for name in ("place", "file", "number")]
    return F.when(reason.isNotNull(), F.struct(*at, reason.alias("reason"))).alias(BROKEN)


def broken_records_error(
    place: TablePlace, count: int, first: Mapping[str, object]
) -> ConfigurationError:
    """The error for a table with unreadable records, naming the first of them."""
    index = first["file"]
    assert isinstance(index, int)
    more = f", the first of {count:,}," if count > 1 else ""
    return ConfigurationError(
        f"{place.side}: line {first['number']:,} of {place.files[index]}{more} {first['reason']}",
        next_step="Mend the file where it is made"
        + (", or say how it is written: --delimiter, --encoding." if place.text else "."),
    )
