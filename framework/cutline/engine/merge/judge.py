"""Every rule in its place, and the verdicts that come of it.

The rules are asked in the order of `cutline.context.merge_policy.PRECEDENCE`; the first that holds
decides. What is left is accepted and placed: by business time, then by the aggregate's declared
order, then by sequence, then by id, so the order is the same on every machine and in every
partitioning.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context
from cutline.context.merge_policy import PRECEDENCE, MergePolicy, Step
from cutline.engine.merge.causal import ordered
from cutline.engine.merge.collision import settled_collisions
from cutline.engine.merge.columns import (
    LATE,
    RULE,
    SUBJECT,
    packed,
    unpacked,
)
from cutline.engine.merge.facts import AGAIN_BUT_OTHER, settled_facts
from cutline.engine.merge.outright import judged_alone
from cutline.tables import verdict
from cutline.tables.event import APPROXIMATE, INFERRED


def judged(candidates: DataFrame, context: Context, policy: MergePolicy | None = None) -> DataFrame:
    """The candidates as they came, with their ends; by `context.merge` where no policy is given.

    Adds `verdict`, `rule`, `reason`, `winner`, and `ordinal` and `findings` (an array of structs of
    `rule` and `reason`) of what is accepted: elsewhere the one is null, the other empty. `told` is
    what the timeline says of an accepted event otherwise than the candidate does: a struct of
    `confidence` (at most inferred, where there are findings), `origin`, `supersedes`, and
    `corrects`, the id of what a correction corrects.
    """
    policy = context.merge if policy is None else policy
    frame = judged_alone(candidates.repartition(*SUBJECT), policy)
    frame = packed(frame, LATE, RULE)
    frame = settled_facts(frame, policy)
    frame = settled_collisions(frame, policy)
    frame = ordered(frame, context, policy)
    return _told(frame, candidates.columns)


def _told(frame: DataFrame, columns: list[str]) -> DataFrame:
    accepted = F.col(RULE).isNull()
    held, late = F.col("held"), F.col(LATE)
    ended, before = F.col(RULE), unpacked("migsupersedes")
    again = F.when(F.col("other_payload"), F.lit(AGAIN_BUT_OTHER))
    unspoken = (F.size("findings") > 0) & (F.col("migconfidence") != APPROXIMATE)
    rule = F.when(~accepted, ended).when(late, verdict.LATE_ARRIVAL).otherwise(verdict.ACCEPTED)
    reason = (
        F.when(held.isNotNull(), held)
        .when((ended == verdict.DUPLICATE_ID) & again.isNotNull(), again)
        .otherwise(reason_of(rule))
    )
    told = F.struct(
        F.when(unspoken, INFERRED).otherwise(F.col("migconfidence")).alias("confidence"),
        F.when(late, F.lit("corrective")).otherwise(F.col("migorigin")).alias("origin"),
        F.coalesce("supersedes", before).alias("supersedes"),
        F.coalesce("supersedes", before, "corrects").alias("corrects"),
    )
    return frame.select(
        *(unpacked(name).alias(name) for name in columns),
        F.when(held.isNotNull(), verdict.HELD)
        .otherwise(_by_rule(rule, lambda step: step.verdict))
        .alias("verdict"),
        rule.alias(RULE),
        reason.alias("reason"),
        "winner",
        "ordinal",
        "findings",
        F.when(accepted, told).alias("told"),
    )


def reason_of(rule: Column) -> Column:
    """What a verdict's rule says to people, where it says the same for all."""
    return _by_rule(rule, lambda step: step.reason)


def _by_rule(rule: Column, what: Callable[[Step], str]) -> Column:
    told = F.lit(None).cast("string")
    for step in PRECEDENCE:
        told = F.when(rule == step.rule, F.lit(what(step))).otherwise(told)
    return told
