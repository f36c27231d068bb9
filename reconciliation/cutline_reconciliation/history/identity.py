"""What breaks and exceptions are called, in every run the same."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.identity.columns import texts_id

_OF_A_BREAK = ("level", "name", "subject", "column", "kind")
_OF_AN_EXCEPTION = (
    "rule",
    "level",
    "aggregate",
    "subject",
    "source",
    "table",
    "key",
    "event_id",
)


def with_break_id(breaks: DataFrame, context: str, region: str) -> DataFrame:
    """The breaks with `id`: of context, region, level, name, subject, column and kind."""
    parts = [F.lit(context), F.lit(region), *(F.col(f"`{c}`") for c in _OF_A_BREAK)]
    return breaks.withColumn("id", texts_id(*parts))


def with_exception_id(exceptions: DataFrame, context: str, region: str) -> DataFrame:
    """One row per exception that has a name of its own: its `id`, how many `rows`, and their first.

    In the name are context, region, rule, level, aggregate, subject, source, table, key and event;
    and the payload of what has neither key nor event, such as a line that cannot be read. No
    position: a row that is read again is the same row, so several changes of it may be one.
    """
    nameless = F.col("key").isNull() & F.col("event_id").isNull()
    parts = [
        F.lit(context),
        F.lit(region),
        *(F.col(f"`{c}`") for c in _OF_AN_EXCEPTION),
        F.when(nameless, F.col("payload")),
    ]
    ordered = ("position", *(c for c in exceptions.columns if c != "position"))
    first = F.min(F.struct(*(F.col(f"`{c}`") for c in ordered))).alias("first")
    named = exceptions.withColumn("id", texts_id(*parts))
    by_id = named.groupBy("id").agg(F.count(F.lit(1)).alias("rows"), first)
    return by_id.select("id", "rows", *(F.col(f"first.`{c}`") for c in exceptions.columns))
