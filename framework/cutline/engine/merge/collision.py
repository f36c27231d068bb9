"""The rule of synthetic and native events near in time, though no fact says that they are one."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.engine.merge.columns import (
    RULE,
    decided,
    is_native,
    is_open,
    of_subject,
    time_is_known,
)
from cutline.tables import verdict


def settled_collisions(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    """Lets the nearest native event win; of two at one distance the earlier, then the lower id."""
    rule = policy.native_collision
    if not rule.enabled:
        return frame
    within = rule.within // dt.timedelta(microseconds=1)
    frame = frame.withColumn("micros", F.unix_micros("time"))
    near = of_subject("type").orderBy("micros")
    native = is_open() & is_native() & time_is_known()
    # Of the latest before, the lowest id: so the moment is turned round, not the comparison.
    before = F.min(F.when(native, F.struct((-F.col("micros")).alias("at"), "id")))
    after = F.min(F.when(native, F.struct(F.col("micros").alias("at"), "id")))
    frame = frame.withColumns(
        {
            "before": before.over(near.rangeBetween(-within, 0)),
            "after": after.over(near.rangeBetween(0, within)),
        }
    )
    since = F.col("micros") + F.col("before.at")
    until = F.col("after.at") - F.col("micros")
    earlier = until.isNull() | (since <= until)
    nearest = F.when(earlier, F.col("before.id")).otherwise(F.col("after.id"))
    concerned = ~is_native() & time_is_known()
    frame = frame.withColumn("nearest", F.coalesce(nearest, "after.id"))
    collides = is_open() & concerned & F.col("nearest").isNotNull()
    return frame.withColumns(
        {
            "winner": F.when(collides, F.col("nearest")).otherwise(F.col("winner")),
            RULE: decided(verdict.NATIVE_COLLISION, collides),
        }
    ).drop("micros", "before", "after", "nearest")
