"""Parquet, which has types."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from cutline.sources import parquet_column_names, read_parquet_rows
from cutline_reconciliation.compare.tables.column_readings import SourceColumn, typed_column
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable, TableRows, check_names
from cutline_reconciliation.compare.tables.place import TablePlace


def fetch(place: TablePlace, _: str) -> FetchedTable:
    """The files as they are; nothing is written to a scratch folder.

    A folder `column=value` below the named folder or in a glob's match is a text column, too.
    ConfigurationError for a file that is no Parquet, for types that Spark does not read, for unlike
    schemas or folders, or without any column.
    """
    files = list(place.files)
    check_names(place, list(parquet_column_names(files, place.side, place.folder)))
    size = sum(file.stat().st_size for file in files)
    return FetchedTable(place, size, lambda spark: _rows(spark, place))


def _rows(spark: SparkSession, place: TablePlace) -> TableRows:
    frame = read_parquet_rows(spark, list(place.files), place.folder)
    nulls = {f.name for f in pq.read_schema(place.files[0]) if pa.types.is_null(f.type)}
    columns = {f.name: _null(f) if f.name in nulls else _firm(f) for f in frame.schema.fields}
    return TableRows(frame, columns, texts=False)


def _null(field: T.StructField) -> SourceColumn:
    """A column of the type of null alone, which Spark reads as int: the other side has the type."""
    return SourceColumn(field.name, "null", None)


def _firm(field: T.StructField) -> SourceColumn:
    return typed_column(field.name, field.dataType.simpleString(), field.dataType)
