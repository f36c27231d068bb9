"""What a run looked up on topics of events, kept for the run that goes on from it.

Not of compacted topics: what stood there may be gone without a trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import Uuid
from pyspark.sql import DataFrame, SparkSession

from cutline.lake.lake import Lake
from cutline.spark.among import not_among
from cutline.spark.no_rows import no_rows
from cutline.topics.kafka.slots import Slot
from cutline.topics.kafka.standing import STANDING

_PLACES = "topic string, partition int, topic_id string, base bigint, standing string"
"""Up to where a run looked topics up, and the name of the table of what it found; null for none."""
_NO_ID = str(Uuid(0, 0))
"""The id of a topic on brokers that give none."""


@dataclass(frozen=True)
class LookedUp:
    """The events that an earlier run of the slice found standing on some slots, and up to which
    offset of each slot, by its number, it has read."""

    events: DataFrame
    ends: Mapping[int, int]

    def with_newer(self, events: DataFrame) -> DataFrame:
        """These events, and those that came behind them, which count where both have one."""
        return not_among(self.events, events, ("topic", "id")).unionByName(events)


def earlier_look_up(
    spark: SparkSession, lake: Lake, slots: Sequence[Slot], ids: Mapping[str, str]
) -> LookedUp | None:
    """What the run of a lake looked up on these slots; null where it did not, or where a topic has
    another id by now, so that it was made anew."""
    name = _places_name(slots)
    if not lake.exists(spark, name):
        return None
    places = {(row["topic"], row["partition"]): row for row in lake.read(spark, name).collect()}
    ids_then = {slot.topic: places[slot.topic, slot.partition]["topic_id"] for slot in slots}
    if any(ids[topic] != then or then == _NO_ID for topic, then in ids_then.items()):
        return None
    [table] = {row["standing"] for row in places.values()}
    if table is None:
        events = no_rows(spark, STANDING)
    elif lake.exists(spark, table):
        events = lake.read(spark, table)
    else:
        return None
    return LookedUp(events, {s.number: places[s.topic, s.partition]["base"] for s in slots})


def remember_look_up(
    spark: SparkSession,
    lake: Lake,
    slots: Sequence[Slot],
    bases: Mapping[int, int],
    ids: Mapping[str, str],
    *,
    is_empty: bool,
) -> None:
    """Keep in a run's lake up to where it looked up what, once the table of it is there."""
    table = None if is_empty else standing_name(slots, bases)
    rows = [(s.topic, s.partition, ids[s.topic], bases[s.number], table) for s in slots]
    lake.remember(spark.createDataFrame(rows, _PLACES), _places_name(slots), lambda: None)


def standing_name(slots: Sequence[Slot], bases: Mapping[int, int]) -> str:
    """The name of the table of what stands on slots before the `bases`, by their numbers."""
    return f"standing-{_digest([f'{slot}={bases[slot.number]}' for slot in slots])}"


def _places_name(slots: Sequence[Slot]) -> str:
    return f"standing-places-{_digest([str(slot) for slot in slots])}"


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256(";".join(texts).encode()).hexdigest()[:16]
