"""Causal order: what is held, and what is found."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Excludes, Expects, Requires
from cutline.context.merge_policy import MergePolicy
from cutline.engine.merge.columns import (
    LATE,
    PLACE,
    PLACED_AT,
    RANK,
    RULE,
    is_open,
    of_subject,
    so_far,
)
from cutline.engine.merge.placing import first_of, forgotten, placed, placed_again

_HELD = "held"


@dataclass(frozen=True)
class _Asked:
    """An order rule of an aggregate, and the rank of the event that it looks for."""

    aggregate: Aggregate
    rule: Requires | Expects | Excludes

    @property
    def rank(self) -> int:
        other = self.rule.other if isinstance(self.rule, Excludes) else self.rule.first
        return self.aggregate.rank(other)

    @property
    def mine(self) -> Column:
        """Whether the row is an open event that the rule is about."""
        told = (F.col("aggregate") == self.aggregate.name) & is_open()
        return told & (F.col(RANK) == self.aggregate.rank(self.rule.event))

    @property
    def may_be_held(self) -> bool:
        """Whether the event that it looks for has a `requires` rule of its own."""
        other = self.rule.other if isinstance(self.rule, Excludes) else self.rule.first
        return any(isinstance(r, Requires) and r.event is other for r in self.aggregate.order)


def ordered(frame: DataFrame, context: Context, policy: MergePolicy) -> DataFrame:
    """Holds what breaks a law; adds `ordinal`, `findings` and, for late arrivals, `corrects`.

    `held` says why, where an event is held; its rule is then that of the order.
    """
    levels = _levels(context) if policy.required_order.enabled else []
    habits = _habits(context) if policy.expected_order.enabled else []
    asked = {one.rank for one in [*(one for level in levels for one in level), *habits]}
    frame = placed(frame, context, asked).withColumn(_HELD, F.lit(None).cast("string"))
    for depth, level in enumerate(levels):
        frame = _hold(frame, level)
        following = levels[depth + 1] if depth + 1 < len(levels) else habits
        frame = placed_again(frame, [one.rank for one in following if one.may_be_held])
    return forgotten(_numbered(frame, policy, habits), asked)


def _levels(context: Context) -> list[list[_Asked]]:
    """All `requires` rules by depth; those of one depth, of all aggregates, are asked at once."""
    by_aggregate = [(a, a.required_levels()) for a in context.aggregates]
    depth = max((len(levels) for _, levels in by_aggregate), default=0)
    return [
        [_Asked(a, rule) for a, levels in by_aggregate if d < len(levels) for rule in levels[d]]
        for d in range(depth)
    ]


def _habits(context: Context) -> list[_Asked]:
    return [
        _Asked(a, rule)
        for a in context.aggregates
        for rule in a.order
        if not isinstance(rule, Requires)
    ]


def _hold(frame: DataFrame, level: list[_Asked]) -> DataFrame:
    rule, why = F.lit(None).cast("string"), F.lit(None).cast("string")
    for one in reversed(level):
        assert isinstance(one.rule, Requires)
        first = first_of(one.rank)
        breaks = one.mine & (first.isNull() | (first > F.col(PLACED_AT)))
        named = f"{one.rule.event.__name__} needs {one.rule.first.__name__} first, which "
        told = F.when(first.isNull(), named + "is missing or held itself").otherwise(
            named + "came later"
        )
        rule = F.when(breaks, F.lit(one.rule.rule)).otherwise(rule)
        why = F.when(breaks, told).otherwise(why)
    frame = frame.withColumns({"breaks": rule, "why": why})
    return frame.withColumns(
        {RULE: F.coalesce(RULE, "breaks"), _HELD: F.coalesce(_HELD, "why")}
    ).drop("breaks", "why")


def _numbered(frame: DataFrame, policy: MergePolicy, habits: list[_Asked]) -> DataFrame:
    """The last look at a subject, in the order in which its events are accepted."""
    order = of_subject().orderBy(~is_open(), *PLACE)
    breaches = [found for one in habits for found in _breaches(one)]
    window = so_far(order)
    seen = {f"seen_{i}": F.count_if(holds).over(window) for i, (_, _, holds) in enumerate(breaches)}
    corrects = _corrected() if _has_late_ones(policy) else F.lit(None).cast("string")
    frame = frame.withColumns(
        {"ordinal": F.when(is_open(), F.row_number().over(order)), "corrects": corrects, **seen}
    )
    made = [
        F.when(
            holds & (F.col(f"seen_{i}") == 1),
            F.struct(F.lit(rule).alias("rule"), F.lit(told).alias("reason")),
        )
        for i, (rule, told, holds) in enumerate(breaches)
    ]
    none = F.array().cast("array<struct<rule:string,reason:string>>")
    findings = F.array_compact(F.array(*made)) if made else none
    return frame.withColumn("findings", findings).drop(*seen)


def _breaches(one: _Asked) -> list[tuple[str, str, Column]]:
    """Rule, words and predicate of what departs from a habit.

    A finding is made at the first event that departs: one per rule and subject.
    """
    event, first = one.rule.event.__name__, first_of(one.rank)
    if isinstance(one.rule, Excludes):
        told = f"{event} came to a subject that has {one.rule.other.__name__}"
        return [(one.rule.rule, told, one.mine & first.isNotNull())]
    assert isinstance(one.rule, Expects)
    other = one.rule.first.__name__
    later = one.mine & F.coalesce(first > F.col(PLACED_AT), F.lit(False))
    found = [(one.rule.rule, f"{event} came before {other}", later)]
    if one.rule.missing:
        never = one.mine & first.isNull()
        found.append((one.rule.missing, f"{event} came, {other} never did", never))
    return found


def _has_late_ones(policy: MergePolicy) -> bool:
    return policy.late_arrivals.enabled and policy.late_arrivals.before is not None


def _corrected() -> Column:
    """Of a late arrival, the event of its type that had the last word on its moment until then."""
    before = so_far(of_subject("type").orderBy(~is_open(), *PLACE))
    known = F.last(F.when(is_open() & ~F.col(LATE), F.col("id")), ignorenulls=True).over(before)
    return F.when(is_open() & F.col(LATE), known)
