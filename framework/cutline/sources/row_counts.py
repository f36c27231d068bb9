"""Rows counted as they leave a source, in the pass that reads them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F


def counted(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The frame with an observation on it, and what it counted once the frame was written."""
    seen = Observation()
    observed = frame.observe(seen, F.count(F.lit(1)).alias("rows"))
    return observed, lambda: int(seen.get["rows"])


def counted_below(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """As `counted`, for a frame of which a filter or a join above may keep nothing: where Spark
    knows, or learns on the way, that nothing comes out, it does not read it, and it is counted by a
    pass of its own when it is asked."""
    seen = Observation()

    def rows() -> int:
        assert seen._jo is not None
        return int(seen.get["rows"]) if seen._jo.getRow().length() else frame.count()

    return frame.observe(seen, F.count(F.lit(1)).alias("rows")), rows


def observed(frame: DataFrame, **metrics: Column) -> tuple[DataFrame, dict[str, Callable[[], int]]]:
    """The frame with an observation on it, and each metric, known once the frame was written."""
    seen = Observation()
    named = [metric.alias(name) for name, metric in metrics.items()]
    told: dict[str, Callable[[], int]] = {n: partial(_told, seen, n) for n in metrics}
    return frame.observe(seen, *named), told


def _told(seen: Observation, name: str) -> int:
    return int(seen.get[name])
