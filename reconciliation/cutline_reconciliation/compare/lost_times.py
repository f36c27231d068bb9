"""Local times that a zone's clocks skip or show twice: tables with such times are refused."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Observation

from cutline.errors import ConfigurationError
from cutline.spark.observed import (
    collect_counts,
    count_where,
    observed_counts,
)
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.pair import ColumnPair
from cutline_reconciliation.compare.plan import ComparisonPlan


def observe_lost_times(
    frame: DataFrame, plan: ComparisonPlan, side: str
) -> tuple[DataFrame, Callable[[], None]]:
    """The frame, and a check to call once the frame has been read.

    For columns with a zone by rule, the check raises ConfigurationError, naming side and column
    with a count and an example, if a time is skipped or shown twice in that zone. Without such a
    rule the frame is unchanged and the check does nothing.
    """
    lost = {p.name: _is_lost(p, side) for p in (*plan.key, *plan.columns) if side in p.local_sides}
    if not lost:
        return frame, lambda: None
    observed = Observation()
    counts = {f"n{i}": count_where(no_instant) for i, no_instant in enumerate(lost.values())}

    def refuse() -> None:
        counts_of_lost = observed_counts(observed, lambda: collect_counts(frame, counts))
        for i, (name, no_instant) in enumerate(lost.items()):
            if counts_of_lost[f"n{i}"]:
                raise _refusal(frame.where(no_instant), side, name, counts_of_lost[f"n{i}"])

    metrics = (column.alias(name) for name, column in counts.items())
    return frame.observe(observed, *metrics), refuse


def _is_lost(pair: ColumnPair, side: str) -> Column:
    local = quoted_column(pair.name)
    return local.isNotNull() & pair.in_common_form(local, side).isNull()


def _refusal(lost: DataFrame, side: str, name: str, count: int) -> ConfigurationError:
    local = values.value_text(quoted_column(name), lost.schema[name].dataType).alias("example")
    row = lost.select(local).first()
    example = row["example"] if row is not None else None
    times = "1 time" if count == 1 else f"{count:,} times"
    return ConfigurationError(
        f"the {side} side has {times} in column {name} that clocks in its zone do not show, or "
        f"show twice, such as {example!r}",
        next_step="What they show twice, a rule settles: `doubled: first` (or second) beside "
        "`zone`. Mend the others, or leave their rows out with rule `where`.",
    )
