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
    """What the last action of a frame grouped, if its plan is an aggregate behind an exchange.

    An observation would walk through all groups, and keep Spark from leaving out in the same loop
    those that nobody wants. These are the counts that Spark keeps of each step of a plan; the steps
    are its own affair, and a stage that was run again may be counted twice. So there may be None,
    and whoever asks checks that the two numbers fit what else is known.
    """
    found: dict[str, int] = {}
    for node in _steps(frame):
        name, metrics = str(node.nodeName()), node.metrics()
        for what, metric in (("Aggregate", "numOutputRows"), ("Exchange", "shuffleRecordsWritten")):
            if what in name and what not in found and metrics.contains(metric):
                found[what] = int(metrics.apply(metric).value())
    return Grouped(found["Exchange"], found["Aggregate"]) if len(found) == 2 else None


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
