"""A replay from its plan to what was read back."""

from __future__ import annotations

import contextlib
import datetime as dt
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from cutline.context import Context
from cutline.control import TOPIC_LEASES, Control
from cutline.control.lease import Lease
from cutline.lake.lake import Lake
from cutline.lake.places import place_of
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.replay import ReplaySection, ReplayTarget
from cutline.quotas import DeclaredQuota, declared_quotas, limited
from cutline.replay.counting import ReplayCount, counted
from cutline.replay.destination import (
    cluster_key,
    exceptions_topic,
    refuse_target,
    source_refused,
)
from cutline.replay.events import (
    ASIDE,
    CONDITION,
    EXCEPTION,
    REPLAYED,
    refuse_condition,
    with_waiting,
)
from cutline.replay.evolving import EventReading, forget_events
from cutline.replay.lost_topic import lost_error, lost_topic
from cutline.replay.records import (
    EXCEPTION_COLUMNS,
    ORDER,
    ORDINAL,
    domain_records,
    exception_records,
    replayed_records,
)
from cutline.replay.request import ReplayRequest, refuse_rate, refuse_window
from cutline.replay.sending import ReplaySender, ReplayTopics, cluster_id, replay_topics
from cutline.replay.shelf import KeptReplay, ReplayShelf, kept_in, replay_id, request_digest
from cutline.replay.source import ReplayedSource
from cutline.replay.translating import EventTranslation, translation_of
from cutline.replay.upcasting import UpcasterChain, chains_of
from cutline.spark.no_rows import no_rows
from cutline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LOG = logger(__name__)
_EXCEPTIONS = "exceptions"


@dataclass(frozen=True)
class ReplayWork:
    """What a replay is done with. `say` tells people what is done; `allow` is called with how many
    records would be sent, before any is, and raises where they may not."""

    project: LoadedProject
    control: Control
    request: ReplayRequest
    now: dt.datetime
    say: Callable[[str], None]
    allow: Callable[[int], None] = lambda _: None

    @property
    def key(self) -> str:
        """Where the replay is in cutline.yaml."""
        return f"replays.{self.request.name}"


@dataclass(frozen=True)
class ReplayFigures:
    """What a replay came to: records of its source, of them those that were asked for, counts by
    type, and by topic and partition what was read back."""

    read: int
    counts: Sequence[ReplayCount]
    topics: Mapping[str, Any]

    def stored(self) -> dict[str, Any]:
        """As `restored` takes it."""
        counts = [count.as_json() for count in self.counts]
        return {"read": self.read, "counts": counts, "topics": dict(self.topics)}

    @classmethod
    def restored(cls, document: Mapping[str, Any]) -> ReplayFigures:
        """What `stored` gave."""
        counts = [ReplayCount(**count) for count in document["counts"]]
        return cls(document["read"], counts, document["topics"])


@dataclass(frozen=True)
class ReplayEnd:
    """How a replay ended. `is_old` where it was complete before, `went_on` where an earlier attempt
    had begun it. `position` is that of its source."""

    id: str
    position: str
    figures: ReplayFigures
    exceptions: str
    is_old: bool = False
    went_on: bool = False


@dataclass(frozen=True)
class _Prepared:
    section: ReplaySection
    destination: ReplayTarget
    target: LoadedProject
    """The project with the topics that the destination is one of."""
    cluster_key: str
    """Where cutline.yaml says their cluster, if they are on Kafka."""
    source: ReplayedSource
    chains: Mapping[str, UpcasterChain]
    translation: EventTranslation | None
    shelf: ReplayShelf


def perform_replay(work: ReplayWork, *, plan_anew: bool = False) -> ReplayEnd:
    """Send what is asked for, as it stood when the replay was planned, and read it back.

    The same request goes on where a killed one was; one that is complete, over a source that stands
    where it stood, says so. With `plan_anew` one that was begun is forgotten: what it sent stays;
    and one that is complete where a topic that it was sent to is gone, which is refused else.
    """
    prepared = _prepare(work)
    request = work.request
    with work.control.lease(TOPIC_LEASES, request.destination) as lease:
        replay = prepared.shelf.newest()
        went_on = replay is not None and replay.status == "begun" and not plan_anew
        if replay is None or not went_on:
            position = prepared.source.freeze(request)
            number = 1 if replay is None else replay.number
            name = _replay_id(work, prepared, position, number)
            if replay is not None and replay.id == name and replay.status == "complete":
                topic = lost_topic(prepared.target, replay.figures["topics"])
                if topic is None:
                    return _end(prepared, replay, is_old=True)
                if not plan_anew:
                    raise lost_error(name, topic)
                number += 1
                name = _replay_id(work, prepared, position, number)
            topics = _topics(work, prepared, lease, name)
            if topics.holds(request.destination, position, prepared.section.source.topics or ()):
                raise source_refused(request.destination)
            topics.refuse_consumers(request.destination, prepared.destination.groups)
            replay = KeptReplay(name, position, work.now, "begun", {}, number)
            prepared.shelf.keep(replay)
        fields = {"replay": replay.id, "declared": request.name, "topic": request.destination}
        _LOG.info("replay begun", extra=fields)
        with limited(work.project, work.control, _quotas(work, prepared), work.say):
            figures = _performed(work, prepared, replay, lease)
        lease.check()
        replay = replace(replay, status="complete", figures=figures.stored())
        prepared.shelf.keep(replay)
        # Only now: an attempt that goes on sends what it finds there.
        spark, tables = session(work.project.file.spark), prepared.shelf.tables(replay.id)
        forget_events(spark, tables)
        _LOG.info("replay done", extra=fields | {"records": _sent(figures)})
    return _end(prepared, replay, went_on=went_on)


@dataclass(frozen=True)
class ReplayLook:
    """What a replay would send, from where its source stands now: records of the source that were
    read, the counts, and one row per record to be sent, in `order`. `context` is that of the events
    that its translator announces; null without one."""

    id: str
    position: str
    read: int
    counts: Sequence[ReplayCount]
    records: DataFrame
    order: Sequence[str]
    context: Context | None


@contextlib.contextmanager
def looked_at(work: ReplayWork) -> Iterator[ReplayLook]:
    """What a replay would send; nothing is sent, and what was read is removed at the end."""
    prepared = _prepare(work)
    spark = session(work.project.file.spark)
    position = prepared.source.freeze(work.request)
    name = _replay_id(work, prepared, position)
    lake = Lake(prepared.shelf.tables(f"look-{uuid.uuid4().hex}"))
    try:
        with kept_in(spark, lake, "the replay"):
            read, events = _reading(work, prepared).events(spark, position, lake)
            events, counts = _with_counts(work.request, events)
            records, order = _to_send(prepared, events, work.request.destination, name)
        translation = prepared.translation
        context = None if translation is None else translation.translator.context
        yield ReplayLook(name, position, read, counts, records, order, context)
    finally:
        lake.remove(spark)
        place_of(spark, prepared.shelf.folder).delete_empty()


def plan_replay(work: ReplayWork) -> ReplayEnd:
    """What a replay would send, from where its source stands now; nothing is sent or kept."""
    with looked_at(work) as look:
        return ReplayEnd(look.id, look.position, ReplayFigures(look.read, look.counts, {}), "")


def _to_send(
    prepared: _Prepared, events: DataFrame, topic: str, replay: str
) -> tuple[DataFrame, Sequence[str]]:
    """One row per record that is sent to a topic, and the columns of their order."""
    replayed = events.where(F.col("outcome") == REPLAYED)
    if prepared.translation is None:
        return replayed_records(replayed, topic, replay), ORDER
    return domain_records(replayed, topic, replay), (*ORDER, ORDINAL)


def _prepare(work: ReplayWork) -> _Prepared:
    request, file = work.request, work.project.file
    section = file.replays[request.name]
    refuse_window(request, work.now)
    topic, topics = request.destination, section.source.topics or ()
    destination, target = refuse_target(work.project, section, topic, work.key)
    if topic in topics and section.source.kafka is None and destination.topics is None:
        raise source_refused(topic)
    chains = chains_of(section.upcasters, f"{work.key}.upcasters")
    translation = translation_of(section.translator, request.name, f"{work.key}.translator")
    if request.where is not None:
        rows = no_rows(session(file.spark), CONDITION)
        hint = "; a field of the payload is get_json_object(data, '$.field')"
        refuse_condition(request.where, rows, hint)
    refuse_rate(target, request)
    source = ReplayedSource(work.project, section, f"{work.key}.source", topic)
    shelf = ReplayShelf(work.project.lake, request_digest(section, request, chains, translation))
    to = section, destination, target, cluster_key(destination, topic, work.key)
    return _Prepared(*to, source, chains, translation, shelf)


def _replay_id(work: ReplayWork, prepared: _Prepared, position: str, number: int = 1) -> str:
    """The id of a replay from a position, which is sent for that time. Where the destination names
    its cluster, to another cluster it is another replay."""
    if (topics := prepared.destination.topics) is not None:
        position += f" to {cluster_id(work.project, topics.kafka, prepared.cluster_key)}"
    return replay_id(prepared.shelf.digest, position, number)


def _quotas(work: ReplayWork, prepared: _Prepared) -> list[DeclaredQuota]:
    return declared_quotas(work.project, work.request.destination, prepared.section, work.key)


def _topics(work: ReplayWork, prepared: _Prepared, lease: Lease, name: str) -> ReplayTopics:
    lake = Lake(prepared.shelf.tables(name), str(lease.epoch), lease.check)
    request = work.request
    to = prepared.target, lake, request.destination
    return replay_topics(ReplaySender(*to, name, lease.epoch, request.rate, prepared.cluster_key))


def _performed(
    work: ReplayWork, prepared: _Prepared, replay: KeptReplay, lease: Lease
) -> ReplayFigures:
    """Read, evolve, send and read back; what is done already is passed over."""
    spark, request = session(work.project.file.spark), work.request
    lake = Lake(prepared.shelf.tables(replay.id), str(lease.epoch), lease.check)
    with kept_in(spark, lake, "the replay"):
        read, events = _reading(work, prepared).events(spark, replay.position, lake)
        events, counts = _with_counts(request, events)
        whole = sum(count.sent for count in counts)
        work.allow(whole)
        work.say(f"sending {whole:,} records to {request.destination}")
        sent, order = _to_send(prepared, events, request.destination, replay.id)
        topics = [request.destination]
        if any(count.outcome in ASIDE for count in counts):
            exceptions = lake.remember(
                events.where(F.col("outcome").isin(*ASIDE)).select(*EXCEPTION_COLUMNS, *_TURNS),
                _EXCEPTIONS,
                lambda: None,
            )
            topics.append(exceptions_topic(request.destination))
            others = exception_records(
                exceptions, topics[1], request.name, replay.id, replay.begun_at
            )
            sent = sent.unionByName(
                others.withColumn(ORDINAL, F.lit(0)) if ORDINAL in order else others
            )
        figures = _topics(work, prepared, lease, replay.id).send(topics, sent, order)
    return ReplayFigures(read, counts, figures)


_TURNS = ("turn", "file")
"""What orders exceptions, beside their number."""


def _reading(work: ReplayWork, prepared: _Prepared) -> EventReading:
    return EventReading(
        prepared.section,
        prepared.source,
        prepared.chains,
        work.request,
        work.say,
        prepared.translation,
    )


def _with_counts(request: ReplayRequest, events: DataFrame) -> tuple[DataFrame, list[ReplayCount]]:
    """The events with those that wait, unless these are asked for all the same, and the counts."""
    counts = counted(events)
    if request.pass_siblings or not any(count.outcome == EXCEPTION for count in counts):
        return events, counts
    events = with_waiting(events)
    return events, counted(events)


def _sent(figures: ReplayFigures) -> int:
    return sum(count.sent for count in figures.counts)


def _end(
    prepared: _Prepared, replay: KeptReplay, *, is_old: bool = False, went_on: bool = False
) -> ReplayEnd:
    figures = ReplayFigures.restored(replay.figures)
    exceptions = any(count.outcome in ASIDE for count in figures.counts)
    folder = f"{prepared.shelf.tables(replay.id)}/{_EXCEPTIONS}" if exceptions else ""
    return ReplayEnd(replay.id, replay.position, figures, folder, is_old, went_on)
