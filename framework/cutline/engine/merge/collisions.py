"""The merge rule of native collisions: a synthetic and a native event of one type, near in time.

Their fact keys differ; only the distance of their business times says that they are the same event.
"""

from __future__ import annotations

import datetime as dt

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.engine.frames import step
from cutline.engine.merge.columns import (
    decide_open,
    is_native,
    is_open,
    running_window,
    subject_window,
    time_is_known,
)
from cutline.engine.merge.frames import CANDIDATES_WITH_RULE, RULE, WINNER
from cutline.engine.windows import next_not_null
from cutline.tables import verdict


@step(needs=CANDIDATES_WITH_RULE.with_columns(WINNER))
def resolve_collisions(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """Decides NATIVE_COLLISION for synthetic events near a native one, which is their WINNER.

    The nearest native event wins; of two at one distance the earlier, then the one of lower id.
    """
    rule = policy.native_collision
    if not rule.enabled:
        return candidates
    distance = rule.within // dt.timedelta(microseconds=1)
    candidates = candidates.withColumn("micros", F.unix_micros("time"))
    native = is_open() & is_native() & time_is_known()
    moment = F.struct(F.col("micros").alias("at"), "id")
    # Moments before are negated, so that the least is the latest, and of equal ones the lowest id.
    negated = F.struct((-F.col("micros")).alias("at"), "id")
    by_time = subject_window("type").orderBy("micros", "id")
    candidates = candidates.withColumn("native", F.when(native, moment)).withColumns(
        {
            "before": F.min(F.when(native, negated)).over(running_window(by_time)),
            "after": next_not_null("native").over(by_time),
        }
    )
    since_before = F.col("micros") + F.col("before.at")
    until_after = F.col("after.at") - F.col("micros")
    before_is_nearer = until_after.isNull() | (since_before <= until_after)
    nearest = F.when(before_is_nearer, F.col("before.id")).otherwise(F.col("after.id"))
    is_near = F.coalesce(F.least(since_before, until_after) <= distance, F.lit(False))
    candidates = candidates.withColumn("nearest", F.when(is_near, F.coalesce(nearest, "after.id")))
    synthetic = ~is_native() & time_is_known()
    collides = is_open() & synthetic & F.col("nearest").isNotNull()
    return candidates.withColumns(
        {
            WINNER: F.when(collides, F.col("nearest")).otherwise(F.col(WINNER)),
            RULE: decide_open(verdict.NATIVE_COLLISION, collides),
        }
    ).drop("micros", "native", "before", "after", "nearest")
