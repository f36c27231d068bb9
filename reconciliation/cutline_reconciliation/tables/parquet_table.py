"""Parquet: typed already."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pyspark.sql import SparkSession
from pyspark.sql import types as T

from cutline.sources import parquet_files
from cutline.sources.files import for_spark
from cutline_reconciliation.tables.columns import SourceColumn
from cutline_reconciliation.tables.fetched import Fetched, Rows, distinct_names
from cutline_reconciliation.tables.place import Place

_INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"


def fetch(place: Place, _: str) -> Fetched:
    """The files as they lie; nothing is written to a scratch folder.

    A folder whose parts are called `column=value` has that column too, as text. ConfigurationError
    if a file is not Parquet, if their schemas differ, or if there is no column.
    """
    distinct_names(place, list(parquet_files.columns(list(place.files), place.side)))
    size = sum(file.stat().st_size for file in place.files)
    return Fetched(place, size, lambda spark: _rows(spark, place))


def _rows(spark: SparkSession, place: Place) -> Rows:
    partitioned = place.folder is not None and any(
        "=" in part for f in place.files for part in f.relative_to(place.folder).parts[:-1]
    )
    if not partitioned:
        frame = parquet_files.rows(spark, list(place.files))
        return Rows(frame, {f.name: _firm(f) for f in frame.schema.fields}, texts=False)
    assert place.folder is not None
    with _partitions_as_texts(spark):
        frame = spark.read.parquet(for_spark(place.folder))
    return Rows(frame, {f.name: _firm(f) for f in frame.schema.fields}, texts=False)


def _firm(field: T.StructField) -> SourceColumn:
    return SourceColumn(field.name, field.dataType.simpleString(), field.dataType, firm=True)


@contextlib.contextmanager
def _partitions_as_texts(spark: SparkSession) -> Iterator[None]:
    """Spark would read `part=007` as the number 7."""
    before = spark.conf.get(_INFERENCE)
    spark.conf.set(_INFERENCE, "false")
    try:
        yield
    finally:
        spark.conf.set(_INFERENCE, before or "true")
