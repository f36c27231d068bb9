"""What an observation saw, also where Spark left it out of the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F


def count_where(condition: Column) -> Column:
    """How many rows a condition holds for: `count_if`, for which Spark would give every row one
    column more."""
    return F.count(F.when(condition, 1))


def counted(frame: DataFrame, counts: Mapping[str, Column]) -> dict[str, int]:
    """The counts of a frame, by a job of their own; 0 for null."""
    row = frame.agg(*(column.alias(name) for name, column in counts.items())).first()
    assert row is not None
    return {name: int(value or 0) for name, value in row.asDict().items()}


def seen(
    observation: Observation, otherwise: Callable[[], Mapping[str, int | None]]
) -> dict[str, int]:
    """The metrics of an action that has ended, 0 for null.

    Where Spark knows, or finds on the way, that nothing comes out of a part of the plan, it leaves
    that part out, with what is observed in it; then `otherwise` tells the metrics.
    """
    assert observation._jo is not None
    told = observation.get if observation._jo.getRow().length() else otherwise()
    return {name: int(value or 0) for name, value in told.items()}
