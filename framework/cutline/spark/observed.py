"""Counts of a pass, by an observation or by a job of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F


def count_where(condition: Column) -> Column:
    """An aggregate: the number of rows for which a condition holds.

    `count_if` gives the same, and adds a column to every row.
    """
    return F.count(F.when(condition, 1))


def collect_counts(frame: DataFrame, counts: Mapping[str, Column]) -> dict[str, int]:
    """The counts of a frame, by a job of their own; 0 for null."""
    row = frame.agg(*(column.alias(name) for name, column in counts.items())).first()
    assert row is not None
    return {name: int(value or 0) for name, value in row.asDict().items()}


def observed_counts(
    observation: Observation, otherwise: Callable[[], Mapping[str, int | None]]
) -> dict[str, int]:
    """The metrics of an action that has ended; 0 for null.

    Spark prunes parts of a plan that have no rows, with the observation in them; the counts are
    then those of `otherwise`.
    """
    assert observation._jo is not None
    metrics = observation.get if observation._jo.getRow().length() else otherwise()
    return {name: int(value or 0) for name, value in metrics.items()}
