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
from cutline.engine.frames import step
from cutline.engine.merge.collisions import resolve_collisions
from cutline.engine.merge.columns import event_column, pack_candidates
from cutline.engine.merge.duplicates import ID_WITH_OTHER_PAYLOAD, deduplicate_facts
from cutline.engine.merge.frames import (
    AMENDED,
    AMENDED_COLUMNS,
    CANDIDATES,
    CORRECTS,
    FINDINGS,
    HELD_REASON,
    LATE,
    MERGED,
    ORDINAL,
    OTHER_PAYLOAD,
    REASON,
    RULE,
    SUBJECT_KEY,
    SUPERSEDES,
    VERDICT,
    WINNER,
)
from cutline.engine.merge.order_rules import apply_order_rules
from cutline.engine.merge.single_event_rules import with_single_event_rules
from cutline.tables import verdict
from cutline.tables.event import APPROXIMATE, CORRECTIVE, INFERRED


@step(needs=CANDIDATES, returns=MERGED)
def with_verdicts(
    candidates: DataFrame, context: Context, policy: MergePolicy | None = None
) -> DataFrame:
    """The candidates with their verdicts; by `context.merge` where no policy is given.

    The candidate's own columns stay as they came. AMENDED has the values of the timeline instead:
    the confidence, lowered to inferred where there are findings; the origin, corrective for a late
    correction; and the ids of the events that this one supersedes and corrects.
    """
    policy = context.merge if policy is None else policy
    frame = with_single_event_rules(candidates.repartition(*SUBJECT_KEY), policy)
    frame = pack_candidates(frame, LATE, RULE)
    frame = deduplicate_facts(frame, policy)
    frame = resolve_collisions(frame, policy)
    frame = apply_order_rules(frame, context, policy)
    return _with_verdict_columns(frame, candidates.columns)


def _with_verdict_columns(frame: DataFrame, candidate_columns: list[str]) -> DataFrame:
    accepted, decided_by = F.col(RULE).isNull(), F.col(RULE)
    held_reason, late = F.col(HELD_REASON), F.col(LATE)
    rule = (
        F.when(~accepted, decided_by).when(late, verdict.LATE_ARRIVAL).otherwise(verdict.ACCEPTED)
    )
    reason = (
        F.when(held_reason.isNotNull(), held_reason)
        .when(
            (decided_by == verdict.DUPLICATE_ID) & F.col(OTHER_PAYLOAD),
            F.lit(ID_WITH_OTHER_PAYLOAD),
        )
        .otherwise(reason_of(rule))
    )
    lowered = (F.size(FINDINGS) > 0) & (F.col("migconfidence") != APPROXIMATE)
    supersedes = F.coalesce(SUPERSEDES, event_column("migsupersedes"))
    values = {
        "migconfidence": F.when(lowered, INFERRED).otherwise(F.col("migconfidence")),
        "migorigin": F.when(late, F.lit(CORRECTIVE)).otherwise(F.col("migorigin")),
        "migsupersedes": supersedes,
        "corrects": F.coalesce(supersedes, CORRECTS),
    }
    amended = F.struct(*(values[name].alias(name) for name in AMENDED_COLUMNS))
    return frame.select(
        *(event_column(name).alias(name) for name in candidate_columns),
        F.when(held_reason.isNotNull(), verdict.HELD)
        .otherwise(_by_rule(rule, lambda merge_rule: merge_rule.verdict))
        .alias(VERDICT),
        rule.alias(RULE),
        reason.alias(REASON),
        WINNER,
        ORDINAL,
        FINDINGS,
        F.when(accepted, amended).alias(AMENDED),
    )


def reason_of(rule: Column) -> Column:
    """The reason of a merge rule, for people; null for a rule of order, whose reason differs."""
    return _by_rule(rule, lambda merge_rule: merge_rule.reason)


def _by_rule(rule: Column, value_of: Callable[[MergeRule], str]) -> Column:
    value = F.lit(None).cast("string")
    for merge_rule in PRECEDENCE:
        value = F.when(rule == merge_rule.rule, F.lit(value_of(merge_rule))).otherwise(value)
    return value
