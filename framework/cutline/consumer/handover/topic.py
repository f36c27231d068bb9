"""Whether a topic is the one that a handover was started for, by the id that Kafka gave to it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from confluent_kafka import TopicCollection
from confluent_kafka.admin import AdminClient

from cutline.consumer.errors import ConsumerError
from cutline.consumer.handover.handover import Handover

_SECONDS = 30.0
_OF_CONSUMERS = (
    *("group.", "auto.", "enable.auto.", "enable.partition.", "isolation.", "partition."),
    *("session.", "heartbeat.", "max.poll.", "fetch.", "queued.", "check.crcs", "consume."),
)
"""How the names of settings begin that only consumers have."""


def refuse_other_topic(handover: Handover, settings: Mapping[str, Any]) -> None:
    """ConsumerError where a topic of that name was made anew since the handover was started;
    KafkaException where Kafka does not tell."""
    admin = AdminClient({k: v for k, v in settings.items() if not k.startswith(_OF_CONSUMERS)})
    topic = handover.topic
    answer = admin.describe_topics(TopicCollection([topic]), request_timeout=_SECONDS)
    if str(answer[topic].result().topic_id) != handover.terms.topic_id:
        raise ConsumerError(
            f"topic {topic} was made anew since the handover of group {handover.group} was "
            "started: its offsets are of another topic",
            left_behind="Nothing was read.",
            next_step=_begin_anew(handover),
        )


def refuse_shorter(
    handover: Handover, partition: int, end: int, reader: str, read_up_to: int
) -> None:
    """ConsumerError where a partition ends before what its reader, the service or the catch-up, has
    read of it."""
    if end < read_up_to:
        raise ConsumerError(
            f"topic {handover.topic}, partition {partition} ends at offset {end}, and the {reader} "
            f"has read up to {read_up_to}: the topic was made anew",
            left_behind="Nothing was handled.",
            next_step=_begin_anew(handover),
        )


def _begin_anew(handover: Handover) -> str:
    """What comes next where the topic is another one."""
    return (
        f"cutline reconsume cancel {shlex.quote(handover.group)} --topic {handover.topic}, then "
        "finish it, and start a new one."
    )
