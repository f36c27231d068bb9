"""Rows that several plans read, computed once."""

from __future__ import annotations

from pyspark.sql import DataFrame


def written_aside(rows: DataFrame, place: str) -> DataFrame:
    """The rows, written to a folder as Parquet and read from there, under the schema they had."""
    rows.write.mode("overwrite").parquet(place)
    return rows.sparkSession.read.schema(rows.schema).parquet(place)
