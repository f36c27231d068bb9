"""How many groups a grouping made, as Spark counts them anyway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Grouped:
    """What an action brought together and grouped."""

    rows: int
    """Rows that went through the exchange."""
    groups: int
    """Groups that came out of the aggregate."""


def grouped(frame: DataFrame) -> Grouped | None:
    """What the last action of a frame grouped; None if its plan is no aggregate behind an exchange.

    An observation would walk through all groups, and keep Spark from leaving out in the same loop
    those that nobody wants. These are the counts that Spark keeps of each step of a plan. The steps
    are its own affair, and a step that is run again may be counted again: whoever asks checks that
    the two numbers fit what else is known, and asks for no plan that ran on a cluster.
    """
    groups: int | None = None
    for step in _steps(frame):
        name, metrics = str(step.nodeName()), step.metrics()
        if groups is None and "Aggregate" in name and metrics.contains("numOutputRows"):
            groups = int(metrics.apply("numOutputRows").value())
        elif metrics.contains("shuffleRecordsWritten"):
            rows = int(metrics.apply("shuffleRecordsWritten").value())
            return None if groups is None else Grouped(rows, groups)
    return None


def _steps(frame: DataFrame) -> Iterator[Any]:
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
