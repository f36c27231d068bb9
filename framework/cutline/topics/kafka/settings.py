"""How a project publishes to Kafka, beside who publishes."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutline.topics.kafka.pace import Throttle


@dataclass(frozen=True)
class KafkaSettings:
    """Partitions and replication (null: the brokers' default) of new topics, whether they may be
    made, whether events are sent in the structured binding, and how fast."""

    partitions: int
    replication: int | None = None
    create: bool = True
    structured: bool = False
    throttle: Throttle = field(default_factory=Throttle)
