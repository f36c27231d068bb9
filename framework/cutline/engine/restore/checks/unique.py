"""Uniqueness among the snapshot rows of a table.

A change that comes later is a new image of a row, so changes are not compared. Each declaration
costs one exchange on its columns; contracts without one pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.frames import ColumnFamily, FrameColumn, step
from cutline.engine.restore.checks.check import Check
from cutline.engine.restore.frames import changes_frame
from cutline.tables.change import SNAPSHOT
from cutline.translator.checks import unique_columns
from cutline.translator.contract import SourceContract

_DUPLICATE = ColumnFamily(
    "_duplicate_", "boolean", "whether another snapshot row has the same values", False
)


def _flags(contract: type[SourceContract]) -> tuple[FrameColumn, ...]:
    return tuple(_DUPLICATE.of(str(i)) for i, _ in enumerate(unique_columns(contract)))


@step(needs=changes_frame, adds=_flags)
def with_duplicate_flags(changes: DataFrame, contract: type[SourceContract]) -> DataFrame:
    """The changes with a flag per uniqueness that the contract declares; false in a change."""
    apart = [F.col("after").getField(name) for name in contract.apart()]
    for i, unique in enumerate(unique_columns(contract)):
        values = [F.col("after").getField(name) for name in unique.columns]
        compared = reduce(
            lambda a, b: a & b, [v.isNotNull() for v in values], F.col("op") == SNAPSHOT
        )
        # A row that is not compared gets a group of its own: all in one would go to one task.
        stray = F.when(~compared, F.xxhash64("key", "position", "op"))
        equal_rows = Window.partitionBy(*apart, *(F.when(compared, v) for v in values), stray)
        duplicate = compared & (F.count(F.lit(1)).over(equal_rows) > 1)
        changes = changes.withColumn(_DUPLICATE.of(str(i)), duplicate)
    return changes


def _flags_of(frame: DataFrame) -> tuple[str, ...]:
    return tuple(name for name in frame.columns if name.startswith(_DUPLICATE.prefix))


@step(needs=changes_frame, drops=_flags_of)
def without_duplicate_flags(changes: DataFrame) -> DataFrame:
    """The same rows without the columns of `with_duplicate_flags`."""
    return changes.drop(*_flags_of(changes))


def unique_checks(contract: type[SourceContract]) -> Iterator[Check]:
    """A check per declared uniqueness, on rows of `with_duplicate_flags`.

    All rows of a duplicated value break it.
    """
    for i, unique in enumerate(unique_columns(contract)):
        breaks: Column = F.coalesce(F.col(_DUPLICATE.of(str(i))), F.lit(False))
        yield Check(unique.rule, unique.reason, breaks)
