"""Rows of a source counted by observation, in the pass that reads and writes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cutline.spark.observed import observed_counts


def observe_rows(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The frame with an observation on it, and its number of rows, known once the frame was
    written.
    """
    observation = Observation()
    observed = frame.observe(observation, F.count(F.lit(1)).alias("rows"))
    return observed, lambda: int(observation.get["rows"])


def observe_input_rows(frame: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """As `observe_rows`, for a frame below a filter or join that may keep no row.

    Spark does not read such a frame where it knows, or learns on the way, that the result is empty.
    Then its rows are counted by a pass of their own when the number is asked for.
    """
    observation = Observation()

    def rows() -> int:
        return observed_counts(observation, lambda: {"rows": frame.count()})["rows"]

    return frame.observe(observation, F.count(F.lit(1)).alias("rows")), rows


def observe_metrics(
    frame: DataFrame, **metrics: Column
) -> tuple[DataFrame, dict[str, Callable[[], int]]]:
    """The frame with an observation on it, and each metric by name, known once the frame was
    written.
    """
    observation = Observation()
    named = [metric.alias(name) for name, metric in metrics.items()]
    counts: dict[str, Callable[[], int]] = {n: partial(_metric, observation, n) for n in metrics}
    return frame.observe(observation, *named), counts


def _metric(observation: Observation, name: str) -> int:
    return int(observation.get[name])
