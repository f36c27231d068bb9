"""The numbers of rows and groups of a grouping, from Spark's metrics of its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class GroupingMetrics:
    """The numbers of rows and groups of one action."""

    rows: int
    """Rows that went through the exchange."""
    groups: int
    """Groups that came out of the aggregate."""


def grouping_metrics(frame: DataFrame) -> GroupingMetrics | None:
    """The metrics of a frame's last action; None if its plan is no aggregate behind an exchange.

    An observation would iterate over all groups and prevent a filter in the same loop. These
    metrics are kept by each step of a plan, and the steps are internal to Spark. A step that runs
    again may count twice: the caller must check the numbers against other counts, and must not use
    those of a cluster.
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
