"""The merge: every candidate event gets its one verdict, in one exchange keyed by subject.

The rules are asked in this order, and the first that holds decides:

1. after the cut: the live topic carries it, history does not;
2. duplicate id: the same event once more;
3. native preferred: the live producer announced the same fact;
4. duplicate fact: another candidate announces the same fact, and a better one comes first
   (native before synthetic, exact before inferred before approximate, then by sequence and id);
5. held: an event that its aggregate requires first is missing, later, or held itself.

What is left is accepted and placed: by business time, then by the aggregate's declared order, then
by sequence, then by id, so the order is the same on every machine and in every partitioning. An
event whose business time is unknown is placed by the declared order alone: before everything that
the aggregate lists after it.
"""

from __future__ import annotations

import datetime as dt

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, Expects, MergePolicy
from cutline.context.order import Excludes, OrderRule
from cutline.cut import after_cut
from cutline.tables.event import APPROXIMATE, EFFECTIVE, EXACT, INFERRED, NATIVE
from cutline.tables.verdict import (
    ACCEPTED,
    AFTER_CUT,
    DUPLICATE_FACT,
    DUPLICATE_ID,
    HELD,
    NATIVE_PREFERRED,
)

SUBJECT = ("aggregate", "subject")


def judged(candidates: DataFrame, context: Context, cut: dt.datetime) -> DataFrame:
    """The candidates with `verdict`, `reason`, `winner`, `ordinal` and `findings`.

    `ordinal` is null where the verdict is not `accepted`. `findings` is an array of structs of
    `rule` and `reason`. `migconfidence` of an event with findings is at most `inferred`.
    """
    frame = candidates.repartition(*SUBJECT)
    frame = _without_doubles(frame, context.merge, cut)
    frame = _placed_in_time(frame, context)
    frame = _held(frame, context)
    frame = _with_findings(frame, context)
    order = Window.partitionBy(*SUBJECT).orderBy(F.col("verdict") != ACCEPTED, *_PLACE)
    accepted = F.col("verdict") == ACCEPTED
    return frame.withColumn("ordinal", F.when(accepted, F.row_number().over(order)))


_PLACE = ("placed_at", "rank", "sequence", "id")


def _without_doubles(frame: DataFrame, policy: MergePolicy, cut: dt.datetime) -> DataFrame:
    native = F.col("migorigin") == NATIVE
    happened = F.when(native, F.col("time")).otherwise(F.col("migsrctime"))
    late = after_cut(happened, cut) & F.lit(policy.reject_after_cut)
    frame = frame.withColumn("late", late)
    certainty = (
        F.when(F.col("migconfidence") == EXACT, 0)
        .when(F.col("migconfidence") == INFERRED, 1)
        .otherwise(2)
    )
    first_native = F.when(native & F.lit(policy.prefer_native), 0).otherwise(1)
    better = [first_native, certainty, F.col("sequence"), F.col("time"), F.col("id"), F.col("data")]
    same_id = Window.partitionBy(*SUBJECT, "id").orderBy("late", *better)
    frame = frame.withColumn("again", ~F.col("late") & (F.row_number().over(same_id) > 1))
    # Events without a fact key are facts of their own.
    frame = frame.withColumn("fact", F.coalesce("migfactkey", "id"))
    same_fact = Window.partitionBy(*SUBJECT, "fact").orderBy(
        F.col("late") | F.col("again"), *better
    )
    frame = frame.withColumns(
        {
            "place": F.row_number().over(same_fact),
            "best": F.first("id").over(same_fact),
            "best_origin": F.first("migorigin").over(same_fact),
        }
    )
    beaten = (F.col("place") > 1) & ~F.col("late") & ~F.col("again")
    by_native = beaten & (F.col("best_origin") == NATIVE) & ~native & F.lit(policy.prefer_native)
    by_fact = beaten & ~by_native & F.lit(policy.ignore_duplicate_facts)
    verdict = (
        F.when(F.col("late"), F.lit(AFTER_CUT))
        .when(F.col("again"), F.lit(DUPLICATE_ID))
        .when(by_native, F.lit(NATIVE_PREFERRED))
        .when(by_fact, F.lit(DUPLICATE_FACT))
        .otherwise(F.lit(ACCEPTED))
    )
    frame = frame.withColumn("verdict", verdict)
    lost = F.col("verdict").isin(NATIVE_PREFERRED, DUPLICATE_FACT)
    reason = F.lit("nothing speaks against it")
    for name, told in _REASONS.items():
        reason = F.when(F.col("verdict") == name, F.lit(told)).otherwise(reason)
    frame = frame.withColumns(
        {
            "reason": reason,
            "winner": F.when(lost, F.col("best")).when(F.col("again"), F.col("id")),
        }
    )
    return frame.drop("late", "again", "fact", "place", "best", "best_origin")


_REASONS = {
    AFTER_CUT: "it came after the cut: the live topic carries it",
    DUPLICATE_ID: "the same event came more than once",
    NATIVE_PREFERRED: "the live producer announced the same fact",
    DUPLICATE_FACT: "another event announces the same fact",
}


def _placed_in_time(frame: DataFrame, context: Context) -> DataFrame:
    """Adds `rank`, the declared order, and `placed_at`, the moment by which events are placed."""
    rank = F.lit(0)
    for aggregate in context.aggregates:
        for event in aggregate.events:
            rank = F.when(_is(event), F.lit(aggregate.rank(event))).otherwise(rank)
    frame = frame.withColumn("rank", rank)
    known = F.col("migtimebasis") == EFFECTIVE
    # Ranks from high to low, so that the frame before a row holds what is declared after it.
    later_ranks = (
        Window.partitionBy(*SUBJECT)
        .orderBy(F.col("rank").desc())
        .rangeBetween(Window.unboundedPreceding, -1)
    )
    follower = F.min(F.when(known & (F.col("verdict") == ACCEPTED), F.col("time"))).over(
        later_ranks
    )
    return frame.withColumn(
        "placed_at", F.when(known, F.col("time")).otherwise(F.least("time", follower))
    )


def _held(frame: DataFrame, context: Context) -> DataFrame:
    depth = max((len(a.required_levels()) for a in context.aggregates), default=0)
    for level in range(depth):
        held: Column = F.lit(None).cast("string")
        for aggregate in context.aggregates:
            levels = aggregate.required_levels()
            for rule in levels[level] if level < len(levels) else ():
                before = _earliest(aggregate, rule.first)
                missing = before.isNull() | (before > F.col("placed_at"))
                concerned = _of(aggregate, rule.event) & (F.col("verdict") == ACCEPTED) & missing
                held = F.when(concerned, F.lit(rule.rule)).otherwise(held)
        frame = frame.withColumn("held", held)
        frame = frame.withColumns(
            {
                "verdict": F.when(F.col("held").isNotNull(), F.lit(HELD)).otherwise(
                    F.col("verdict")
                ),
                "reason": F.coalesce("held", "reason"),
            }
        ).drop("held")
    return frame


def _with_findings(frame: DataFrame, context: Context) -> DataFrame:
    found = [
        finding
        for aggregate in context.aggregates
        for rule in aggregate.order
        for finding in _findings(aggregate, rule)
    ]
    none = F.array().cast("array<struct<rule:string,reason:string>>")
    findings = F.array_compact(F.array(*found)) if found else none
    frame = frame.withColumn("findings", findings)
    doubted = (F.size("findings") > 0) & (F.col("migconfidence") != APPROXIMATE)
    return frame.withColumn(
        "migconfidence", F.when(doubted, F.lit(INFERRED)).otherwise(F.col("migconfidence"))
    )


def _findings(aggregate: Aggregate, rule: OrderRule) -> list[Column]:
    """Structs of `rule` and `reason`, null where there is nothing to find.

    A finding is made at the first event of its type in the subject: one per rule and subject.
    """
    if isinstance(rule, Excludes):
        seen = _earliest(aggregate, rule.other).isNotNull()
        told = f"{rule.event.__name__} came to a subject that has {rule.other.__name__}"
        return [_finding(aggregate, rule.event, seen, rule.rule, told)]
    if not isinstance(rule, Expects):
        return []
    before = _earliest(aggregate, rule.first)
    made = [
        _finding(
            aggregate,
            rule.event,
            before > F.col("placed_at"),
            rule.rule,
            f"{rule.event.__name__} came before {rule.first.__name__}",
        )
    ]
    if rule.missing:
        told = f"{rule.event.__name__} came, {rule.first.__name__} never did"
        made.append(_finding(aggregate, rule.event, before.isNull(), rule.missing, told))
    return made


def _finding(
    aggregate: Aggregate, event: type[Event], breach: Column, rule: str, told: str
) -> Column:
    mine = _of(aggregate, event) & (F.col("verdict") == ACCEPTED)
    breach = mine & F.coalesce(breach, F.lit(False))
    whole = Window.partitionBy(*SUBJECT)
    first = F.min(F.when(breach, F.struct(*_PLACE))).over(whole)
    return F.when(
        breach & (first == F.struct(*_PLACE)),
        F.struct(F.lit(rule).alias("rule"), F.lit(told).alias("reason")),
    )


def _earliest(aggregate: Aggregate, event: type[Event]) -> Column:
    """When the first accepted event of a type is placed in the row's subject; null if none is."""
    accepted = _of(aggregate, event) & (F.col("verdict") == ACCEPTED)
    return F.min(F.when(accepted, F.col("placed_at"))).over(Window.partitionBy(*SUBJECT))


def _of(aggregate: Aggregate, event: type[Event]) -> Column:
    return (F.col("aggregate") == aggregate.name) & _is(event)


def _is(event: type[Event]) -> Column:
    return F.col("type") == event.event_type()
