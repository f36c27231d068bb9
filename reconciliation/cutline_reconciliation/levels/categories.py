"""The category of a subject, and the counts of each: bounded, the worst first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.columns import values

MOST = 20
"""Categories told per aggregate or outcome, beside those that a gate asks for."""
STANDINGS = ("compared", "matched", "broken", "explained", "late", "not_eligible")
"""The counts of a category: subjects, or decisions."""


def category_text(schema: T.StructType, names: Sequence[str], vouched: Collection[str]) -> Column:
    """`channel=web, region=north`: the columns of the struct `left` where it is there and has them,
    else of `right`. A null value reads `channel=null`. Null where none are declared, or no side
    tells them."""
    parts = [_category_part(schema, name, name in vouched) for name in names]
    if not parts:
        return F.lit(None).cast("string")
    present = F.col("right").isNotNull()
    if all(name in vouched for name in names):
        present = present | F.col("left").isNotNull()
    return F.when(present, F.concat_ws(", ", *parts))


def _category_part(schema: T.StructType, name: str, vouched: bool) -> Column:
    side = schema["right"].dataType
    assert isinstance(side, T.StructType)
    kind = side[name].dataType
    value = F.col("right").getField(name)
    if vouched:
        left = F.col("left")
        value = F.when(left.isNotNull(), left.getField(name)).otherwise(value)
    return F.concat(F.lit(f"{name}="), F.coalesce(values.value_text(value, kind), F.lit("null")))


def by_category(standings: DataFrame, always: Sequence[str]) -> DataFrame:
    """One row per `level`, `name` and `category` of at most MOST each, those with the most broken
    first, and of every category `asked`: the counts STANDINGS, `at_risk`, null where one of the
    broken has no amount, and `categories`, how many there are.

    `standings` has one row per subject and level: `level`, `name`, `category` and `standing`, one
    of STANDINGS but `compared`; `subjects`, how many the row stands for; and what is `at_risk`.
    """
    from pyspark.sql import Window

    def subjects_with(*standing: str) -> Column:
        mine = F.when(F.col("standing").isin(*standing), F.col("subjects"))
        return F.coalesce(F.sum(mine), F.lit(0))

    without_amount = F.count(F.when((F.col("standing") == "broken") & F.col("at_risk").isNull(), 1))
    counted = standings.groupBy("level", "name", "category").agg(
        subjects_with("matched", "broken").alias("compared"),
        *(subjects_with(name).alias(name) for name in STANDINGS[1:]),
        F.when(without_amount == 0, F.sum("at_risk")).alias("at_risk"),
    )
    group = Window.partitionBy("level", "name")
    worst = group.orderBy(F.col("broken").desc(), F.col("compared").desc(), F.col("category"))
    ranked = counted.withColumns(
        {"place": F.row_number().over(worst), "categories": F.count("*").over(group)}
    )
    return ranked.where((F.col("place") <= MOST) | F.col("category").isin(*always))
