"""All merge rules in their order, and the verdicts that come of them.

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
from cutline.context.merge_policy import PRECEDENCE, MergePolicy, MergeRule
from cutline.engine.merge.collisions import resolve_collisions
from cutline.engine.merge.columns import LATE, RULE, SUBJECT, event_column, pack_candidates
from cutline.engine.merge.duplicates import ID_WITH_OTHER_PAYLOAD, deduplicate_facts
from cutline.engine.merge.order_rules import apply_order_rules
from cutline.engine.merge.single_event_rules import with_single_event_rules
from cutline.tables import verdict
from cutline.tables.event import APPROXIMATE, CORRECTIVE, INFERRED

AMENDED = ("migconfidence", "migorigin", "migsupersedes", "corrects")
"""The columns of TIMELINE in which an accepted event differs from the candidate that it was."""


def with_verdicts(
    candidates: DataFrame, context: Context, policy: MergePolicy | None = None
) -> DataFrame:
    """The candidates with their verdicts; by `context.merge` where no policy is given.

    Adds `verdict`, `rule`, `reason`, `winner`; and of accepted events `ordinal`, their place in the
    subject's timeline, and `findings`, an array of structs of `rule` and `reason`. Of all others
    the ordinal is null and the findings are empty. The candidate's own columns stay as they came:
    what the timeline says otherwise is in `amended`, a struct of AMENDED: the confidence (at most
    inferred, where there are findings), the origin, and the ids of the events that this one
    supersedes and corrects; null for events that are not accepted.
    """
    policy = context.merge if policy is None else policy
    frame = with_single_event_rules(candidates.repartition(*SUBJECT), policy)
    frame = pack_candidates(frame, LATE, RULE)
    frame = deduplicate_facts(frame, policy)
    frame = resolve_collisions(frame, policy)
    frame = apply_order_rules(frame, context, policy)
    return _with_verdict_columns(frame, candidates.columns)


def _with_verdict_columns(frame: DataFrame, candidate_columns: list[str]) -> DataFrame:
    accepted, decided_by = F.col(RULE).isNull(), F.col(RULE)
    held_reason, late = F.col("held_reason"), F.col(LATE)
    rule = (
        F.when(~accepted, decided_by).when(late, verdict.LATE_ARRIVAL).otherwise(verdict.ACCEPTED)
    )
    reason = (
        F.when(held_reason.isNotNull(), held_reason)
        .when(
            (decided_by == verdict.DUPLICATE_ID) & F.col("other_payload"),
            F.lit(ID_WITH_OTHER_PAYLOAD),
        )
        .otherwise(reason_of(rule))
    )
    lowered = (F.size("findings") > 0) & (F.col("migconfidence") != APPROXIMATE)
    supersedes = F.coalesce("supersedes", event_column("migsupersedes"))
    values = {
        "migconfidence": F.when(lowered, INFERRED).otherwise(F.col("migconfidence")),
        "migorigin": F.when(late, F.lit(CORRECTIVE)).otherwise(F.col("migorigin")),
        "migsupersedes": supersedes,
        "corrects": F.coalesce(supersedes, "corrects"),
    }
    amended = F.struct(*(values[name].alias(name) for name in AMENDED))
    return frame.select(
        *(event_column(name).alias(name) for name in candidate_columns),
        F.when(held_reason.isNotNull(), verdict.HELD)
        .otherwise(_by_rule(rule, lambda merge_rule: merge_rule.verdict))
        .alias("verdict"),
        rule.alias(RULE),
        reason.alias("reason"),
        "winner",
        "ordinal",
        "findings",
        F.when(accepted, amended).alias("amended"),
    )


def reason_of(rule: Column) -> Column:
    """The reason of a merge rule, for people; null for a rule of order, whose reason differs."""
    return _by_rule(rule, lambda merge_rule: merge_rule.reason)


def _by_rule(rule: Column, value_of: Callable[[MergeRule], str]) -> Column:
    value = F.lit(None).cast("string")
    for merge_rule in PRECEDENCE:
        value = F.when(rule == merge_rule.rule, F.lit(value_of(merge_rule))).otherwise(value)
    return value
