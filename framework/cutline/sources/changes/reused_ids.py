"""Transaction ids that are used again, as MySQL's are whenever its server starts."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_TIMES = "commit_times"


def commit_times_of_reused_ids(narrow: DataFrame) -> DataFrame | None:
    """By transaction id that several transactions have, the commit times of their last rows.

    Null if there is none: that takes one job to find out.
    """
    lasts = narrow.where(F.col("last") & F.col("committed").isNotNull())
    times = lasts.groupBy("transaction").agg(F.array_sort(F.collect_set("committed")).alias(_TIMES))
    reused = times.where(F.size(_TIMES) > 1)
    return None if reused.isEmpty() else reused


def with_distinct_ids(rows: DataFrame, reused: DataFrame) -> DataFrame:
    """The rows with the commit time added to each `transaction` that several transactions have.

    No row of a transaction is later than its last one. So a row belongs to the first end of its id
    that is not before it, and a row after all ends to a transaction without an end.
    """
    ends = F.filter(_TIMES, lambda time: time >= F.col("committed"))
    distinct_id = F.concat_ws("@", "transaction", F.get(ends, F.lit(0)).cast("string"))
    return rows.join(reused, "transaction", "left").select(
        *(
            F.when(F.col(_TIMES).isNotNull(), distinct_id).otherwise(F.col(name)).alias(name)
            if name == "transaction"
            else F.col(name)
            for name in rows.columns
        )
    )
