"""Sending what a run found to its topics, when everything before is done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial, reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.project import state_table
from cutline.logs import logger
from cutline.masking import masking
from cutline.masking.frames import values_masked
from cutline.spark.parallel import run_parallel
from cutline.stages.held_subjects import held_subjects, without_held
from cutline.stages.payload_schemas import keep_payload_schemas
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, TIMELINE, TOMBSTONES, Table
from cutline.tables.event import NATIVE
from cutline.topics import names
from cutline.topics.choice import topics_of
from cutline.topics.cloudevents import event_records
from cutline.topics.interface import Topics
from cutline.topics.publish import EventSource, breaks, exceptions, records, states, tombstones
from cutline.workspace import Workspace

_LOG = logger(__name__)


def publish(workspace: Workspace, *, go: bool, topics: Topics | None = None) -> dict[str, int]:
    """Send what became of exceptions and breaks, and with GO also the history and the state of each
    aggregate.

    Returns the run's records by topic. It can be done again: what the run sent before is replaced,
    or passed over. Without GO no history and no state leaves the lake; nor does that of a subject
    which is held back for an exception. `topics` is what takes the records instead of the project's
    topics. ConfigurationError, before anything is sent, where the new side writes what is sent.
    """
    if go and topics is None:
        workspace.confirm_authority()
        keep_payload_schemas(workspace)
    section, name = workspace.project.file.topics, workspace.context.name
    event_topics = names.shared_topics(section.prefix, name)
    sender = _Sender(workspace, topics or topics_of(workspace), event_topics)
    work: list[Callable[[], dict[str, int]]] = [partial(sender.events, history=go)]
    if go:
        work.append(sender.states)
    # What looks only sends nothing that a quota could limit.
    with workspace.limited() if topics is None else nullcontext():
        sent = reduce(operator.or_, run_parallel(workspace.spark, work))
    if topics is None:
        _log_published(workspace, sent)
    return sent


def publish_release(
    workspace: Workspace, topics: Topics, event_topics: names.EventTopics
) -> dict[str, int]:
    """Send the history and the state of each aggregate to topics of a release, and nothing else.

    Returns the run's records by topic.
    """
    sender = _Sender(workspace, topics, event_topics)
    sent = reduce(operator.or_, run_parallel(workspace.spark, [sender.history, sender.states]))
    _log_published(workspace, sent)
    return sent


def _log_published(workspace: Workspace, sent: Mapping[str, int]) -> None:
    for topic, count in sorted(sent.items()):
        _LOG.info("published", extra={"run": workspace.run_id, "topic": topic, "records": count})


class _Sender:
    """Sends tables of one run, all topics of a kind in one pass; gives back records by topic.

    History and states go to `event_topics`.
    """

    def __init__(
        self, workspace: Workspace, topics: Topics, event_topics: names.EventTopics
    ) -> None:
        section = workspace.project.file.topics
        self._workspace = workspace
        self._context = workspace.context
        self._topics = topics
        self._event_topics = event_topics
        self._place = section.prefix, workspace.context.name
        self._held_subjects = held_subjects(workspace)
        self._teller = EventSource(
            workspace.context.name, workspace.region, workspace.run_id, workspace.recorded_at
        )

    def events(self, *, history: bool) -> dict[str, int]:
        """What became of exceptions and breaks, and `history`: the timeline's own events in causal
        order."""
        exceptions_topic, breaks_topic = names.exceptions(*self._place), names.breaks(*self._place)
        run_id = self._workspace.run_id
        news = exceptions(self._findings(EXCEPTION_HISTORY), exceptions_topic, run_id).unionByName(
            breaks(self._findings(BREAK_HISTORY), breaks_topic, run_id)
        )
        sent = records(news, self._teller).withColumn("ordinal", F.lit(None).cast("int"))
        topics = [exceptions_topic, breaks_topic, *(self._history_topics() if history else ())]
        if history and self._context.aggregates:
            sent = sent.unionByName(self._history())
        return dict(self._topics.append_all(topics, run_id, sent, ("ordinal",)))

    def history(self) -> dict[str, int]:
        """The timeline's own events in causal order."""
        topics = self._history_topics()
        if not topics:
            return {}
        run_id = self._workspace.run_id
        return dict(self._topics.append_all(topics, run_id, self._history(), ("ordinal",)))

    def states(self) -> dict[str, int]:
        """The state of each subject of each aggregate, and a tombstone for each that has none.

        Tombstones are for subjects that ended, and for those whose state another run of the slice
        put on the topic, and of which this run knows nothing.
        """
        topics = {a.name: self._event_topics.state(a.name) for a in self._context.aggregates}
        if not topics:
            return {}
        state_records = [
            states(self._read(state_table(a)), topics[a.name], a.name)
            for a in self._context.aggregates
        ]
        if any(a.ended_by for a in self._context.aggregates):
            ended = self._read(TOMBSTONES)
            topic = _name_for(topics, F.col("aggregate"))
            state_records.append(tombstones(ended.withColumn("topic", topic)))
        current = reduce(DataFrame.unionByName, state_records)
        # They are read twice, to be compared and to be sent: what topics hold is looked at once.
        vanished = self._vanished(topics, current).persist(StorageLevel.DISK_ONLY)
        try:
            every = current.unionByName(tombstones(vanished))
            if self._held_subjects is not None:
                aggregates = {topic: name for name, topic in topics.items()}
                of_topic = _name_for(aggregates, F.col("topic"))
                every = without_held(every.withColumn("aggregate", of_topic), self._held_subjects)
                every = every.drop("aggregate")
            sent = records(every, self._teller)
            run_id = self._workspace.run_id
            return dict(self._topics.compact_all(list(topics.values()), run_id, sent))
        finally:
            vanished.unpersist()

    def _vanished(self, topics: Mapping[str, str], current: DataFrame) -> DataFrame:
        """Topic, aggregate and subject of what topics hold of this slice, and this run does not."""
        standing = self._topics.standing(
            self._workspace.spark, list(topics.values()), self._workspace.region
        )
        aggregates = {topic: name for name, topic in topics.items()}
        return standing.join(current.select("topic", "key"), ["topic", "key"], "left_anti").select(
            "topic",
            _name_for(aggregates, F.col("topic")).alias("aggregate"),
            F.col("key").alias("subject"),
        )

    def _history_topics(self) -> list[str]:
        return [self._event_topics.history(a.name) for a in self._context.aggregates]

    def _history(self) -> DataFrame:
        """Records of all but native events with their topic, which the event's type decides."""
        events = self._read(TIMELINE).where(F.col("migorigin") != NATIVE)
        if self._held_subjects is not None:
            events = without_held(events, self._held_subjects)
        topics = {
            event.event_type(): self._event_topics.history(aggregate.name)
            for aggregate in self._context.aggregates
            for event in aggregate.events
        }
        typed = event_records(events, "id", "type")
        return typed.withColumn("topic", _name_for(topics, F.col("type"))).drop("type")

    def _findings(self, table: Table) -> DataFrame:
        """Exceptions or breaks, personal values masked unless the project says why not."""
        rows = self._read(table)
        if self._workspace.project.file.topics.findings.personal == "clear":
            return rows
        return values_masked(rows, masking([self._workspace.translation]))

    def _read(self, table: Table) -> DataFrame:
        return self._workspace.lake.read(self._workspace.spark, table)


def _name_for(names: Mapping[str, str], text: Column) -> Column:
    """What `names` has for a text; null for any other."""
    pairs = [F.lit(one) for pair in names.items() for one in pair]
    return F.try_element_at(F.create_map(*pairs), text)
