"""Parquet files: typed already, so a value is taken where the contract's type loses nothing."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError


def columns(files: list[Path], key: str) -> tuple[str, ...]:
    """The columns' names, the same in every file, from the files' own schemas.

    Raises ConfigurationError for a file that is not Parquet, for schemas that differ, for a name
    that comes twice and for times in nanoseconds, which Spark does not read.
    """
    first: pa.Schema | None = None
    for path in files:
        schema = _schema(path, key)
        if first is None:
            first = schema
        if not schema.equals(first):
            raise ConfigurationError(f"{key}: the schema of {path} is not that of {files[0]}")
    assert first is not None
    seen: set[str] = set()
    for field in first:
        if field.name.lower() in seen:
            raise ConfigurationError(f"{key}: {files[0]} has the column {field.name!r} twice")
        seen.add(field.name.lower())
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            raise ConfigurationError(
                f"{key}: column {field.name!r} of {files[0]} counts nanoseconds",
                next_step="Write it in microseconds (pyarrow: coerce_timestamps='us').",
            )
    return tuple(first.names)


def rows(spark: SparkSession, files: list[Path]) -> DataFrame:
    """One row per row of the files, typed as they are."""
    return spark.read.parquet(*(path.absolute().as_uri() for path in files))


def _schema(path: Path, key: str) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise ConfigurationError(
            f"{key}: {path} cannot be read as Parquet: {error}",
            next_step="Correct the path in cutline.yaml, or export the file again.",
        ) from error
