"""Rows counted as they leave a source, in the pass that reads them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F


def observe_rows(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The frame with an observation on it, and what it counted once the frame was written."""
    observation = Observation()
    observed = frame.observe(observation, F.count(F.lit(1)).alias("rows"))
    return observed, lambda: int(observation.get["rows"])


def observe_input_rows(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """As `counted`, for a frame of which a filter or a join above may keep nothing: where Spark
    knows, or learns on the way, that nothing comes out, it does not read it, and it is counted by a
    pass of its own when it is asked."""
    observation = Observation()

    def rows() -> int:
        assert observation._jo is not None
        return int(observation.get["rows"]) if observation._jo.getRow().length() else frame.count()

    return frame.observe(observation, F.count(F.lit(1)).alias("rows")), rows


def observe_metrics(
    frame: DataFrame, **metrics: Column
) -> tuple[DataFrame, dict[str, Callable[[], int]]]:
    """The frame with an observation on it, and each metric, known once the frame was written."""
    observation = Observation()
    named = [metric.alias(name) for name, metric in metrics.items()]
    counts: dict[str, Callable[[], int]] = {n: partial(_metric, observation, n) for n in metrics}
    return frame.observe(observation, *named), counts


def _metric(observation: Observation, name: str) -> int:
    return int(observation.get[name])
