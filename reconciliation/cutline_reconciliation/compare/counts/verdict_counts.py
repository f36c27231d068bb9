"""Counts of verdicts on pairs of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.spark.observed import count_where
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns.balanced import balanced
from cutline_reconciliation.compare.plan import ComparisonPlan


def verdict_counts(plan: ComparisonPlan, verdicts: Mapping[int, Column]) -> dict[str, Column]:
    """Aggregates over pairs of rows, by metric.

    `changed` and `forgiven` count pairs; `<i>/changed`, `<i>/forgiven` and `<i>/<rule>` those of
    the column at place i. `verdicts` has the verdict by place, null for equal values.
    """
    changed, forgiven = (
        any_verdict(verdicts.values(), c) for c in (classes.CHANGED, classes.WITHIN_TOLERANCE)
    )
    counts = {"changed": count_where(changed), "forgiven": count_where(forgiven & ~changed)}
    for i, verdict in verdicts.items():
        kind, rules = verdict.getField("class"), verdict.getField("rules")
        counts[f"{i}/changed"] = count_where(kind == classes.CHANGED)
        counts[f"{i}/forgiven"] = count_where(kind == classes.WITHIN_TOLERANCE)
        for rule in plan.columns[i].rules:
            counts[f"{i}/{rule}"] = count_where(F.array_contains(rules, rule))
    return counts


def any_verdict(verdicts: Iterable[Column], kind: str) -> Column:
    """Whether any of the verdicts has the class `kind`."""
    is_so = [F.coalesce(v.getField("class") == kind, F.lit(False)) for v in verdicts]
    return balanced(Column.__or__, is_so, F.lit(False))
