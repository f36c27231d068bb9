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


def observed(frame: DataFrame, **metrics: Column) -> tuple[DataFrame, dict[str, Callable[[], int]]]:
    """The frame with an observation on it, and each metric, known once the frame was written."""
    seen = Observation()
    named = [metric.alias(name) for name, metric in metrics.items()]
    told: dict[str, Callable[[], int]] = {n: partial(_told, seen, n) for n in metrics}
    return frame.observe(seen, *named), told


def _told(seen: Observation, name: str) -> int:
    return int(seen.get[name])
