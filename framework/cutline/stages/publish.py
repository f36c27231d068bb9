"""Sending what a run found to its topics, when everything before is done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial, reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.engine.projection import state_table
from cutline.spark.together import together
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, TIMELINE, TOMBSTONES, Table
from cutline.tables.event import NATIVE
from cutline.topics import names
from cutline.topics.cloudevents import event_records
from cutline.topics.files import FileTopics
from cutline.topics.publish import (
    Teller,
    break_records,
    exception_records,
    state_records,
    tombstone_records,
)
from cutline.workspace import Workspace


def publish(workspace: Workspace, *, go: bool) -> dict[str, int]:
    """Send what became of exceptions and breaks, and with GO also the history and the state of each
    aggregate.

    Returns the run's records by topic. What the run sent before is replaced, so it can be done
    again. Without GO no history and no state leaves the lake.
    """
    sender = _Sender(workspace)
    work: list[Callable[[], dict[str, int]]] = [partial(sender.events, history=go)]
    if go:
        work.append(sender.states)
    return reduce(operator.or_, together(workspace.spark, work))


class _Sender:
    """Sends tables of one run, all topics of a kind in one pass; gives back records by topic."""

    def __init__(self, workspace: Workspace) -> None:
        section = workspace.project.file.topics
        self._workspace = workspace
        self._context = workspace.context
        self._topics = FileTopics(workspace.project.path(section.path), section.partitions)
        self._place = section.prefix, workspace.context.name
        self._teller = Teller(
            workspace.context.name, workspace.region, workspace.run_id, workspace.recorded_at
        )

    def events(self, *, history: bool) -> dict[str, int]:
        """What became of exceptions and breaks, and `history`: the timeline's own events in causal
        order."""
        exceptions, breaks = names.exceptions(*self._place), names.breaks(*self._place)
        held, broken = self._read(EXCEPTION_HISTORY), self._read(BREAK_HISTORY)
        records = _on(exceptions, exception_records(held, self._teller))
        records = records.unionByName(_on(breaks, break_records(broken, self._teller))).withColumn(
            "ordinal", F.lit(None).cast("int")
        )
        topics = [exceptions, breaks, *(self._history_topics() if history else ())]
        if history and self._context.aggregates:
            records = records.unionByName(self._history())
        counted = Observation()
        records = records.observe(
            counted, *(F.count_if(F.col("topic") == t).alias(t) for t in topics)
        )
        self._topics.append_all(topics, self._workspace.run_id, records, ("ordinal",))
        return {topic: int(counted.get[topic]) for topic in topics}

    def states(self) -> dict[str, int]:
        """The state of each subject of each aggregate, and a tombstone for each that has none.

        Tombstones are for subjects that ended, and for those whose state another run of the slice
        put on the topic, and of which this run knows nothing.
        """
        topics = {names.state(*self._place, a.name): a for a in self._context.aggregates}
        if not topics:
            return {}
        told = [self._state(topic, aggregate) for topic, aggregate in topics.items()]
        records = reduce(DataFrame.unionByName, told)
        vanished = self._vanished(topics, records)
        counted = Observation()
        records = reduce(DataFrame.unionByName, [records, *vanished]).observe(
            counted, *(F.count_if(F.col("topic") == t).alias(t) for t in topics)
        )
        self._topics.compact_all(list(topics), self._workspace.run_id, records)
        return {topic: int(counted.get[topic]) for topic in topics}

    def _state(self, topic: str, aggregate: Aggregate) -> DataFrame:
        told = state_records(self._read(state_table(aggregate)), aggregate.name, self._teller)
        if aggregate.ended_by:
            gone = self._read(TOMBSTONES).where(F.col("aggregate") == aggregate.name)
            ended = tombstone_records(gone, aggregate.name, self._teller)
            told = told.unionByName(ended)
        return _on(topic, told)

    def _vanished(self, topics: Mapping[str, Aggregate], records: DataFrame) -> list[DataFrame]:
        """Tombstones for what the topics hold of this slice and `records` does not name."""
        there = self._topics.read(self._workspace.spark, list(topics))
        ours = F.try_element_at("headers", F.lit("ce_migregion")) == self._workspace.region
        known = there.where(ours & F.col("value").isNotNull()).select("topic", "key")
        gone = known.join(records.select("topic", "key"), ["topic", "key"], "left_anti")
        return [
            _on(
                topic,
                tombstone_records(
                    gone.where(F.col("topic") == topic).select(F.col("key").alias("subject")),
                    aggregate.name,
                    self._teller,
                ),
            )
            for topic, aggregate in topics.items()
        ]

    def _history_topics(self) -> list[str]:
        return [names.synthetic(*self._place, a.name) for a in self._context.aggregates]

    def _history(self) -> DataFrame:
        """Records of all but native events with their topic, which the event's type decides."""
        events = self._read(TIMELINE).where(F.col("migorigin") != NATIVE)
        topics = {
            event.event_type(): names.synthetic(*self._place, aggregate.name)
            for aggregate in self._context.aggregates
            for event in aggregate.events
        }
        pairs = [F.lit(text) for pair in topics.items() for text in pair]
        topic = F.try_element_at(F.create_map(*pairs), F.col("headers")["ce_type"])
        return event_records(events).withColumn("topic", topic)

    def _read(self, table: Table) -> DataFrame:
        return self._workspace.lake.read(self._workspace.spark, table)


def _on(topic: str, records: DataFrame) -> DataFrame:
    return records.withColumn("topic", F.lit(topic))
