"""The demo's topics on Kafka: made, counted and removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from cutline.api.on_servers.setting import START
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import ClientSettings, client_settings
from cutline.project.kafka import KafkaConnection
from cutline.topics.catalog.kafka import KafkaCatalog
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.reading import QUIET, committed, reader

_SECONDS = 10.0
_PATIENCE = 60.0
_FOREVER = {"retention.ms": "-1"}


class DemoTopics:
    """The topics whose names begin with that of the demo and a dot."""

    def __init__(self, bootstrap: str, name: str) -> None:
        self._bootstrap, self._prefix = bootstrap, f"{name}."
        self._settings: ClientSettings = client_settings(
            KafkaConnection(bootstrap=bootstrap), Path()
        )

    def check(self, *, empty: bool) -> None:
        """ConfigurationError unless a broker answers and, if `empty`, has none of these topics."""
        admin = AdminClient({**QUIET, **self._settings.with_secrets()})
        try:
            topics = sorted(admin.list_topics(timeout=_SECONDS).topics)
        except KafkaException as error:
            raise ConfigurationError(
                f"Kafka at {self._bootstrap} does not answer: {reason(error)}",
                next_step=START,
            ) from None
        mine = [topic for topic in topics if topic.startswith(self._prefix)]
        if empty and mine:
            raise ConfigurationError(
                f"Kafka at {self._bootstrap} has a topic {mine[0]} that this demo has not made.",
                next_step="Choose another name with --name NAME. If it is of an earlier demo, "
                "remove that with its own folder: cutline demo --live --dir DIR --clean.",
            )

    def make(self, partitions: Mapping[str, int]) -> None:
        """Make those that are missing, by the rest of their names; nothing in them runs out."""
        admin = AdminClient({**QUIET, **self._settings.with_secrets()})
        topics = [
            NewTopic(self._prefix + name, number, -1, config=dict(_FOREVER))
            for name, number in partitions.items()
        ]
        for topic, future in admin.create_topics(topics, request_timeout=_SECONDS).items():
            try:
                future.result()
            except KafkaException as error:
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise RunFailed(
                        f"Kafka at {self._bootstrap} does not make topic {topic}: {reason(error)}",
                        left_behind="What was made before is there.",
                        next_step="Mend what it says, then run the same command again, or with "
                        "--clean.",
                    ) from None

    def names(self) -> list[str]:
        """Those that are there, sorted."""
        topics = KafkaCatalog(self._settings).topics()
        return [topic for topic in topics if topic.startswith(self._prefix)]

    def counts(self, topics: Sequence[str]) -> dict[str, int]:
        """The committed records of each topic that is there, counted one by one."""
        catalog = KafkaCatalog(self._settings)
        counted: dict[str, int] = {}
        consumer = reader(self._settings)
        try:
            for topic, ends in catalog.ends(topics).items():
                counted[topic] = sum(
                    1
                    for number, end in ends.items()
                    for _ in committed(consumer, topic, int(number), 0, end, _PATIENCE)
                )
        finally:
            consumer.close()
        return counted

    def remove(self) -> list[str]:
        """Remove all of them; which there were."""
        topics = self.names()
        KafkaCatalog(self._settings).remove(topics)
        return topics
