"""Ids of breaks and exceptions, the same in every run."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.identity.columns import texts_id
from cutline.identity.exceptions import exception_id

_OF_A_BREAK = ("level", "name", "subject", "column", "kind")


def with_break_id(breaks: DataFrame, context: str, region: str) -> DataFrame:
    """The breaks with `id`, a digest of context, region, level, name, subject, column and kind."""
    parts = [F.lit(context), F.lit(region), *(F.col(f"`{c}`") for c in _OF_A_BREAK)]
    return breaks.withColumn("id", texts_id(*parts))


def with_exception_id(exceptions: DataFrame, context: str, region: str) -> DataFrame:
    """One row per id of an exception: `id`, the number of its `rows`, and the first of them."""
    ordered = ("position", *(c for c in exceptions.columns if c != "position"))
    first = F.min(F.struct(*(F.col(f"`{c}`") for c in ordered))).alias("first")
    named = exceptions.withColumn("id", exception_id(context, region))
    by_id = named.groupBy("id").agg(F.count(F.lit(1)).alias("rows"), first)
    return by_id.select("id", "rows", *(F.col(f"first.`{c}`") for c in exceptions.columns))
