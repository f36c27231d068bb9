"""Publishing a run's records: sent by one task a partition, read back, and compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame, Row

from cutline.control import PublishedPartition
from cutline.logs import logger
from cutline.topics.kafka.failures import Failure
from cutline.topics.kafka.prepared import PreparedTopics, ends
from cutline.topics.kafka.read_back import NOTHING, SlotRecords, read_back, refuse_differences
from cutline.topics.kafka.records import OffsetRange
from cutline.topics.kafka.rows import outgoing
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.slots import Publisher
from cutline.topics.kafka.tasks import sent

_LOG = logger(__name__)


def publish_records(
    publisher: Publisher,
    settings: KafkaSettings,
    prepared: PreparedTopics,
    topics: Sequence[str],
    records: DataFrame,
    order: Sequence[str],
    *,
    keyed: bool = True,
) -> list[PublishedPartition]:
    """What was published to each partition of the topics, read back and equal to what was to be.

    What the run sent before is passed over. Errors as `KafkaTopics` has them.
    """
    spark, slots = records.sparkSession, prepared.slots
    rows = outgoing(
        records,
        publisher.run_id,
        topics,
        order,
        settings.partitions,
        keyed=keyed,
        structured=settings.structured,
    )
    at_once = min(len(slots), spark.sparkContext.defaultParallelism)
    results = {
        row["slot"]: row
        for row in sent(rows, publisher, slots, settings.throttle.among(at_once)).collect()
    }
    _raise_failure(results.values())
    if slowed := max((row["slowed"] for row in results.values()), default=0.0):
        _LOG.info("slowed for live traffic", extra={"seconds": round(slowed, 1)})
    if throttled := max((row["throttled"] for row in results.values()), default=0.0):
        _LOG.info("throttled by a client quota", extra={"seconds": round(throttled, 1)})
    end = ends(publisher, slots)
    ranges = [OffsetRange(slot, prepared.bases[slot.number], end[slot]) for slot in slots]
    expected = {number: _expected(row) for number, row in results.items()}
    actual = read_back(spark, publisher, ranges)
    refuse_differences(publisher, slots, expected, actual)
    return [
        PublishedPartition(
            run_id=publisher.run_id,
            topic=part.slot.topic,
            partition=part.slot.partition,
            begins=part.start,
            ends=part.end,
            first=on_topic.first,
            last=on_topic.last,
            records=on_topic.records,
            bytes=results[part.slot.number]["bytes"] if part.slot.number in results else 0,
            digest=on_topic.digest or None,
        )
        for part in ranges
        for on_topic in [actual.get(part.slot.number, NOTHING)]
    ]


def _expected(row: Row) -> SlotRecords:
    return SlotRecords(row["records"], row["digest"], row["chain"])


def _raise_failure(rows: Iterable[Row]) -> None:
    for row in rows:
        if row["failure"] is not None:
            raise Failure.read(row["failure"]).error()
