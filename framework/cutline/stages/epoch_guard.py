"""Whether who wrote a live event had the authority then, by the epoch of the slice that it carries.

An event of a writer that had lost it is none of the run's history; docs/decisions/0075 says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.control.plan import LiveEnds
from cutline.control.tenures import Tenure, late_from
from cutline.identity.columns import json_array
from cutline.readmodels import (
    MISSING_EPOCH,
    OLDER_EPOCH,
    UNAUTHORISED_EPOCH,
    UNISSUED_EPOCH,
    UNREADABLE_EPOCH,
)
from cutline.results import LiveEpoch
from cutline.spark.few_rows import broadcast_if_few
from cutline.tables import EXCEPTIONS
from cutline.tables.exception import EVENT
from cutline.topics.headers import mapped_header

_TOPIC, _PARTITION, _OFFSET = PLACE = ("live_topic", "live_partition", "live_offset")
_EPOCH, _HAS_NONE, _LINE = "live_epoch", "live_has_no_epoch", "live_line"
BESIDE = (*PLACE, _EPOCH, _HAS_NONE, _LINE)
"""What `with_places` adds to records: where each stands, the epoch of its slice, whether it carries
no epoch at all, and its line."""
_BEGINNINGS, _IS_ADMITTED, _FAULT = "live_beginnings", "live_is_admitted", "live_fault"
_OF_PARTITION = "array<struct<offset bigint, epoch bigint>>"

OffsetOfRecord = tuple[str, int, int]
"""A record by its topic, its partition and its offset."""


class EpochBeginning(NamedTuple):
    """The first event of a partition that carries an epoch. `offset` is null where it has none."""

    topic: str
    partition: int
    offset: int | None
    epoch: int


def with_places(records: DataFrame, context: str, region: str) -> DataFrame:
    """Records in the columns of RECORDS, with BESIDE. The epoch is null where a record carries
    none, or one of another slice."""
    return records.withColumns(
        {
            _TOPIC: F.col("topic"),
            _PARTITION: F.col("partition"),
            _OFFSET: F.col("offset"),
            _EPOCH: F.when(is_of_slice(context, region), _header("migepoch")),
            _HAS_NONE: _header("migepoch").isNull(),
            _LINE: F.col("line"),
        }
    )


def is_of_slice(context: str, region: str) -> Column:
    """Whether the epoch that a record carries is that of a slice: it names no other one. A slice
    that has everything reads the events of slices that have epochs of their own."""
    of_context = F.coalesce(_header("migcontext") == context, F.lit(True))
    return of_context & F.coalesce(_header("migregion") == region, F.lit(True))


def carries_epoch() -> Column:
    """Whether a record carries an epoch of its context."""
    return F.col(_EPOCH).isNotNull()


def epoch_beginnings(
    events: DataFrame,
    authority: int,
    place: tuple[str, str, str] = PLACE,
    epoch: str = _EPOCH,
) -> list[EpochBeginning]:
    """By partition and epoch, the first of some events that carries it, by the columns of their
    places and epochs. Epochs above `authority` were never issued, and raise nothing."""
    topic, partition, offset = place
    issued = events.withColumn(epoch, epoch_number(epoch)).where(F.col(epoch) <= authority)
    first = issued.groupBy(topic, partition, epoch).agg(F.min(offset).alias(offset))
    return [EpochBeginning(*row) for row in first.select(*place, epoch).collect()]


def epochs_after(
    before: Iterable[LiveEpoch], beginnings: Iterable[EpochBeginning]
) -> tuple[LiveEpoch, ...]:
    """The highest epoch of each partition, in their order."""
    every: list[LiveEpoch | EpochBeginning] = [*before, *beginnings]
    highest: dict[tuple[str, int], int] = {}
    for epoch in every:
        place = epoch.topic, epoch.partition
        highest[place] = max(epoch.epoch, highest.get(place, 0))
    return tuple(
        LiveEpoch(topic=topic, partition=partition, epoch=epoch)
        for (topic, partition), epoch in sorted(highest.items())
    )


def split_by_authority(
    events: DataFrame,
    beginnings: Sequence[EpochBeginning],
    before: Sequence[LiveEpoch],
    tenures: Sequence[Tenure],
    admitted: Sequence[OffsetOfRecord],
    required_behind: LiveEnds | None,
) -> tuple[DataFrame, DataFrame]:
    """Events with BESIDE, without those whose writer had not the authority; and these, in the
    columns of EXCEPTIONS.

    `before` are the epochs that came before all of these. What a person `admitted` is not held
    against its epoch. Behind `required_behind`, where it is not null, each must carry an epoch.
    """
    of_partitions = _by_partition(events.sparkSession, beginnings, before)
    placed = _with_admitted(_with_beginnings(events, of_partitions), admitted)
    fault = _fault(tenures, required_behind)
    with_faults = placed.withColumn(_FAULT, F.when(~F.col(_IS_ADMITTED), fault))
    has_authority = F.col(_FAULT).isNull()
    return (
        with_faults.where(has_authority).select(*events.columns),
        _exceptions(with_faults.where(~has_authority)),
    )


def writer_under(epoch: Column, tenures: Sequence[Tenure]) -> Column:
    """Who had the writes under an epoch; null for one that was never issued."""
    column = F.lit(None).cast("string")
    for tenure in tenures:
        column = F.when(epoch == tenure.epoch, F.lit(tenure.side)).otherwise(column)
    return column


def authority_of_late(
    epoch: Column, tenures: Sequence[Tenure], offset_is_behind: Callable[[LiveEnds], Column]
) -> Column:
    """As its namesake of `cutline.control.tenures`, the side and the epoch of that tenure.

    `offset_is_behind` says whether a record is none of those that topics held when they ended.
    """
    column = F.lit(None).cast("struct<side: string, epoch: bigint>")
    for place, tenure in enumerate(tenures):
        late = late_from(tenures, place)
        if late is None:
            continue
        ends, after = late
        authority = F.struct(
            F.lit(after.side).alias("side"), F.lit(after.epoch).cast("bigint").alias("epoch")
        )
        came_late = (epoch == tenure.epoch) & offset_is_behind(ends)
        column = F.when(came_late, authority).otherwise(column)
    return column


def epoch_number(text: str) -> Column:
    """The number that a text of an epoch is; null where it is none that a database keeps."""
    return F.when(F.col(text).rlike(r"^[0-9]{1,18}\z"), F.col(text).try_cast("bigint"))


def is_behind(ends: LiveEnds, topic: str, partition: str, offset: str) -> Column:
    """Whether a record, by the columns of its place, is none of those that topics held when they
    ended there.

    Null for one without an offset, and for one of a topic that was not declared as live then.
    """
    # One literal, however many partitions there are.
    ends_by_place = {
        f"{name}/{number}": end
        for name, partitions in ends.items()
        for number, end in partitions.items()
    }
    by_place = F.from_json(F.lit(json.dumps(ends_by_place)), "map<string,bigint>")
    place = F.concat_ws("/", topic, F.col(partition).cast("string"))
    # A partition that was not there then had no record.
    end = F.coalesce(F.try_element_at(by_place, place), F.lit(0).cast("bigint"))
    return F.when(F.col(topic).isin(*ends), F.col(offset) >= end)


def _header(name: str) -> Column:
    return mapped_header(f"ce_{name}")


def _by_partition(
    spark: SparkSession, beginnings: Sequence[EpochBeginning], before: Sequence[LiveEpoch]
) -> DataFrame | None:
    """One row per partition that had an epoch, with its beginnings; None where none had one."""
    earlier = [EpochBeginning(epoch.topic, epoch.partition, -1, epoch.epoch) for epoch in before]
    by_partition: dict[tuple[str, int], list[tuple[int | None, int]]] = {}
    for beginning in (*earlier, *beginnings):
        by_partition.setdefault((beginning.topic, beginning.partition), []).append(
            (beginning.offset, beginning.epoch)
        )
    if not by_partition:
        return None
    rows = [(*place, of_partition) for place, of_partition in by_partition.items()]
    ddl = f"{_TOPIC} string, {_PARTITION} int, {_BEGINNINGS} {_OF_PARTITION}"
    return broadcast_if_few(spark.createDataFrame(rows, ddl), len(rows))


def _with_beginnings(events: DataFrame, by_partition: DataFrame | None) -> DataFrame:
    if by_partition is None:
        return events.withColumn(_BEGINNINGS, F.lit(None).cast(_OF_PARTITION))
    return events.join(by_partition, [_TOPIC, _PARTITION], "left")


def _with_admitted(events: DataFrame, admitted: Sequence[OffsetOfRecord]) -> DataFrame:
    if not admitted:
        return events.withColumn(_IS_ADMITTED, F.lit(False))
    ddl = f"{_TOPIC} string, {_PARTITION} int, {_OFFSET} bigint, {_IS_ADMITTED} boolean"
    rows = [(*place, True) for place in admitted]
    marked = broadcast_if_few(events.sparkSession.createDataFrame(rows, ddl), len(rows))
    return events.join(marked, list(PLACE), "left").withColumn(
        _IS_ADMITTED, F.coalesce(_IS_ADMITTED, F.lit(False))
    )


def lacks_epoch(has_none: Column, is_behind_begin: Column | None) -> Column:
    """Whether an event had to carry an epoch and has none; never where `is_behind_begin`, whether
    it stands behind the place from which each must, is null."""
    if is_behind_begin is None:
        return F.lit(False)
    return has_none & F.coalesce(is_behind_begin, F.lit(False))


def _fault(tenures: Sequence[Tenure], required_behind: LiveEnds | None) -> Column:
    """The rule by which an event is left out, and the reason; null where it is not."""
    behind = None if required_behind is None else is_behind(required_behind, *PLACE)
    epoch = epoch_number(_EPOCH)
    writer = writer_under(epoch, tenures)
    side = F.when(writer == "legacy", "the legacy").otherwise("nobody")
    earlier = F.filter(_BEGINNINGS, lambda beginning: beginning["offset"] < F.col(_OFFSET))
    highest = F.array_max(F.transform(earlier, lambda beginning: beginning["epoch"]))
    late = authority_of_late(epoch, tenures, lambda ends: is_behind(ends, *PLACE))
    return (
        F.when(
            lacks_epoch(F.col(_HAS_NONE), behind),
            _rule(MISSING_EPOCH, "it carries no epoch, and the new side wrote before it"),
        )
        .when(F.col(_EPOCH).isNull(), None)
        .when(epoch.isNull(), _rule(UNREADABLE_EPOCH, "its ce_migepoch is no whole number"))
        .when(
            writer.isNull(),
            _rule(UNISSUED_EPOCH, "epoch ", epoch, f" was never issued: it is {tenures[-1].epoch}"),
        )
        .when(
            writer != "new",
            _rule(UNAUTHORISED_EPOCH, "under epoch ", epoch, " ", side, " had the writes"),
        )
        .when(
            late.isNotNull(),
            _rule(
                OLDER_EPOCH,
                *("its epoch is ", epoch, ", and the legacy had the writes back when it came, "),
                *("under epoch ", late["epoch"]),
            ),
        )
        .when(
            epoch < highest,
            _rule(OLDER_EPOCH, "its epoch is ", epoch, ", and ", highest, " came before it"),
        )
    )


def _rule(rule: str, *parts: str | Column) -> Column:
    texts = [F.lit(part) if isinstance(part, str) else part.cast("string") for part in parts]
    return F.struct(F.lit(rule).alias("rule"), F.concat(*texts).alias("reason"))


def _exceptions(events: DataFrame) -> DataFrame:
    none = F.lit(None).cast("string")
    values: Mapping[str, Column] = {
        "rule": F.col(f"{_FAULT}.rule"),
        "level": F.lit(EVENT),
        "aggregate": F.col("aggregate"),
        "subject": F.col("subject"),
        "reason": F.col(f"{_FAULT}.reason"),
        "checks": F.array().cast("array<string>"),
        "source": F.col(_TOPIC),
        "table": none,
        "key": json_array([F.col(_PARTITION), F.col(_OFFSET)], ["int", "bigint"]),
        "position": none,
        # It has no end among the verdicts, so no event of ours is named.
        "event_id": none,
        "payload": F.col(_LINE),
    }
    return events.select(*(values[name].alias(name) for name in EXCEPTIONS.names))
