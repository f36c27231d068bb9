"""What decisions look at, for people to see: breaks of the levels below."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_SAME = {"level": "by_level", "name": "by_name", "subject": "by_subject", "column": "by_column"}


def looked_at(
    links: DataFrame, breaks: DataFrame, shown: Callable[[str, DataFrame], DataFrame]
) -> DataFrame:
    """The breaks that the links lead to, each with the `outcome` whose decision looks at it;
    `shown` masks the rows of a table by its name."""
    mine = links.select(F.col("name").alias("outcome"), *_SAME.values()).distinct()
    same: Column = F.lit(True)
    for own, below in _SAME.items():
        same &= breaks[own].eqNullSafe(mine[below])
    found = breaks.join(mine, same).drop(*_SAME.values())
    return shown("breaks", found).orderBy("outcome", "level", "name", "subject", "column")
