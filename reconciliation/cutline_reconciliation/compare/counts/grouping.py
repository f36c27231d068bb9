"""Rows and groups of a grouping, from the metrics that Spark keeps of its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class GroupingMetrics:
    """The rows and groups of one action."""

    rows: int
    """Rows that went through the exchange."""
    groups: int
    """Groups that came out of the aggregate."""


def grouping_metrics(frame: DataFrame) -> GroupingMetrics | None:
    """The metrics of a frame's last action; None if its plan is no aggregate behind an exchange.

    An observation would visit all groups, and keep Spark from filtering them in the same loop.
    These are the metrics that Spark keeps of each step of a plan. The steps are internal to Spark,
    and a step that runs again may be counted again: the caller must check that the two numbers fit
    its other counts, and must not ask about a plan that ran on a cluster.
    """
    groups: int | None = None
    for step in _plan_steps(frame):
        name, metrics = str(step.nodeName()), step.metrics()
        if groups is None and "Aggregate" in name and metrics.contains("numOutputRows"):
            groups = int(metrics.apply("numOutputRows").value())
        elif metrics.contains("shuffleRecordsWritten"):
            rows = int(metrics.apply("shuffleRecordsWritten").value())
            return None if groups is None else GroupingMetrics(rows, groups)
    return None


def _plan_steps(frame: DataFrame) -> Iterator[Any]:
    """The steps of the plan that was run, from the last one back, as far as each has one before."""
    assert frame._jdf is not None
    step = frame._jdf.queryExecution().executedPlan()
    while True:
        yield step
        kind = str(step.getClass().getSimpleName())
        if kind == "AdaptiveSparkPlanExec":
            step = step.executedPlan()
        elif kind.endswith("QueryStageExec"):
            step = step.plan()
        elif step.children().size() == 1:
            step = step.children().head()
        else:
            return
