"""Heartbeats: what a connector sends while its source is idle."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.sources.changes.records import records
from cutline.sources.kafka import TopicInput, write_lines
from cutline.sources.text_records import RECORD_DDL, TextFormat, split_records
from cutline.spark import json_text


def newest_heartbeat(
    spark: SparkSession,
    files: Sequence[Path],
    key: str,
    scratch: str,
    topic: TopicInput | None = None,
) -> dt.datetime | None:
    """The time of the newest heartbeat, in UTC; null if there is none.

    A line may have any form that a line of a change file may have; lines that are no heartbeats are
    skipped. Debezium's heartbeats have their time as `ts_ms`, in milliseconds since 1970; RunFailed
    for a number out of range. `key` names the files in the project, which are a `topic` where one
    is given; `scratch` is a folder that may be filled.
    """
    if topic is None:
        split_records(files, scratch, key, TextFormat(licence=True))
        heartbeats = records(spark.read.schema(RECORD_DDL).parquet(scratch))
    else:
        lines, _ = write_lines(spark, topic, scratch)
        heartbeats = records(lines)
    moment = json_text.text(F.col("value"), "ts_ms").try_cast("bigint")
    newest = heartbeats.agg(F.max(moment).alias("newest")).first()
    if newest is None or newest.newest is None:
        return None
    try:
        return dt.datetime.fromtimestamp(newest.newest / 1000, dt.UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise RunFailed(
            f"{key}: a heartbeat's ts_ms is {newest.newest}, which is no moment in milliseconds",
            left_behind="Nothing was written.",
            next_step="See what writes the heartbeats, and export them again.",
        ) from error
