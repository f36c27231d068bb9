"""What a run sent, read from the topics as any consumer sees it, and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.topics.headers import mapped_header
from cutline.topics.kafka.records import OffsetRange, committed_records
from cutline.topics.kafka.rows import content_hash
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.kafka.tasks import tallied
from cutline.topics.record import RUN_HEADER

_SHOWN = 5


@dataclass(frozen=True)
class SlotRecords:
    """The records of a run in a slot: how many, their digests, and the offsets of the first and the
    last, null where they are not known or there are none."""

    records: int
    digest: str
    chain: str
    first: int | None = None
    last: int | None = None


NOTHING = SlotRecords(0, "", "")


def read_back(
    spark: SparkSession, publisher: Publisher, ranges: Sequence[OffsetRange]
) -> dict[int, SlotRecords]:
    """What the run has in each slot of the ranges, by the slot's number; none where it has none."""
    records = committed_records(spark, publisher, ranges)
    mine = records.where(mapped_header(RUN_HEADER) == publisher.run_id).withColumn(
        "hash", content_hash()
    )
    return {
        row["slot"]: SlotRecords(
            row["records"], row["digest"], row["chain"], row["first"], row["last"]
        )
        for row in tallied(mine).collect()
    }


def refuse_differences(
    publisher: Publisher,
    slots: Sequence[Slot],
    expected: Mapping[int, SlotRecords],
    actual: Mapping[int, SlotRecords],
) -> None:
    """RunFailed, with the numbers, where a slot does not hold exactly what was to be sent."""
    differences = [
        text
        for slot in slots
        if (
            text := _difference(
                slot, expected.get(slot.number, NOTHING), actual.get(slot.number, NOTHING)
            )
        )
    ]
    if differences:
        more = len(differences) - _SHOWN
        raise RunFailed(
            f"what run {publisher.run_id} sent was read back from Kafka at {publisher.bootstrap}, "
            "and is not what was to be sent: "
            + "; ".join(differences[:_SHOWN])
            + (f"; and {more} more partitions" if more > 0 else ""),
            left_behind="The records stay on the topics; the publication is not called done.",
            next_step="Find out who else writes or removes records there, before anybody reads on.",
        )


def _difference(slot: Slot, expected: SlotRecords, actual: SlotRecords) -> str:
    if expected.records != actual.records:
        return f"{slot} has {actual.records:,} records of the run, not {expected.records:,}"
    if expected.digest != actual.digest:
        return (
            f"{slot} has {actual.records:,} records of the run, as it must, but others: digest "
            f"{actual.digest}, not {expected.digest}"
        )
    if expected.chain != actual.chain:
        return f"{slot} has the run's {actual.records:,} records in another order"
    return ""
