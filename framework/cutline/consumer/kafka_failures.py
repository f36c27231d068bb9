"""What goes wrong between a service and Kafka: what ends it, and what waiting mends."""

from __future__ import annotations

import logging

from confluent_kafka import KafkaError, Message

from cutline.consumer.errors import ConsumerError

_LOG = logging.getLogger("cutline.consumer")

_LOST_PLACE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})
_FINAL = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError._SSL,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
    }
)
"""Errors that waiting does not mend."""


_READ_ANEW = (
    "Raise its retention, and start a new version of the service, which reads what is there."
)


def refuse(error: KafkaError, message: Message | None = None, lost: str = _READ_ANEW) -> None:
    """Raises ConsumerError for an error that waiting does not mend, and logs any other.

    `message` is the one that came with the error, and names topic, partition and offset. `lost` is
    what to do where a position is gone.
    """
    place = _place(message)
    if error.code() in _LOST_PLACE:
        raise ConsumerError(
            f"{place}: the service's position is not there any more: {error.str()}",
            left_behind="What was handled before stays.",
            next_step=f"Retention was faster, or the topic was made anew. {lost}",
        )
    if error.fatal() or error.code() in _FINAL:
        raise ConsumerError(
            f"{place}: {error.str()}",
            left_behind="What was handled before stays.",
            next_step="Mend topics, rights or credentials, and start the service again.",
        )
    _LOG.warning("Kafka error", extra={"reason": error.str()})


def _place(message: Message | None) -> str:
    if message is None or message.topic() is None:
        return "Kafka"
    partition, offset = message.partition(), message.offset()
    parts = [f"topic {message.topic()}"]
    parts += [f"partition {partition}"] if partition is not None and partition >= 0 else []
    parts += [f"offset {offset}"] if offset is not None and offset >= 0 else []
    return ", ".join(parts)
