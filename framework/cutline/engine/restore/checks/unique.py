"""Uniqueness among the snapshot rows of a table.

A change that comes later is a new image of a row, so changes are not compared. Each declaration
costs one exchange on its columns; contracts without one pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.restore.checks.check import Check
from cutline.tables.change import SNAPSHOT
from cutline.translator.checks import unique_columns
from cutline.translator.contract import SourceContract

_TWINS = "_twins_"


def with_duplicate_flags(changes: DataFrame, contract: type[SourceContract]) -> DataFrame:
    """The changes with a column per uniqueness that the contract declares: whether it is broken."""
    apart = [F.col("after").getField(name) for name in contract.apart()]
    for i, unique in enumerate(unique_columns(contract)):
        values = [F.col("after").getField(name) for name in unique.columns]
        compared = reduce(
            lambda a, b: a & b, [v.isNotNull() for v in values], F.col("op") == SNAPSHOT
        )
        # What is not compared is spread by a hash of its own, or it would all come to one place.
        stray = F.when(~compared, F.xxhash64("key", "position", "op"))
        equal_rows = Window.partitionBy(*apart, *(F.when(compared, v) for v in values), stray)
        twins = compared & (F.count(F.lit(1)).over(equal_rows) > 1)
        changes = changes.withColumn(f"{_TWINS}{i}", twins)
    return changes


def without_duplicate_flags(changes: DataFrame) -> DataFrame:
    """The same rows without the columns of `with_duplicate_flags`."""
    return changes.drop(*(name for name in changes.columns if name.startswith(_TWINS)))


def unique_checks(contract: type[SourceContract]) -> Iterator[Check]:
    """A check per declared uniqueness, on rows of `with_duplicate_flags`.

    All rows of a duplicated value break it.
    """
    for i, unique in enumerate(unique_columns(contract)):
        breaks: Column = F.coalesce(F.col(f"{_TWINS}{i}"), F.lit(False))
        yield Check(unique.rule, unique.reason, breaks)
