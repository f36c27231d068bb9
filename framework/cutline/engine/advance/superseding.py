"""Events of a re-drive beside those of the runs before: which of these they supersede."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import frame_of, step
from cutline.tables import EVENTS
from cutline.tables.event import NATIVE

_FACT = ("aggregate", "subject", "migfactkey")
_STANDING, _EARLIER = "_standing", "_earlier"


@step(needs=frame_of(EVENTS), returns=frame_of(EVENTS))
def with_superseded(events: DataFrame, timeline: DataFrame, superseded: Column) -> DataFrame:
    """The candidate events, with `migsupersedes` against the timeline of an earlier run.

    An event that stands there keeps what it superseded then. One that does not supersedes what
    `superseded` says of the last synthetic event there of the same fact, if there is one.
    """
    earlier = timeline.where(F.col("migorigin") != NATIVE)
    standing = earlier.select(
        "aggregate",
        "subject",
        "id",
        F.struct(F.col("migsupersedes").alias("id")).alias(_STANDING),
    )
    last = earlier.groupBy(*_FACT).agg(F.max_by(superseded, "ordinal").alias(_EARLIER))
    joined = events.join(standing, ["aggregate", "subject", "id"], "left").join(
        last, list(_FACT), "left"
    )
    supersedes = F.when(F.col(_STANDING).isNotNull(), F.col(f"{_STANDING}.id")).otherwise(
        F.col(_EARLIER)
    )
    return joined.withColumn("migsupersedes", supersedes).select(*EVENTS.names)
