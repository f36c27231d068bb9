"""Where nothing may be replayed to: what is live, what nobody answers for, and the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.replay import ReplayDestination, ReplaySection, ReplayTarget
from cutline.replay.request import NOTHING_SENT
from cutline.topics import names

REPLAYS = "replay"
"""What stands for context and region where a replay is published."""
_Destination = TypeVar("_Destination", bound=ReplayDestination)


def refuse_destination(
    project: LoadedProject, destinations: Mapping[str, _Destination], topic: str, key: str
) -> _Destination:
    """The section of the destination, one of `key`.destinations. ConfigurationError for a topic
    without an owner, one that cutline.yaml has as live, one of Cutline's own, and one of what could
    not be replayed."""
    declared = destinations.get(topic)
    if declared is None:
        raise _refused(
            f"topic {topic} has no owner among {key}.destinations: "
            f"{', '.join(destinations)}.{did_you_mean(topic, destinations)}",
            "Declare it in cutline.yaml with who answers for it, or send to one of these.",
        )
    if declared.live:
        raise _refused(f"topic {topic} is declared as live", _SEND_ELSEWHERE)
    reason = _needed(project.file, topic) or _aside(project.file, topic)
    if reason is not None:
        raise _refused(f"topic {topic} is {reason}", _SEND_ELSEWHERE)
    return declared


def refuse_target(
    project: LoadedProject, section: ReplaySection, topic: str, key: str
) -> tuple[ReplayTarget, LoadedProject]:
    """The destination of a replay, of which `key` is in cutline.yaml, and the project with the
    topics that it is one of. ConfigurationError as `refuse_destination` has it, also for what is
    live on a cluster that the destination names, and where the topic of what cannot be replayed is
    needed for something else."""
    target = refuse_destination(project, section.destinations, topic, key)
    at_target = project.with_topics_of(target.topics)
    if target.topics is not None:
        refuse_destination(at_target, section.destinations, topic, key)
    aside = exceptions_topic(topic)
    reason = _needed(project.file, aside) or _needed(at_target.file, aside)
    if reason is not None:
        raise _refused(
            f"what could not be replayed to {topic} would go to {aside}, which is {reason}",
            _SEND_ELSEWHERE,
        )
    return target, at_target


def exceptions_topic(destination: str) -> str:
    """The topic of what could not be replayed to a destination."""
    return f"{destination}.exceptions"


def cluster_key(target: ReplayTarget, topic: str, key: str) -> str:
    """Where cutline.yaml says the cluster of a destination, if it is on Kafka; `key` is that of its
    replay."""
    of_project = "topics.kafka"
    return of_project if target.topics is None else f"{key}.destinations.{topic}.{of_project}"


_SEND_ELSEWHERE = "Replay to a topic of its own, which is declared under `destinations`."


def source_refused(topic: str) -> ConfigurationError:
    """The error for a destination that is the source."""
    return _refused(f"topic {topic} is the source of the replay", _SEND_ELSEWHERE)


def _needed(file: ProjectFile, topic: str) -> str | None:
    """What a topic is needed for; null where nothing else may be on it."""
    for live, why in _live_topics(file):
        if live == topic:
            return f"live: {why}"
    prefix = file.topics.prefix
    for name in file.contexts:
        if topic.startswith(f"{prefix}.{name}."):
            return f"one of context {name}'s own"
    if topic.startswith(f"{prefix}.release."):
        return "one of a release's own"
    if topic.startswith(f"{names.rehearsal(prefix)}."):
        return "one of a rehearsal's own"
    if topic == names.progress(prefix, REPLAYS):
        return "where Cutline keeps how far replays have come"
    return None


def _aside(file: ProjectFile, topic: str) -> str | None:
    """Of which replay it is the topic of what could not be replayed; null where of none."""
    for name, replay in file.replays.items():
        for destination in replay.destinations:
            if topic == exceptions_topic(destination):
                return f"where replays.{name} puts what cannot be replayed to {destination}"
    return None


def _live_topics(file: ProjectFile) -> Iterator[tuple[str, str]]:
    """Each topic that the project reads or watches as live, and where it says so."""
    for name, context in file.contexts.items():
        for aggregate, records in (context.live.records or {}).items():
            if records.topic is not None:
                yield records.topic, f"contexts.{name}.live.records.{aggregate} reads it"
    for name, readiness in file.readiness.items():
        for group in readiness.live:
            yield group.topic, f"readiness.{name}.live watches group {group.group} on it"
    for name, source in file.sources.items():
        changes = source.changes
        if changes is None:
            continue
        for topic in changes.topic_names:
            yield topic, f"sources.{name}.changes reads it"
        if changes.kafka is not None and changes.heartbeats is not None:
            yield changes.heartbeats, f"sources.{name}.changes.heartbeats reads it"
    if file.backfills is not None and file.backfills.topic is not None:
        yield file.backfills.topic, "backfills.topic takes requests from it"
    if file.topics.kind == "kafka":
        throttle = file.topics.throttle
        for topic in (*(g.topic for g in throttle.lag), *(g.topic for g in throttle.latency)):
            yield topic, "topics.throttle watches it"


def _refused(why: str, next_step: str) -> ConfigurationError:
    return ConfigurationError(why, left_behind=NOTHING_SENT, next_step=next_step)
