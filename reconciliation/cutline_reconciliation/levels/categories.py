"""The category of a subject as text, and counts by category."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.columns import values

MOST = 20
"""The number of categories per aggregate or outcome, beside those that a gate names."""
STANDINGS = ("compared", "matched", "broken", "explained", "late", "not_eligible")
"""The counts of a category, in subjects or decisions."""


def category_text(schema: T.StructType, names: Sequence[str], vouched: Collection[str]) -> Column:
    """The category as text, such as `channel=web, region=north`.

    Values come from the struct `left` where it is not null and has the column (`vouched`), else
    from `right`. A null value reads `channel=null`. The text is null without `names`, and for
    subjects whose structs are null.
    """
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
    """Counts by `level`, `name` and `category`, one row each.

    Rows are the MOST categories with the most broken subjects per level and name, and every
    category in `always`. Columns are STANDINGS; `at_risk`, null where a broken subject has no
    amount; and `categories`, the number of all categories of that level and name.

    `standings` has one row per level and subject: `level`, `name`, `category`, `standing` (one of
    STANDINGS but `compared`), `subjects` (how many subjects the row is for) and `at_risk`.
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
