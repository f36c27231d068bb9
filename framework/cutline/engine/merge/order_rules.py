"""The aggregates' order rules: events that break a required order are held, others get findings.

`Requires` is a law: an event without the one that must come first is held, and so is every event
that needs the held one. `Expects` and `Excludes` are habits: what departs from them is accepted,
with a finding.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, Excludes, Expects, Requires
from cutline.context.merge_policy import MergePolicy
from cutline.engine.frames import step
from cutline.engine.merge.columns import is_open, running_window, subject_window
from cutline.engine.merge.frames import (
    CANDIDATES_WITH_RULE,
    CORRECTS,
    FINDINGS,
    HELD_REASON,
    LATE,
    ORDINAL,
    PLACED_AT,
    RANK,
    RULE,
    TIMELINE_ORDER,
)
from cutline.engine.merge.placement import (
    drop_first_placed,
    first_placed,
    refresh_first_placed,
    with_placement,
)


@dataclass(frozen=True)
class _OrderRule:
    """An order rule and the aggregate that declares it."""

    aggregate: Aggregate
    rule: Requires | Expects | Excludes

    @property
    def sought(self) -> type[Event]:
        """The event that the rule looks for: the one that comes first, or that excludes."""
        return self.rule.other if isinstance(self.rule, Excludes) else self.rule.first

    @property
    def sought_rank(self) -> int:
        return self.aggregate.rank(self.sought)

    @property
    def applies(self) -> Column:
        """Whether the row is an open event that the rule is about."""
        open_here = (F.col("aggregate") == self.aggregate.name) & is_open()
        return open_here & (F.col(RANK) == self.aggregate.rank(self.rule.event))

    @property
    def sought_may_be_held(self) -> bool:
        """Whether the event that it looks for has a `Requires` rule of its own."""
        return any(
            isinstance(rule, Requires) and rule.event is self.sought
            for rule in self.aggregate.order
        )


@step(
    needs=CANDIDATES_WITH_RULE,
    adds=(RANK, PLACED_AT, HELD_REASON, ORDINAL, CORRECTS, FINDINGS),
)
def apply_order_rules(candidates: DataFrame, context: Context, policy: MergePolicy) -> DataFrame:
    """The candidates with RULE where a law is broken, and the places of accepted events."""
    law_levels = _law_levels(context) if policy.required_order.enabled else []
    habits = _habits(context) if policy.expected_order.enabled else []
    laws = [law for level in law_levels for law in level]
    ranks = {order_rule.sought_rank for order_rule in [*laws, *habits]}
    candidates = with_placement(candidates, context, ranks)
    candidates = candidates.withColumn(HELD_REASON, F.lit(None).cast("string"))
    for depth, level in enumerate(law_levels):
        candidates = _hold_law_breaches(candidates, level)
        following = law_levels[depth + 1] if depth + 1 < len(law_levels) else habits
        candidates = refresh_first_placed(
            candidates, [rule.sought_rank for rule in following if rule.sought_may_be_held]
        )
    return drop_first_placed(_with_timeline_columns(candidates, policy, habits), ranks)


def _law_levels(context: Context) -> list[list[_OrderRule]]:
    """All `Requires` rules by depth; those of one depth, of all aggregates, are asked at once."""
    by_aggregate = [(a, a.required_levels()) for a in context.aggregates]
    depth = max((len(levels) for _, levels in by_aggregate), default=0)
    return [
        [_OrderRule(a, rule) for a, levels in by_aggregate if d < len(levels) for rule in levels[d]]
        for d in range(depth)
    ]


def _habits(context: Context) -> list[_OrderRule]:
    return [
        _OrderRule(aggregate, rule)
        for aggregate in context.aggregates
        for rule in aggregate.order
        if not isinstance(rule, Requires)
    ]


def _hold_law_breaches(candidates: DataFrame, laws: list[_OrderRule]) -> DataFrame:
    """Give an open event that breaks a law the law's RULE and a HELD_REASON.

    It breaks one if the event that must come first is missing, is held, or comes later. Of several
    laws the first in the list counts.
    """
    broken_rule, reason = F.lit(None).cast("string"), F.lit(None).cast("string")
    for law in reversed(laws):
        assert isinstance(law.rule, Requires)
        first = first_placed(law.sought_rank)
        breaks = law.applies & (first.isNull() | (first > F.col(PLACED_AT)))
        need = f"{law.rule.event.__name__} needs {law.rule.first.__name__} first, which "
        law_reason = F.when(first.isNull(), need + "is missing or held itself").otherwise(
            need + "came later"
        )
        broken_rule = F.when(breaks, F.lit(law.rule.rule)).otherwise(broken_rule)
        reason = F.when(breaks, law_reason).otherwise(reason)
    candidates = candidates.withColumns({"broken_rule": broken_rule, "breach_reason": reason})
    return candidates.withColumns(
        {
            RULE: F.coalesce(RULE, "broken_rule"),
            HELD_REASON: F.coalesce(HELD_REASON, "breach_reason"),
        }
    ).drop("broken_rule", "breach_reason")


def _with_timeline_columns(
    candidates: DataFrame, policy: MergePolicy, habits: list[_OrderRule]
) -> DataFrame:
    """Adds ORDINAL, CORRECTS and FINDINGS, from one window in the timeline's order."""
    order = subject_window().orderBy(~is_open(), *TIMELINE_ORDER)
    departures = [departure for habit in habits for departure in _departures(habit)]
    window = running_window(order)
    counts = {
        f"departures_{i}": F.count_if(departure.condition).over(window)
        for i, departure in enumerate(departures)
    }
    has_late_corrections = policy.late_arrivals.enabled and policy.late_arrivals.before is not None
    corrects = _corrected_id() if has_late_corrections else F.lit(None).cast("string")
    candidates = candidates.withColumns(
        {
            ORDINAL: F.when(is_open(), F.row_number().over(order)),
            CORRECTS: corrects,
            **counts,
        }
    )
    findings = [
        F.when(
            departure.condition & (F.col(f"departures_{i}") == 1),
            F.struct(F.lit(departure.rule).alias("rule"), F.lit(departure.reason).alias("reason")),
        )
        for i, departure in enumerate(departures)
    ]
    none = F.array().cast(FINDINGS.type)
    all_findings = F.array_compact(F.array(*findings)) if findings else none
    return candidates.withColumn(FINDINGS, all_findings).drop(*counts)


@dataclass(frozen=True)
class _Departure:
    """One way in which an event departs from a habit.

    There is one finding per rule and subject: at the first event for which `condition` holds.
    """

    rule: str
    reason: str
    condition: Column


def _departures(habit: _OrderRule) -> list[_Departure]:
    event, first = habit.rule.event.__name__, first_placed(habit.sought_rank)
    sought = habit.sought.__name__
    if isinstance(habit.rule, Excludes):
        reason = f"{event} came to a subject that has {sought}"
        return [_Departure(habit.rule.rule, reason, habit.applies & first.isNotNull())]
    assert isinstance(habit.rule, Expects)
    later = habit.applies & F.coalesce(first > F.col(PLACED_AT), F.lit(False))
    departures = [_Departure(habit.rule.rule, f"{event} came before {sought}", later)]
    if habit.rule.missing:
        never = habit.applies & first.isNull()
        reason = f"{event} came, {sought} never did"
        departures.append(_Departure(habit.rule.missing, reason, never))
    return departures


def _corrected_id() -> Column:
    """Of a late correction, the id of the last event of its type that is placed before it."""
    before = running_window(subject_window("type").orderBy(~is_open(), *TIMELINE_ORDER))
    on_time = F.when(is_open() & ~F.col(LATE), F.col("id"))
    return F.when(is_open() & F.col(LATE), F.last(on_time, ignorenulls=True).over(before))
