"""Literal candidate events, as rows for Spark and for the reference alike."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cutline.engine.merge.columns import pack_candidates
from cutline.engine.merge.frames import TIE_BREAKERS
from cutline.tables.event import EVENTS

DAY = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def at(hour: float) -> dt.datetime:
    """An hour of the day of the cut."""
    return DAY + dt.timedelta(hours=hour)


def candidate(id: str, type: str, hour: float, **more: Any) -> dict[str, Any]:
    """A synthetic event with a known business time; `more` overrides its attributes."""
    row = dict.fromkeys(EVENTS.names) | {
        "id": id,
        "source": "urn:cutline:shop:old",
        "type": type,
        "subject": "o1",
        "time": at(hour),
        "datacontenttype": "application/json",
        "partitionkey": "o1",
        "sequence": "1",
        "migorigin": "synthetic",
        "migreplaysafe": False,
        "migconfidence": "exact",
        "migtimebasis": "effective",
        "migtranslator": "Orders",
        "migtranslatorver": "1.0.0",
        "migfactkey": f"fact-{id}",
        "aggregate": "stock" if type == "Reserved" else "order",
        "side": "before",
        "data": "{}",
    }
    return row | more


def frame(spark: SparkSession, rows: Iterable[dict[str, Any]]) -> DataFrame:
    """The rows in the columns of EVENTS, in the order given."""
    values = [tuple(row[name] for name in EVENTS.names) for row in rows]
    return spark.createDataFrame(values, EVENTS.ddl)


def with_ties(spark: SparkSession, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with what is looked at where they tie in all else."""
    ties = pack_candidates(frame(spark, rows)).select(*TIE_BREAKERS).collect()
    return [row | tie.asDict() for row, tie in zip(rows, ties, strict=True)]


def ends(judged_rows: Iterable[Any]) -> list[tuple[Any, ...]]:
    """What the reference's `JudgedEvent.end` says, of rows that Spark judged."""
    return [
        (
            row["rule"],
            row["winner"],
            row["ordinal"],
            tuple(sorted(found["rule"] for found in row["findings"])),
            *(
                (
                    row["amended"]["migconfidence"],
                    row["amended"]["migsupersedes"],
                    row["amended"]["corrects"],
                )
                if row["amended"]
                else (None, None, None)
            ),
        )
        for row in judged_rows
    ]
