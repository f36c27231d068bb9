"""Parquet files: typed already, so a value is taken where the contract's type loses nothing."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError
from cutline.sources.files import for_spark
from cutline.sources.layouts import Layout


def columns(files: list[Path], key: str) -> tuple[str, ...]:
    """The columns' names, the same in every file, from the files' own schemas.

    Raises ConfigurationError as `layouts` does, and for schemas that differ.
    """
    first, *others = layouts(files, key)
    if others:
        path = others[0].files[0]
        raise ConfigurationError(f"{key}: the schema of {path} is not that of {files[0]}")
    return first.columns


def layouts(files: list[Path], key: str) -> list[Layout]:
    """The files by their schemas, in the order of the first file of each.

    Raises ConfigurationError for a file that is not Parquet, for a name that comes twice and for
    times in nanoseconds, which Spark does not read.
    """
    found: list[tuple[pa.Schema, Layout]] = []
    for path in files:
        schema = _schema(path, key)
        alike = next((layout for other, layout in found if schema.equals(other)), None)
        if alike is not None:
            alike.files.append(path)
            continue
        _refuse_unreadable(schema, path, key)
        found.append((schema, Layout([path], tuple(schema.names))))
    return [layout for _, layout in found]


def _refuse_unreadable(schema: pa.Schema, path: Path, key: str) -> None:
    seen: set[str] = set()
    for field in schema:
        if field.name.lower() in seen:
            raise ConfigurationError(f"{key}: {path} has the column {field.name!r} twice")
        seen.add(field.name.lower())
        nanoseconds = pa.types.is_timestamp(field.type) and field.type.unit == "ns"
        if nanoseconds and field.name not in _int96(path):
            raise ConfigurationError(
                f"{key}: column {field.name!r} of {path} counts nanoseconds",
                next_step="Write it in microseconds (pyarrow: coerce_timestamps='us').",
            )


def _int96(path: Path) -> set[str]:
    """The columns of the form in which Spark itself writes times, unless it is told otherwise."""
    schema = pq.ParquetFile(path).schema
    leaves = (schema.column(i) for i in range(len(schema)))
    return {leaf.path for leaf in leaves if leaf.physical_type == "INT96"}


def rows(spark: SparkSession, files: list[Path]) -> DataFrame:
    """One row per row of the files, typed as they are."""
    return spark.read.parquet(*map(for_spark, files))


def _schema(path: Path, key: str) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise ConfigurationError(
            f"{key}: {path} cannot be read as Parquet: {error}",
            next_step="Correct the path, or export the file again.",
        ) from error
