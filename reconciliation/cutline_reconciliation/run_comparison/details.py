"""The details of a comparison, as rows that are clustered."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline_reconciliation.compare import classes
from cutline_reconciliation.run_comparison.clusters import LONGEST
from cutline_reconciliation.run_comparison.model import ADDED, CHANGED, DUPLICATED, REMOVED

CHANGES = {
    classes.ONLY_LEFT: REMOVED,
    classes.ONLY_RIGHT: ADDED,
    classes.CHANGED: CHANGED,
    classes.DUPLICATED: DUPLICATED,
    classes.NULL_KEY: DUPLICATED,
}
"""What became of a row, by its class in the comparison; a row without a key has no pair either."""


def change_of(names: Mapping[str, str] = CHANGES) -> Column:
    """What became of a key, by the column `class` of details."""
    changes = F.create_map(*(F.lit(text) for pair in names.items() for text in pair))
    return F.try_element_at(changes, F.col("class"))


def value_change(name: Column, left: Column, right: Column) -> Column:
    """A value of both runs as an example shows it; one that is too long is null."""
    return F.struct(
        name.alias("name"), shortened(left).alias("left"), shortened(right).alias("right")
    )


def shortened(value: Column) -> Column:
    """A text, or null where it is longer than an example shows."""
    return F.when(F.length(value) <= LONGEST, value)
