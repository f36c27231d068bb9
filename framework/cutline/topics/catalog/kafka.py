"""Topics of a cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from cutline.errors import RunFailed
from cutline.kafka import ClientSettings
from cutline.topics.catalog.interface import Ends
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.reading import LAST, QUIET, offsets

_REQUEST = 30.0
_GONE_WITHIN = 30.0
_LOOK = 0.1


class KafkaCatalog:
    """The topics of a cluster that may be seen."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._admin = AdminClient({**QUIET, **settings.with_secrets()})

    def topics(self) -> list[str]:
        """The names of all of them, sorted."""
        with self._reached():
            return sorted(self._admin.list_topics(timeout=_REQUEST).topics)

    def ends(self, topics: Sequence[str]) -> Ends:
        """Where topics end, also where the last record is not committed yet; one that is not there
        is left out."""
        with self._reached():
            ends: dict[str, dict[str, int]] = {}
            last = offsets(self._settings, self.partitions(topics), LAST)
            for (topic, number), end in last.items():
                ends.setdefault(topic, {})[str(number)] = end
            return ends

    def partitions(self, topics: Sequence[str]) -> list[TopicPartition]:
        """The partitions of those topics that are there."""
        with self._reached():
            metadata = self._admin.list_topics(timeout=_REQUEST).topics
            return [
                TopicPartition(topic, number)
                for topic in topics
                if topic in metadata
                for number in sorted(metadata[topic].partitions)
            ]

    def remove(self, topics: Sequence[str]) -> None:
        """Remove topics, and wait until the brokers know of none of them."""
        with self._reached():
            existing = sorted(set(topics) & set(self.topics()))
            if not existing:
                return
            futures = self._admin.delete_topics(existing, request_timeout=_REQUEST)
            for future in futures.values():
                try:
                    future.result()
                except KafkaException as error:
                    if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                        raise
            self._await_removal(existing)

    def _await_removal(self, topics: Sequence[str]) -> None:
        until = time.monotonic() + _GONE_WITHIN
        while remaining := sorted(set(topics) & set(self.topics())):
            if time.monotonic() > until:
                raise RunFailed(
                    f"topic {remaining[0]} is there still, {_GONE_WITHIN:.0f} s after it was "
                    f"removed in Kafka at {self._settings.bootstrap}",
                    left_behind=f"{len(remaining)} of {len(topics)} topics.",
                    next_step="Look at the brokers, then run the same command again.",
                )
            time.sleep(_LOOK)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except KafkaException as error:
            raise RunFailed(
                f"Kafka at {self._settings.bootstrap} does not tell of its topics or remove them: "
                f"{reason(error)}",
                left_behind="Topics that were to be removed may be there still.",
                next_step="See that it answers, and that who asks may describe and delete topics; "
                "then run the same command again.",
            ) from error
