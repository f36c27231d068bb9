"""What is below a break, for people to see: other breaks, and rows and events put aside."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables.breaks import OUTCOME, STATE

_BREAK_COLUMNS = {
    "level": "by_level",
    "name": "by_name",
    "subject": "by_subject",
    "column": "by_column",
}
_ASIDE = ("by_name", "by_subject", "by_level", "by_kind", "by_source", "by_table", "by_key",
          "by_event")  # fmt: skip
MaskRows = Callable[[str, DataFrame], DataFrame]
"""Masks the rows of a table by its name."""


def breaks_looked_at(links: DataFrame, breaks: DataFrame, mask: MaskRows) -> DataFrame:
    """The breaks to which links of decisions lead, each with the `outcome` that looks at it."""
    return _breaks(links.where(F.col("level") == OUTCOME), breaks, mask, "outcome")


def breaks_depended_on(links: DataFrame, breaks: DataFrame, mask: MaskRows) -> DataFrame:
    """The breaks to which links of states lead, each with the aggregate, `state_of`, of which a
    subject's state depends on it."""
    return _breaks(links.where(F.col("level") == STATE), breaks, mask, "state_of")


def rows_put_aside(links: DataFrame, mask: MaskRows) -> DataFrame:
    """The rows and events to which links lead, in the columns of `links` that tell of them."""
    rows = links.where(F.col("by_cluster").isNull()).select(*_ASIDE).distinct()
    return mask("links", rows).orderBy(*_ASIDE)


def _breaks(links: DataFrame, breaks: DataFrame, mask: MaskRows, of: str) -> DataFrame:
    below_mine = links.select(F.col("name").alias(of), *_BREAK_COLUMNS.values()).distinct()
    is_linked: Column = F.lit(True)
    for own, below in _BREAK_COLUMNS.items():
        is_linked &= breaks[own].eqNullSafe(below_mine[below])
    below_breaks = breaks.join(below_mine, is_linked).drop(*_BREAK_COLUMNS.values())
    return mask("breaks", below_breaks).orderBy(of, "level", "name", "subject", "column")
