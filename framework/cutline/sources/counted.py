"""Rows counted as they leave a source, in the pass that reads them."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F


def counted(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The frame with an observation on it, and what it counted once the frame was written."""
    seen = Observation()
    observed = frame.observe(seen, F.count(F.lit(1)).alias("rows"))
    return observed, lambda: int(seen.get["rows"])
