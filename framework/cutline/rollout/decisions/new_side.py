"""What the new side decided: live events, each with who wrote under the epoch that it carries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.control.plan import LiveEnds
from cutline.control.tenures import Tenure, late_from
from cutline.rollout.decisions.legacy_side import DECISION
from cutline.stages.epoch_guard import (
    authority_of_late,
    epoch_number,
    is_behind,
    is_of_slice,
    lacks_epoch,
    writer_under,
)
from cutline.tables.contract import Column as TableColumn
from cutline.tables.contract import Table
from cutline.topics.headers import mapped_header

NEW_DECISIONS = Table(
    name="new_decisions",
    one_row_is="one live event of the slice, with who wrote under the epoch that it carries, or "
    "when it came if the writes had gone back by then",
    columns=(
        *DECISION,
        TableColumn("producer", "string", "who announced it; null where the record does not say"),
        TableColumn("topic", "string", "its topic", False),
        TableColumn("partition", "int", "its partition", False),
        TableColumn("offset", "bigint", "its offset; null where a line of a file has none"),
        TableColumn("epoch", "bigint", "the epoch that it carries; null if that is no number"),
        TableColumn("is_judged", "boolean", "whether it carries one, or had to", False),
    ),
)


def new_decisions(
    records: DataFrame,
    events: DataFrame,
    every: Sequence[Tenure],
    context: str,
    region: str,
    required_behind: LiveEnds | None,
) -> DataFrame:
    """The live events of the slice, in the columns of NEW_DECISIONS.

    `records` are those of the live topics, `events` those of them that could be read as events of
    the slice. A record that carries an epoch of the slice is judged, readable or not, and so is an
    event of the slice that names no slice beside its epoch; of another slice's it is not the
    business. An event without an epoch is not judged, and counts where it stands behind the place
    at which the new side began to write; behind `required_behind`, where that is not null, it is
    judged as one that nobody had the authority for.
    """
    named = (mapped_header("ce_migcontext") == context) & (mapped_header("ce_migregion") == region)
    placed = records.select(
        mapped_header("ce_id").alias("id"),
        mapped_header("ce_source").alias("producer"),
        mapped_header("ce_type").alias("named_type"),
        mapped_header("ce_subject").alias("named_subject"),
        mapped_header("ce_time").alias("named_time"),
        *("topic", "partition", "offset"),
        mapped_header("ce_migepoch").alias("named_epoch"),
        F.coalesce(named, F.lit(False)).alias("names_slice"),
        is_of_slice(context, region).alias("may_be_ours"),
    )
    read = events.select(
        "id",
        F.col("source").alias("producer"),
        *("aggregate", "subject", "type", "migfactkey", "time"),
    ).dropDuplicates(["id", "producer"])
    joined = placed.join(read, ["id", "producer"], "left")
    # One that names no slice is of the slice whose event it is, as a run takes it.
    ours = F.col("names_slice") | (F.col("may_be_ours") & F.col("type").isNotNull())
    joined = joined.withColumn("text", F.when(ours, F.col("named_epoch")))
    has_epoch = F.col("text").isNotNull()
    epoch = epoch_number("text")
    late, begun = authority_of_late(epoch, every, _is_behind), _is_of_the_new_side(every)
    side = writer_under(epoch, every)
    behind = None if required_behind is None else _is_behind(required_behind)
    lacks = lacks_epoch(F.col("named_epoch").isNull(), behind)
    # A record without an id is called by where it stands.
    place = F.concat_ws("/", "topic", "partition", F.coalesce("offset", F.lit(0)))
    return joined.where(has_epoch | F.col("type").isNotNull()).select(
        F.coalesce(F.nullif("id", F.lit("")), place).alias("id"),
        "aggregate",
        F.coalesce("subject", "named_subject").alias("subject"),
        F.coalesce("type", "named_type", F.lit("")).alias("type"),
        F.col("migfactkey").alias("factkey"),
        F.coalesce("time", F.try_to_timestamp("named_time")).alias("at"),
        *("producer", "topic", "partition", "offset"),
        epoch.alias("epoch"),
        (has_epoch | lacks).alias("is_judged"),
        F.when(has_epoch, F.coalesce(late["side"], side)).alias("authority"),
        F.when(has_epoch & side.isNotNull(), F.coalesce(late["epoch"], epoch)).alias(
            "authority_epoch"
        ),
        F.when(has_epoch, F.coalesce((side == "new") & late.isNull(), F.lit(False)))
        .otherwise(begun & ~lacks)
        .alias("counts"),
    )


def _is_of_the_new_side(every: Sequence[Tenure]) -> Column:
    """Whether a record stands where the new side wrote."""
    places = [
        # What a topic holds that was declared as live since, came since.
        F.coalesce(_is_behind(t.live_begins), ~F.col("topic").isin(*t.live_begins))
        & (F.lit(True) if (late := late_from(every, place)) is None else ~_is_behind(late[0]))
        for place, t in enumerate(every)
        if t.live_begins is not None
    ]
    return F.coalesce(reduce(Column.__or__, places, F.lit(False)), F.lit(False))


def _is_behind(ends: LiveEnds) -> Column:
    return is_behind(ends, "topic", "partition", "offset")
