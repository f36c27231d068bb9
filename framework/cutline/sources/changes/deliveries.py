"""Changes that a topic delivered twice, or in an order that contradicts itself.

Where offsets are the only order, a record that is delivered again has another offset, and looks
like another change. It is recognised by its place in the source's log, if the record has one
(`own`); otherwise by equal images of the same row in the same commit. Two equal changes of a row
may both be real within one commit (there and back, and there again). So an equal change is a
redelivery where it cannot be real: directly after the first; in another commit; where the row's
image did not equal the change's image before; and together with the changes after one of these, in
the order of the first delivery.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.project.changes import Changes, MaxwellChanges
from cutline.tables.change import SNAPSHOT

OUT_OF_ORDER = "out-of-order"
"""The defect of a change that came after a later one of its row, and was not delivered before; and
of a change with the same time in another partition or file.
"""

DELIVERY = ("own", "before_hash", "after_hash", "text")
"""Columns beside those of changes: `own`; the hash of each image, null without one; the record."""

_IDENTITY = ("row", "op", "source_time", "transaction", "own", "before_hash", "after_hash")
_ARRIVAL = ("partition", "offset", "position")


def ordered_by_offset(section: Changes) -> bool:
    """Whether the place in the topic is the only order of a change file."""
    return section.log == "kafka"


def may_redeliver(section: Changes) -> bool:
    """Whether a redelivered change may have another position than the first time."""
    return ordered_by_offset(section) or isinstance(section, MaxwellChanges)


def resolve_redeliveries(changes: DataFrame, section: Changes) -> DataFrame:
    """The changes without DELIVERY; a redelivered change has the position of its first delivery.

    Where offsets are the order, a change that contradicts it has OUT_OF_ORDER among its defects.
    """
    keyless = F.concat_ws(".", F.lit("?"), "partition", "offset", "position")
    rows = _with_redeliveries(changes.withColumn("row", F.coalesce("key", keyless)))
    first, again, defects = F.col("first"), F.col("again"), F.col("defects")
    contradicts = _contradicts_order() if ordered_by_offset(section) else F.lit(False)
    with_defect = F.array_append("defects", F.lit(OUT_OF_ORDER))
    return rows.select(
        *(
            F.when(again, first.getField(name)).otherwise(F.col(name)).alias(name)
            if name in ("position", "commit")
            else F.when(contradicts, with_defect).otherwise(defects).alias(name)
            if name == "defects"
            else F.when(contradicts, F.col("text")).otherwise(F.col(name)).alias(name)
            if name == "payload"
            else F.col(name)
            for name in changes.columns
            if name not in DELIVERY
        )
    )


def _with_redeliveries(rows: DataFrame) -> DataFrame:
    """The rows with `first`, the first delivery of an equal change, and `again`: it is a
    redelivery.

    And with `latest`: of the row's changes before, the latest time, with its partition.
    """
    arrival = Window.partitionBy("row").orderBy(*_ARRIVAL)
    so_far = arrival.rowsBetween(Window.unboundedPreceding, 0)
    before = arrival.rowsBetween(Window.unboundedPreceding, -1)
    equal_changes = Window.partitionBy(*_IDENTITY).orderBy(*_ARRIVAL)
    commit, identity = F.struct("source_time", "transaction"), F.struct(*_IDENTITY)
    streamed = F.col("op") != SNAPSHOT
    previous_image = F.lag("after_hash").over(arrival)
    ordered = rows.withColumns(
        {
            "at": F.row_number().over(arrival),
            "moved": ~F.coalesce(F.lag(commit).over(arrival) == commit, F.lit(False)),
            "directly": F.coalesce(
                F.lag(identity).over(arrival).eqNullSafe(identity), F.lit(False)
            ),
            "torn": F.coalesce(F.col("before_hash") != previous_image, F.lit(False)),
        }
    ).withColumn("commits", F.sum(F.col("moved").cast("int")).over(so_far))
    with_first = ordered.withColumn(
        "first", F.first(F.struct("at", "commits", "position", "commit")).over(equal_changes)
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
    shift_changes = ~F.coalesce(F.lag("shift").over(arrival) == F.col("shift"), F.lit(False))
    blocks = shifted.withColumn("turned", shift_changes).withColumn(
        "block", F.sum(F.col("turned").cast("int")).over(so_far)
    )
    in_block = Window.partitionBy("row", "block").orderBy(*_ARRIVAL)
    is_certain = F.max(F.col("repeated") & F.col("certain")).over(in_block)
    marked = blocks.withColumn("again", F.col("repeated") & is_certain)
    place = F.when(streamed & ~F.col("again"), F.struct("source_time", "partition"))
    return marked.withColumn("latest", F.max(place).over(before))


def _contradicts_order() -> Column:
    """Whether a change is before an earlier change of its row, or as old as one elsewhere."""
    time, partition = (F.col("latest").getField(n) for n in ("source_time", "partition"))
    elsewhere = (F.col("source_time") == time) & (F.col("partition") != partition)
    contradicts = (
        ~F.col("again") & (F.col("op") != SNAPSHOT) & ((F.col("source_time") < time) | elsewhere)
    )
    return F.coalesce(contradicts, F.lit(False))
