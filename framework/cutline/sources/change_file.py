"""Debezium change files: one JSON change a line, read through once before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.sources.lines import DDL, Text, cut_lines
from cutline.spark import json_text
from cutline.tables.change import CREATE, DELETE, SNAPSHOT, UPDATE

MESSAGE = "m"
"""A message that someone wrote into the log: it is no change of a row."""
_TRUNCATE = "t"
_OPS = (SNAPSHOT, CREATE, UPDATE, DELETE)


@dataclass(frozen=True)
class ChangeFile:
    """A change file that was read through once.

    `lines` has one row per change of any table, `tombstones` counts the lines that only say that a
    key is gone, `ignored` the changes of tables that no contract asks for.
    """

    lines: DataFrame
    tombstones: int
    ignored: int


def opened_changes(
    spark: SparkSession,
    files: list[Path],
    key: str,
    tables: Mapping[str, str],
    scratch: str,
) -> ChangeFile:
    """Read a change file's envelopes; `tables` are those of interest, by their names in it.

    Raises RunFailed, naming file and line, for a line whose table or operation cannot be told, for
    a truncated table, and for a table of the same name in two schemas.
    """
    cut = cut_lines(files, scratch, key, Text())
    lines = _envelopes(spark.read.schema(DDL).parquet(scratch))
    facts = _looked_through(lines, tables)
    stop = partial(_stop_at, files)
    stop(
        facts["broken"],
        "is no change that can be read: its table or operation cannot be told",
        "Was the file cut off? Copy it again as a whole, then run the same command.",
    )
    stop(
        facts["truncated"],
        "truncates a table, and which rows that removed is not said",
        "Take a new snapshot from after the truncation, with its consistent point.",
    )
    stop(
        facts["unknown"],
        "has an operation that is none of r, c, u, d",
        "Export the changes again with a connector that this version reads.",
    )
    for name, spoken in tables.items():
        low, high = facts[f"low_{name}"], facts[f"high_{name}"]
        if low != high:
            raise RunFailed(
                f"{key}: table {spoken!r} comes from {low} and from {high}",
                next_step="Give one change file per schema.",
            )
    return ChangeFile(
        lines.where(~F.col("tombstone")), cut.blanks + facts["tombstones"], facts["ignored"]
    )


def _stop_at(files: list[Path], place: Row | None, what: str, next_step: str) -> None:
    """Raise RunFailed for the line at a place; nothing if there is none."""
    if place is not None:
        raise RunFailed(
            f"{files[place.file]}, line {place.number}: {what}",
            left_behind="Nothing was written.",
            next_step=next_step,
        )


def _envelopes(lines: DataFrame) -> DataFrame:
    """One row per line with the envelope's fields; null where they are not there."""
    read = lines.select(
        "file",
        "number",
        "place",
        "line",
        F.is_valid_utf8("line").alias("valid"),
    )
    whole = json_text.with_object(read, F.make_valid_utf8("line"), "whole")
    inner = json_text.node(F.col("whole"), "payload")
    wrapped = whole.withColumn(
        "change", F.when(json_text.is_object(inner), inner).otherwise(F.col("whole"))
    ).withColumn(
        "tombstone",
        (F.trim(F.translate("line", "\r\t", "")) == "null")
        | F.coalesce(F.is_variant_null(inner), F.lit(False)),
    )
    change = F.col("change")
    micros = F.timestamp_micros(
        F.coalesce(
            json_text.text(change, "source", "ts_us").try_cast("bigint"),
            json_text.text(change, "source", "ts_ms").try_cast("bigint") * 1000,
        )
    )
    return wrapped.select(
        "file",
        "number",
        "line",
        "valid",
        "tombstone",
        "place",
        json_text.text(change, "op").alias("op"),
        json_text.text(change, "source", "table").alias("table"),
        F.concat_ws(
            ".", json_text.text(change, "source", "db"), json_text.text(change, "source", "schema")
        ).alias("schema"),
        json_text.text(change, "source", "sequence").alias("sequence"),
        json_text.text(change, "source", "lsn").alias("lsn"),
        json_text.text(change, "source", "txId").alias("transaction"),
        json_text.text(change, "transaction", "total_order").alias("order"),
        micros.alias("committed"),
        json_text.node(change, "before").alias("before"),
        json_text.node(change, "after").alias("after"),
    )


def _looked_through(lines: DataFrame, tables: Mapping[str, str]) -> dict[str, Any]:
    """What stops the run or is only counted, from one pass over the envelopes."""
    place = F.struct("file", "number")
    real = ~F.col("tombstone")
    ours = F.col("table").isin(list(tables.values()))
    untold = F.col("op").isNull() | ((F.col("op") != MESSAGE) & F.col("table").isNull())
    facts = lines.agg(
        F.min(F.when(real & untold, place)).alias("broken"),
        F.min(F.when(real & ours & (F.col("op") == _TRUNCATE), place)).alias("truncated"),
        F.min(F.when(real & ours & ~F.col("op").isin(*_OPS, _TRUNCATE, MESSAGE), place)).alias(
            "unknown"
        ),
        F.count_if(~real).alias("tombstones"),
        F.count_if(real & (~F.coalesce(ours, F.lit(False)) | (F.col("op") == MESSAGE))).alias(
            "ignored"
        ),
        *(
            aggregate(F.when(F.col("table") == spoken, F.col("schema"))).alias(f"{end}_{name}")
            for name, spoken in tables.items()
            for end, aggregate in (("low", F.min), ("high", F.max))
        ),
    ).first()
    assert facts is not None
    return facts.asDict()
