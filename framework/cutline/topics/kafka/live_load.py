"""How the live traffic fares: the lag of its consumers, and the brokers that lead its topics."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import Consumer, IsolationLevel, TopicPartition

from cutline.errors import ConfigurationError
from cutline.kafka import ClientSettings
from cutline.topics.kafka.reading import LAST, QUIET, admin_client, offsets

_REQUEST = 10.0


@dataclass(frozen=True)
class LagLimit:
    """A consumer group of the live traffic, and the messages of `topic` that it may be behind."""

    group: str
    topic: str
    messages: int


@dataclass(frozen=True)
class LatencyLimit:
    """A live topic, and how long the brokers that lead it may take to confirm what is sent."""

    topic: str
    milliseconds: float


def committed_offsets(settings: ClientSettings, limit: LagLimit) -> dict[int, int]:
    """What the group has committed, by partition of the topic; empty if it never committed there.

    The group is only asked about, never joined, and its progress stays as it is.
    """
    # Not by the administrator's client, which ends the process if a coordinator is out of reach.
    asking = {
        **QUIET,
        **settings.with_secrets(),
        "group.id": limit.group,
        "enable.auto.commit": "false",
    }
    consumer = Consumer(asking)
    try:
        topic = consumer.list_topics(limit.topic, _REQUEST).topics[limit.topic]
        places = [TopicPartition(limit.topic, number) for number in topic.partitions]
        committed = consumer.committed(places, _REQUEST)
        return {place.partition: place.offset for place in committed if place.offset >= 0}
    finally:
        consumer.close()


def refuse_unknown(
    settings: ClientSettings,
    lag: Sequence[LagLimit],
    latency: Sequence[LatencyLimit],
    existing: Container[str],
) -> None:
    """ConfigurationError for a topic that is not among the existing ones, or a group that never
    committed anything on its topic: looking at it would tell nothing."""
    for topic in (*(limit.topic for limit in lag), *(limit.topic for limit in latency)):
        if topic not in existing:
            raise _unknown(f"topic {topic} is not there")
    for limit in lag:
        if not committed_offsets(settings, limit):
            raise _unknown(f"group {limit.group} never committed on topic {limit.topic}")


def _unknown(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"topics.throttle looks at live traffic that does not exist: {why}",
        left_behind="Nothing was sent.",
        next_step="Mend `topics.throttle` in cutline.yaml, or leave it out.",
    )


def lag_of(settings: ClientSettings, limit: LagLimit) -> int:
    """Messages by which the group is behind the committed ends, over the partitions of the topic
    for which it ever committed."""
    return lag_behind(settings, limit.topic, committed_offsets(settings, limit))


def lag_behind(settings: ClientSettings, topic: str, committed: Mapping[int, int]) -> int:
    """The same, of what a group is known to have committed by partition."""
    if not committed:
        return 0
    places = [TopicPartition(topic, number) for number in committed]
    ends = offsets(settings, places, LAST, IsolationLevel.READ_COMMITTED)
    return sum(max(0, end - committed[number]) for (_, number), end in ends.items())


def leaders_of(settings: ClientSettings, topic: str) -> set[int]:
    """The ids of the brokers that lead a topic's partitions."""
    metadata = admin_client(settings).list_topics(topic, _REQUEST)
    return {partition.leader for partition in metadata.topics[topic].partitions.values()}
