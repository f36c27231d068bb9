"""A consumer of Kafka's client library, and its errors that waiting does not mend."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException

from cutline.consumer.errors import ConsumerError
from cutline.consumer.kafka_failures import refuse

_ANSWER_SECONDS = 30.0
_ASK_SECONDS = 3.0


class ConsumerClient:
    """A consumer with these settings. ConsumerError, in librdkafka's words, for what it refuses."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._errors: list[KafkaError] = []
        try:
            self.consumer = Consumer({**settings, "error_cb": self._errors.append})
        except KafkaException as error:
            raise ConsumerError(
                f"librdkafka refuses the settings: {error.args[0].str()}",
                left_behind="Nothing was read.",
                next_step="Mend the setting that it names.",
            ) from error

    def refuse_errors(self) -> None:
        """ConsumerError for what a broker had against this client, if waiting does not mend it."""
        while self._errors:
            refuse(self._errors.pop(0))

    def partitions(self, topics: Sequence[str]) -> dict[str, int]:
        """How many partitions each topic has. ConsumerError for one that is not there, and where no
        broker answers for half a minute."""
        metadata = self._metadata()
        for topic in topics:
            if topic not in metadata:
                raise ConsumerError(
                    f"topic {topic} is not there",
                    left_behind="Nothing was read.",
                    next_step="Mend its name, or have Cutline or the live producer make it first.",
                )
        return {topic: len(metadata[topic].partitions) for topic in topics}

    def _metadata(self) -> Mapping[str, Any]:
        until = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                topics: Mapping[str, Any] = self.consumer.list_topics(timeout=_ASK_SECONDS).topics
                return topics
            except KafkaException as error:
                # Only a poll brings what a broker had against this client.
                self.consumer.poll(0)
                self.refuse_errors()
                if time.monotonic() > until:
                    raise ConsumerError(
                        f"Kafka does not answer: {error.args[0].str()}",
                        left_behind="Nothing was read.",
                        next_step="See that its brokers run, and mend bootstrap.servers.",
                    ) from error
