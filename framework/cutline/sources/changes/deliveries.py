"""Changes that a topic delivered twice, or in an order that contradicts itself.

Where the order of a topic is all the order there is, a record that comes again has another offset,
and looks like another change. What it says tells them apart: the place in the source's log, where
the record carries it (`own`); else the same images of the same row, of the same commit. Two equal
changes of a row may both be true within one commit (there and back, and there again). So an equal
one is the same delivered again where that cannot be: directly behind the first; behind another
commit; where the row did not stand as it says that it stood before; and with what follows one of
these in the order of the first time.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.project.changes import Changes, MaxwellChanges
from cutline.tables.change import SNAPSHOT

OUT_OF_ORDER = "out-of-order"
"""The defect of a change that came behind a later one of its row, and was not delivered before;
and of one that another partition, or file, has of the same moment."""

DELIVERY = ("own", "before_hash", "after_hash", "text")
"""Beside the columns of changes: `own`; each image's hash, null where there is none; the record."""

_IDENTITY = ("row", "op", "source_time", "transaction", "own", "before_hash", "after_hash")
_ARRIVAL = ("partition", "offset", "position")


def ordered_by_offset(section: Changes) -> bool:
    """Whether the place in the topic is all that orders a change file."""
    return section.log == "kafka"


def may_redeliver(section: Changes) -> bool:
    """Whether a change that is delivered again may have another position than the first time."""
    return ordered_by_offset(section) or isinstance(section, MaxwellChanges)


def resolve_redeliveries(changes: DataFrame, section: Changes) -> DataFrame:
    """The changes without DELIVERY; what was delivered again at the place of the first time.

    What contradicts the order has OUT_OF_ORDER among its defects, where offsets are the order.
    """
    stray = F.concat_ws(".", F.lit("?"), "partition", "offset", "position")
    rows = _with_redeliveries(changes.withColumn("row", F.coalesce("key", stray)))
    first, again, defects = F.col("first"), F.col("again"), F.col("defects")
    contradicts = _contradicts_order() if ordered_by_offset(section) else F.lit(False)
    behind = F.array_append("defects", F.lit(OUT_OF_ORDER))
    return rows.select(
        *(
            F.when(again, first.getField(name)).otherwise(F.col(name)).alias(name)
            if name in ("position", "commit")
            else F.when(contradicts, behind).otherwise(defects).alias(name)
            if name == "defects"
            else F.when(contradicts, F.col("text")).otherwise(F.col(name)).alias(name)
            if name == "payload"
            else F.col(name)
            for name in changes.columns
            if name not in DELIVERY
        )
    )


def _with_redeliveries(rows: DataFrame) -> DataFrame:
    """The rows with `first`, where their like came first, and `again`: it is that one once more.

    And with `latest`, the moment and partition of the row's last change before, of the latest.
    """
    arrival = Window.partitionBy("row").orderBy(*_ARRIVAL)
    so_far = arrival.rowsBetween(Window.unboundedPreceding, 0)
    before = arrival.rowsBetween(Window.unboundedPreceding, -1)
    alike = Window.partitionBy(*_IDENTITY).orderBy(*_ARRIVAL)
    commit, like = F.struct("source_time", "transaction"), F.struct(*_IDENTITY)
    streamed = F.col("op") != SNAPSHOT
    previous_image = F.lag("after_hash").over(arrival)
    placed = rows.withColumns(
        {
            "at": F.row_number().over(arrival),
            "moved": ~F.coalesce(F.lag(commit).over(arrival) == commit, F.lit(False)),
            "directly": F.coalesce(F.lag(like).over(arrival).eqNullSafe(like), F.lit(False)),
            "torn": F.coalesce(F.col("before_hash") != previous_image, F.lit(False)),
        }
    ).withColumn("commits", F.sum(F.col("moved").cast("int")).over(so_far))
    with_first = placed.withColumn(
        "first", F.first(F.struct("at", "commits", "position", "commit")).over(alike)
    )
    first = F.col("first")
    repeated = streamed & (first.getField("at") < F.col("at"))
    certain = (
        F.col("own").isNotNull()
        | F.col("directly")
        | F.col("torn")
        | (first.getField("commits") < F.col("commits"))
    )
    shift = F.when(repeated, F.col("at") - first.getField("at")).otherwise(0)
    shifted = with_first.withColumns({"repeated": repeated, "certain": certain, "shift": shift})
    turned = ~F.coalesce(F.lag("shift").over(arrival) == F.col("shift"), F.lit(False))
    blocks = shifted.withColumn("turned", turned).withColumn(
        "block", F.sum(F.col("turned").cast("int")).over(so_far)
    )
    in_block = Window.partitionBy("row", "block").orderBy(*_ARRIVAL)
    sure = F.max(F.col("repeated") & F.col("certain")).over(in_block)
    marked = blocks.withColumn("again", F.col("repeated") & sure)
    place = F.when(streamed & ~F.col("again"), F.struct("source_time", "partition"))
    return marked.withColumn("latest", F.max(place).over(before))


def _contradicts_order() -> Column:
    """Whether a change lies before one of its row that came earlier, or beside one elsewhere."""
    time, partition = (F.col("latest").getField(n) for n in ("source_time", "partition"))
    beside = (F.col("source_time") == time) & (F.col("partition") != partition)
    contradicts = (
        ~F.col("again") & (F.col("op") != SNAPSHOT) & ((F.col("source_time") < time) | beside)
    )
    return F.coalesce(contradicts, F.lit(False))
