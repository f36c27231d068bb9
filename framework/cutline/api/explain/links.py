"""The feeds of breaks, for people to see: other breaks, and excluded rows and events."""

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
"""Masks the rows of a table, given its name."""


def breaks_looked_at(links: DataFrame, breaks: DataFrame, mask: MaskRows) -> DataFrame:
    """The breaks that are feeds of decisions, each with the `outcome` of the decision."""
    return _breaks(links.where(F.col("level") == OUTCOME), breaks, mask, "outcome")


def breaks_depended_on(links: DataFrame, breaks: DataFrame, mask: MaskRows) -> DataFrame:
    """The breaks that are feeds of states, each with the state's aggregate in `state_of`."""
    return _breaks(links.where(F.col("level") == STATE), breaks, mask, "state_of")


def rows_put_aside(links: DataFrame, mask: MaskRows) -> DataFrame:
    """The rows and events that are feeds, in the columns of `links` about them."""
    rows = links.where(F.col("by_cluster").isNull()).select(*_ASIDE).distinct()
    return mask("links", rows).orderBy(*_ASIDE)


def _breaks(links: DataFrame, breaks: DataFrame, mask: MaskRows, of: str) -> DataFrame:
    below_mine = links.select(F.col("name").alias(of), *_BREAK_COLUMNS.values()).distinct()
    is_linked: Column = F.lit(True)
    for break_column, below in _BREAK_COLUMNS.items():
        is_linked &= breaks[break_column].eqNullSafe(below_mine[below])
    below_breaks = breaks.join(below_mine, is_linked).drop(*_BREAK_COLUMNS.values())
    return mask("breaks", below_breaks).orderBy(of, "level", "name", "subject", "column")
