"""The records of a source, read once, and those of them that are asked for as events.

Both lie in a folder of the lake, and are found there by whoever goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.lake.places import move, place_of
from cutline.project.replay import ReplaySection
from cutline.replay.events import (
    PASSED,
    asked_for,
    events_of,
    failing_on_values,
    with_outcomes,
    with_turns,
)
from cutline.replay.request import ReplayRequest
from cutline.replay.source import ReplayedSource
from cutline.replay.translating import EventTranslation, translated
from cutline.replay.upcasting import UpcasterChain, upcast

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.lake.lake import Lake

_RAW, _EVENTS = "raw", "events"


@dataclass(frozen=True)
class EventReading:
    """What is read, and how it evolves. `say` tells people what is done. With a `translation` the
    events that are asked for have `domain_events`."""

    section: ReplaySection
    source: ReplayedSource
    chains: Mapping[str, UpcasterChain]
    request: ReplayRequest
    say: Callable[[str], None]
    translation: EventTranslation | None = None

    def events(self, spark: SparkSession, position: str, lake: Lake) -> tuple[int, DataFrame]:
        """How many records were read up to a position, and those that were asked for as events of
        the newest version, with their outcomes.

        RunFailed where what was frozen can no longer be read, ConfigurationError where the
        condition that is asked for fails on a value.
        """
        raw = lake.path(_RAW)
        if not lake.exists(spark, _RAW):
            self.source.refuse_moved(position)
            self.say("reading the source")
            unfinished = lake.scratch(_RAW)
            self.source.write(spark, position, unfinished)
            lake.check_lease()
            move(spark, unfinished, raw)
        records = raw_records(spark, lake)
        placed = (
            with_turns(records)
            if self.source.is_merged
            else records.withColumn("turn", F.lit(0).cast("bigint"))
        )
        events = events_of(placed, self.section.records, own_keys=self.source.has_keys)
        in_window = events.where(asked_for(self.request)).withColumn("written", _written())
        outcomes = with_outcomes(upcast(in_window, self.chains), self.request.where).where(
            F.col("outcome") != PASSED
        )
        if self.translation is not None:
            outcomes = translated(outcomes, self.translation)
        self.say("evolving records")
        with failing_on_values(self.request.where):
            remembered = lake.remember(outcomes, _EVENTS, lambda: None)
        return records.where(~F.col("blank")).count(), remembered


def raw_records(spark: SparkSession, lake: Lake) -> DataFrame:
    """The records that `events` has read into a folder of the lake, in the columns of RAW."""
    from cutline.kafka.written import ACCOUNT
    from cutline.replay.raw import RAW_DDL

    records = spark.read.parquet(lake.path(_RAW)).where(F.col("part").isNull()).drop(*ACCOUNT.names)
    assert {c.split()[0] for c in RAW_DDL.split(", ")} == set(records.columns)
    return records


def forget_events(spark: SparkSession, folder: str) -> None:
    """Remove what `events` left in a folder of the lake."""
    for name in (_RAW, _EVENTS):
        place_of(spark, f"{folder}/{name}").delete()


def _written() -> Column:
    """By what a payload was written: its version, or the number of its schema."""
    version = F.concat(F.lit("version "), F.col("version").cast("string"))
    return F.coalesce("writer", version)
