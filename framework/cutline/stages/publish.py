"""Sending what a run found to its topics, when everything before is done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial, reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.project import state_table
from cutline.logs import logger
from cutline.masking import masking
from cutline.masking.frames import values_masked
from cutline.spark.among import not_among
from cutline.spark.parallel import run_parallel
from cutline.stages.advance.moved import MovedSubjects, leave_mark, moved_subjects
from cutline.stages.held_subjects import held_subjects, without_held
from cutline.stages.payload_schemas import keep_payload_schemas
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, TIMELINE, TOMBSTONES, Table
from cutline.tables.event import NATIVE
from cutline.topics import names
from cutline.topics.choice import topics_of
from cutline.topics.cloudevents import event_records
from cutline.topics.counted import topic_counts
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
    on_hold, to = held_subjects(workspace), topics or topics_of(workspace)
    of_slice = _topics_of_slice(workspace, event_topics)
    # What looks only sends nothing that a quota could limit, and leaves nothing.
    is_sent = topics is None
    with workspace.limited() if is_sent else nullcontext():
        moved = moved_subjects(workspace, to, of_slice, on_hold) if go and is_sent else None
        sender = _Sender(workspace, to, event_topics, on_hold, moved)
        work: list[Callable[[], dict[str, int]]] = [partial(sender.events, history=go)]
        if go:
            work.append(sender.states)
        sent = _sent(workspace, work)
    if is_sent:
        if go:
            leave_mark(workspace, to, of_slice, on_hold)
        _log_published(workspace, sent)
    return sent


def _sent(workspace: Workspace, work: Sequence[Callable[[], dict[str, int]]]) -> dict[str, int]:
    """Records by topic, of pieces of work that send."""
    return reduce(operator.or_, run_parallel(workspace.spark, work))


def _topics_of_slice(workspace: Workspace, event_topics: names.EventTopics) -> list[str]:
    """The topics of history and states."""
    aggregates = [aggregate.name for aggregate in workspace.context.aggregates]
    kinds = (event_topics.history, event_topics.state)
    return [topic_of(name) for topic_of in kinds for name in aggregates]


def publish_release(
    workspace: Workspace, topics: Topics, event_topics: names.EventTopics
) -> dict[str, int]:
    """Send the history and the state of each aggregate to topics of a release, and nothing else.

    Returns the run's records by topic.
    """
    sender = _Sender(workspace, topics, event_topics, held_subjects(workspace))
    sent = _sent(workspace, [sender.history, sender.states])
    _log_published(workspace, sent)
    return sent


def _log_published(workspace: Workspace, sent: Mapping[str, int]) -> None:
    for topic, count in sorted(sent.items()):
        _LOG.info("published", extra={"run": workspace.run_id, "topic": topic, "records": count})


class _Sender:
    """Sends tables of one run, all topics of a kind in one pass; gives back records by topic.

    History and states go to `event_topics`: of all subjects but those `on_hold`, or of those that
    `moved`, where all others stand there.
    """

    def __init__(
        self,
        workspace: Workspace,
        topics: Topics,
        event_topics: names.EventTopics,
        on_hold: DataFrame | None,
        moved: MovedSubjects | None = None,
    ) -> None:
        section = workspace.project.file.topics
        self._workspace = workspace
        self._context = workspace.context
        self._topics = topics
        self._event_topics = event_topics
        self._moved = moved
        self._place = section.prefix, workspace.context.name
        self._held_subjects = on_hold
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
        of_history = self._history_topics() if history else []
        if of_history:
            sent = sent.unionByName(self._history(self._moved))
        topics = [exceptions_topic, breaks_topic, *of_history]
        counts = dict(self._topics.append_all(topics, run_id, sent, ("ordinal",)))
        if of_history and self._moved is not None:
            counts |= topic_counts(self._history(), of_history)
        return counts

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
        offered = self._state_records(topics, self._moved)
        # They are read twice, to be compared and to be sent: what topics hold is looked at once.
        vanished = self._vanished(topics, offered).persist(StorageLevel.DISK_ONLY)
        try:
            every = self._not_held(topics, offered.unionByName(tombstones(vanished)))
            sent = records(every, self._teller)
            of_topics = list(topics.values())
            counts = dict(self._topics.compact_all(of_topics, self._workspace.run_id, sent))
            if self._moved is None:
                return counts
            current = self._state_records(topics).unionByName(tombstones(vanished))
            return counts | topic_counts(self._not_held(topics, current), of_topics)
        finally:
            vanished.unpersist()

    def _state_records(
        self, topics: Mapping[str, str], moved: MovedSubjects | None = None
    ) -> DataFrame:
        """Of each subject of each aggregate, or of those that moved, its state or its end."""
        state_records = [
            states(self._rows(state_table(a), moved, a.name), topics[a.name], a.name)
            for a in self._context.aggregates
        ]
        if any(a.ended_by for a in self._context.aggregates):
            ended = self._rows(TOMBSTONES, moved)
            topic = _name_for(topics, F.col("aggregate"))
            state_records.append(tombstones(ended.withColumn("topic", topic)))
        return reduce(DataFrame.unionByName, state_records)

    def _not_held(self, topics: Mapping[str, str], state_records: DataFrame) -> DataFrame:
        if self._held_subjects is None:
            return state_records
        aggregates = {topic: name for name, topic in topics.items()}
        of_topic = _name_for(aggregates, F.col("topic"))
        with_aggregate = state_records.withColumn("aggregate", of_topic)
        return without_held(with_aggregate, self._held_subjects).drop("aggregate")

    def _vanished(self, topics: Mapping[str, str], current: DataFrame) -> DataFrame:
        """Topic, aggregate and subject of what topics hold of this slice, and this run does not."""
        aggregates = {topic: name for name, topic in topics.items()}
        of_current = current.select("topic", "key")
        keys = None
        if self._moved is not None:
            topic = _name_for(topics, F.col("aggregate")).alias("topic")
            every = self._moved.all().select(topic, F.col("subject").alias("key"))
            keys = not_among(every.where(F.col("topic").isNotNull()), of_current)
        standing = self._topics.standing(
            self._workspace.spark,
            list(topics.values()),
            self._workspace.region,
            self._workspace.run_id,
            keys,
        )
        return not_among(standing, of_current).select(
            "topic",
            _name_for(aggregates, F.col("topic")).alias("aggregate"),
            F.col("key").alias("subject"),
        )

    def _history_topics(self) -> list[str]:
        return [self._event_topics.history(a.name) for a in self._context.aggregates]

    def _history(self, moved: MovedSubjects | None = None) -> DataFrame:
        """Records of all but native events, or of those that moved, with their topic, which the
        event's type decides."""
        events = self._rows(TIMELINE, moved).where(F.col("migorigin") != NATIVE)
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

    def _rows(
        self, table: Table, moved: MovedSubjects | None, aggregate: str | None = None
    ) -> DataFrame:
        return self._read(table) if moved is None else moved.rows(table, aggregate)

    def _read(self, table: Table) -> DataFrame:
        return self._workspace.lake.read(self._workspace.spark, table)


def _name_for(names: Mapping[str, str], text: Column) -> Column:
    """What `names` has for a text; null for any other."""
    pairs = [F.lit(one) for pair in names.items() for one in pair]
    return F.try_element_at(F.create_map(*pairs), text)
