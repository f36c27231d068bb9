"""A consumer group and a topic, asked about and never joined."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.admin._resource import ResourceType

from cutline.errors import EXIT_NO_GO, ConfigurationError, CutlineError, RunFailed
from cutline.kafka import ClientSettings
from cutline.kafka.cluster import KafkaCluster
from cutline.kafka.moments import milliseconds_of
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.live_load import LagLimit, committed_offsets
from cutline.topics.kafka.reading import (
    FIRST,
    LAST,
    Unfinished,
    admin_client,
    committed,
    offsets,
    reader,
)

if TYPE_CHECKING:
    from confluent_kafka import Message

NOTHING_MOVED = "No record and no progress of the group was moved."
_SECONDS = 15.0
_PATIENCE = 60.0
_IDLE = (ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD)


class GroupRefused(CutlineError):
    """The group may not be moved as things are. Exit code 1."""

    exit_code = EXIT_NO_GO


class PartitionBounds(NamedTuple):
    """The first offset of a partition, the end of what is committed, and its end with what is in
    transactions that are open."""

    first: int
    stable: int
    end: int


@dataclass(frozen=True)
class GroupOnTopic:
    """A group that reads a topic of the project's cluster."""

    settings: ClientSettings
    name: str
    topic: str

    @property
    def lease_name(self) -> str:
        """What the lease of the group on its topic is called."""
        return f"{self.name} {self.topic}"

    def progress(self) -> dict[int, int]:
        """By partition, the offset that the group reads next. ConfigurationError where the topic is
        not there, or the group never committed on it."""
        committed = self.committed()
        if not committed:
            if not self.topic_is_there():
                raise ConfigurationError(
                    f"topic {self.topic} is not in Kafka at {self.settings.bootstrap}, or may not "
                    "be seen",
                    left_behind=NOTHING_MOVED,
                    next_step="Mend its name.",
                )
            raise ConfigurationError(
                f"group {self.name} never committed on topic {self.topic}",
                left_behind=NOTHING_MOVED,
                next_step="Mend the name of the group, or of the topic.",
            )
        return committed

    def committed(self) -> dict[int, int]:
        """By partition, the offset that the group has committed; empty where it never did, and for
        a topic that is not there."""
        if not self.topic_is_there():
            return {}
        with self.explained():
            return committed_offsets(self.settings, LagLimit(self.name, self.topic, 0))

    def topic_id(self) -> str:
        """The id that Kafka gave to the topic when it was made."""
        described = KafkaCluster(self.settings, "topics.kafka").describe([self.topic])
        return str(described[self.topic].topic_id)

    def bounds(self) -> dict[int, PartitionBounds]:
        """Of each partition of the topic what is there."""
        with self.explained():
            metadata = admin_client(self.settings).list_topics(self.topic, timeout=_SECONDS)
            places = [TopicPartition(self.topic, n) for n in metadata.topics[self.topic].partitions]
            first = offsets(self.settings, places, FIRST)
            stable = offsets(self.settings, places, LAST, IsolationLevel.READ_COMMITTED)
            end = offsets(self.settings, places, LAST)
        return {
            place[1]: PartitionBounds(at, stable[place], end[place]) for place, at in first.items()
        }

    def members(self) -> int:
        """Its members now; 0 for one that is idle."""
        with self.explained():
            futures = admin_client(self.settings).describe_consumer_groups(
                [self.name], request_timeout=_SECONDS
            )
            described = futures[self.name].result()
        return 0 if described.state in _IDLE else max(1, len(described.members))

    def setting(self, name: str) -> str:
        """A setting of the topic, as Kafka has it."""
        resource = ConfigResource(ResourceType.TOPIC, self.topic)
        with self.explained():
            futures = admin_client(self.settings).describe_configs(
                [resource], request_timeout=_SECONDS
            )
            return str(futures[resource].result()[name].value)

    def offsets_at(self, partitions: Mapping[int, int], moment: dt.datetime) -> dict[int, int]:
        """By partition the first offset with a record of that moment or later; -1 where there is
        none."""
        spec = OffsetSpec.for_timestamp(milliseconds_of(moment))
        places = [TopicPartition(self.topic, number) for number in partitions]
        with self.explained():
            at = offsets(self.settings, places, spec)
        return {number: offset for (_, number), offset in at.items()}

    def move_to(self, progress: Mapping[int, int]) -> None:
        """Let the group go on at these offsets, by partition. RunFailed where Kafka refuses, as it
        does for a group that has members."""
        places = [TopicPartition(self.topic, number, at) for number, at in progress.items()]
        with self.explained():
            moved = admin_client(self.settings).alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(self.name, places)], request_timeout=_SECONDS
            )
            for place in moved[self.name].result().topic_partitions:
                if place.error is not None:
                    raise KafkaException(place.error)

    def records(self, partition: int, start: int, end: int) -> Iterator[Message]:
        """The committed records of [start, end) of a partition, in order. RunFailed where they do
        not come."""
        consumer = reader(self.settings)
        try:
            with self.explained():
                yield from committed(consumer, self.topic, partition, start, end, _PATIENCE)
        except Unfinished as error:
            raise RunFailed(
                str(error),
                left_behind=NOTHING_MOVED,
                next_step="See that the brokers run, then run the same command again.",
            ) from error
        finally:
            consumer.close()

    def delete(self) -> None:
        """Remove the idle group from Kafka, where it is there."""
        with self.explained():
            futures = admin_client(self.settings).delete_consumer_groups(
                [self.name], request_timeout=_SECONDS
            )
            try:
                futures[self.name].result()
            except KafkaException as error:
                if error.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                    raise

    def refuse_members(
        self, next_step: str = "Stop the service, run the same command again, then start it."
    ) -> None:
        """GroupRefused where the group is not idle."""
        if members := self.members():
            raise GroupRefused(
                f"group {self.name} has {members} members: what they commit would win",
                left_behind=NOTHING_MOVED,
                next_step=next_step,
            )

    def topic_is_there(self) -> bool:
        """Whether Kafka has the topic, as far as may be seen."""
        with self.explained():
            topics = admin_client(self.settings).list_topics(timeout=_SECONDS).topics
            return self.topic in topics

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """RunFailed where Kafka does not answer, or refuses."""
        try:
            yield
        except KafkaException as error:
            raise RunFailed(
                f"group {self.name} on topic {self.topic} in Kafka at {self.settings.bootstrap} "
                f"cannot be looked at: {reason(error)}",
                left_behind=NOTHING_MOVED,
                next_step="Grant Describe and Read on the group and the topic, and see that the "
                "brokers run; then run the same command again.",
            ) from error
