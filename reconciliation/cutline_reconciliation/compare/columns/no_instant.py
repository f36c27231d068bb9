"""Local times that are no instant, or two: where there are any, tables are not compared."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Observation

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.columns.pair import Pair
from cutline_reconciliation.compare.counts.observed import count_where, counted, seen
from cutline_reconciliation.compare.plan import Plan


def watched(frame: DataFrame, plan: Plan, side: str) -> tuple[DataFrame, Callable[[], None]]:
    """The frame, and what to call once it was read.

    That raises ConfigurationError, naming side and column with a count and an example, where a rule
    says in which zone a column's times are, and its clocks do not show one of them, or show it
    twice. Without such a rule the frame is as it came.
    """
    lost = {p.name: _lost(p, side) for p in (*plan.key, *plan.columns) if side in p.local}
    if not lost:
        return frame, lambda: None
    observed = Observation()
    counts = {f"n{i}": count_where(no_instant) for i, no_instant in enumerate(lost.values())}

    def refuse() -> None:
        told = seen(observed, lambda: counted(frame, counts))
        for i, (name, no_instant) in enumerate(lost.items()):
            if told[f"n{i}"]:
                raise _refusal(frame.where(no_instant), side, name, told[f"n{i}"])

    asked = (column.alias(name) for name, column in counts.items())
    return frame.observe(observed, *asked), refuse


def _lost(pair: Pair, side: str) -> Column:
    local = named(pair.name)
    return local.isNotNull() & pair.plain(local, side).isNull()


def _refusal(lost: DataFrame, side: str, name: str, count: int) -> ConfigurationError:
    local = values.text(named(name), lost.schema[name].dataType).alias("example")
    row = lost.select(local).first()
    example = row["example"] if row is not None else None
    times = "1 time" if count == 1 else f"{count:,} times"
    return ConfigurationError(
        f"the {side} side has {times} in column {name} that clocks in its zone do not show, or "
        f"show twice, such as {example!r}",
        next_step="What they show twice, a rule settles: `doubled: first` (or second) beside "
        "`zone`. Mend the others, or leave their rows out with rule `where`.",
    )
