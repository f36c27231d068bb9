"""Whether anybody consumes a topic of Kafka: groups are asked about, and never joined."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaException

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import ClientSettings
from cutline.replay.request import NOTHING_SENT
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.live_load import LagLimit, committed_offsets
from cutline.topics.kafka.reading import admin_client

_SECONDS = 15.0


def refuse_consumers(settings: ClientSettings, topic: str, allowed: Sequence[str]) -> None:
    """ConfigurationError, naming the group, for a topic that a group other than those allowed has
    committed on, or has a member for. Groups that may not be seen are not found."""
    try:
        if topic not in admin_client(settings).list_topics(timeout=_SECONDS).topics:
            return
        groups = [name for name in _groups(settings) if name not in allowed]
        readers = _with_members(settings, groups, topic)
        for name in groups:
            if name in readers or committed_offsets(settings, LagLimit(name, topic, 0)):
                raise ConfigurationError(
                    f"topic {topic} has consumers: group {name} reads it",
                    left_behind=NOTHING_SENT,
                    next_step="Replay to a topic that nobody reads as live. If the group is there "
                    "to read replays, name it in `groups` of the destination.",
                )
    except KafkaException as error:
        raise RunFailed(
            f"the consumers of topic {topic} in Kafka at {settings.bootstrap} cannot be looked at: "
            f"{reason(error)}",
            left_behind=NOTHING_SENT,
            next_step="Grant Describe on groups, and see that the brokers run; then run the same "
            "command again.",
        ) from error


def _groups(settings: ClientSettings) -> list[str]:
    listed = admin_client(settings).list_consumer_groups(request_timeout=_SECONDS).result()
    return sorted(group.group_id for group in listed.valid)


def _with_members(settings: ClientSettings, groups: Sequence[str], topic: str) -> set[str]:
    """The groups of which a member is assigned a partition of the topic."""
    if not groups:
        return set()
    futures = admin_client(settings).describe_consumer_groups(
        list(groups), request_timeout=_SECONDS
    )
    return {
        name
        for name, future in futures.items()
        for member in future.result().members
        if any(place.topic == topic for place in member.assignment.topic_partitions)
    }
