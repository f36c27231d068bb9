"""An Apache Kafka of one broker, without ZooKeeper, and what tests ask of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer as KafkaConsumer
from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka import TopicPartition as Partition
from confluent_kafka.admin import AdminClient, NewTopic

from support.ports import free_ports
from support.servers.certificate import as_property, write_certificate
from support.servers.folder import ServerFolder
from support.servers.formatted import write_formatted
from support.servers.java import SMALL, java
from support.servers.kafka_settings import LISTENERS, LOG_OPTION, LOGGING, PROPERTIES
from support.servers.maven import jars
from support.servers.process import NotReady, ServerProcess, wait_for

_SECONDS = 30


class Record(NamedTuple):
    """What is to be produced; a value of None is a tombstone, a partition of -1 is by the key."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int = -1


@dataclass
class KafkaBroker:
    """A running broker: `bootstrap` without a password, `sasl_bootstrap` with one of PASSWORDS, and
    `tls_bootstrap`, whose certificate is in the file `certificate`.

    It makes no topic by itself. Retention and compaction are looked at every second.
    """

    folder: ServerFolder
    port: int
    sasl_port: int
    tls_port: int
    process: ServerProcess

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def sasl_bootstrap(self) -> str:
        return f"127.0.0.1:{self.sasl_port}"

    @property
    def tls_bootstrap(self) -> str:
        return f"127.0.0.1:{self.tls_port}"

    @property
    def certificate(self) -> Path:
        return self.folder.path / "certificate.pem"

    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap})

    def create_topic(
        self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> str:
        """Makes a topic, and waits until it can be used; its name."""
        new = NewTopic(name, partitions, 1, config=dict(config or {}))
        admin = self.admin()
        admin.create_topics([new])[name].result(_SECONDS)

        def usable() -> None:
            topic = admin.list_topics(name, timeout=5).topics[name]
            if topic.error or len(topic.partitions) != partitions:
                raise NotReady(f"the broker does not know all of {name} yet")

        wait_for(usable, _SECONDS)
        return name

    def delete_topic(self, name: str) -> None:
        # Without a name of its own the client would end before its answer came.
        admin = self.admin()
        admin.delete_topics([name])[name].result(_SECONDS)

    def topics(self) -> dict[str, int]:
        """The partitions of each topic but Kafka's own."""
        topic_metadata = self.admin().list_topics(timeout=_SECONDS).topics
        return {n: len(t.partitions) for n, t in topic_metadata.items() if not n.startswith("__")}

    def produce(self, topic: str, records: Iterable[Record], **settings: Any) -> None:
        """Produces the records as Java's producer would place them, and waits for all of them."""
        producer = Producer(
            {"bootstrap.servers": self.bootstrap, "partitioner": "murmur2_random", **settings}
        )
        errors: list[KafkaError] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                errors.append(error)

        for key, value, headers, partition in records:
            producer.produce(topic, value, key, partition, delivered, headers=list(headers) or None)
            producer.poll(0)
        if producer.flush(_SECONDS) or errors:
            raise RuntimeError(f"not all records got to {topic}: {errors[:3]}")

    def read(self, topic: str, isolation: str = "read_committed") -> list[Message]:
        """All messages of a topic, partition by partition, each in the order of its offsets."""
        consumer = KafkaConsumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "nobody",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                "isolation.level": isolation,
            }
        )
        messages: list[Message] = []
        try:
            for partition in range(self.topics()[topic]):
                consumer.assign([Partition(topic, partition, 0)])
                messages += _to_the_end(consumer, topic)
        finally:
            consumer.close()
        return messages


def start_kafka(
    *, memory: str = "512m", java_options: Iterable[str] = SMALL, **settings: str
) -> KafkaBroker:
    """A broker that is ready for consumers and transactions. Settings take `_` for a dot."""
    program, libraries = java(), jars("kafka")
    folder = ServerFolder("kafka")
    port, sasl_port, tls_port, controller_port = free_ports(4)
    run: list[str | Path] = [program, *java_options, "-cp", f"{libraries}/*", LOG_OPTION]
    try:
        file = _write_properties(
            folder.path, (port, sasl_port, tls_port), controller_port, settings
        )
        write_formatted(run, folder.path / "data")
        start = [*run, f"-Xmx{memory}", "kafka.Kafka", file]
        process = ServerProcess(folder, start, Readiness(f"127.0.0.1:{port}"))
        process.start()
    except BaseException:
        folder.close()
        raise
    return KafkaBroker(folder, port, sasl_port, tls_port, process)


def _write_properties(
    folder: Path, ports: Iterable[int], controller_port: int, settings: Mapping[str, str]
) -> Path:
    key, certificate = write_certificate(folder)
    controller = f"127.0.0.1:{controller_port}"
    listeners = [f"{name}://127.0.0.1:{port}" for name, port in zip(LISTENERS, ports, strict=True)]
    properties = PROPERTIES | {
        "listeners": ",".join([*listeners, f"CONTROLLER://{controller}"]),
        "controller.quorum.voters": f"1@{controller}",
        "log.dirs": str(folder / "data"),
        "ssl.keystore.key": as_property(key),
        "ssl.keystore.certificate.chain": as_property(certificate),
    }
    properties |= {name.replace("_", "."): value for name, value in settings.items()}
    (folder / "log4j2.properties").write_text(LOGGING)
    file = folder / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return file


@dataclass
class Readiness:
    """Raises while a broker's coordinators, of groups and of transactions, are not loaded."""

    bootstrap: str

    def __call__(self) -> None:
        # Not by AdminClient.list_consumer_group_offsets: librdkafka 2.16 aborts the whole process
        # where it cannot get at the coordinator.
        address = {
            "bootstrap.servers": self.bootstrap,
            "reconnect.backoff.max.ms": 200,
            "retry.backoff.max.ms": 200,
            "log_level": 0,
        }
        with contextlib.closing(KafkaConsumer(address | {"group.id": "nobody"})) as consumer:
            consumer.committed([Partition("nothing", 0)], timeout=5)
        producer = Producer(address | {"transactional.id": "nobody"})
        producer.init_transactions(5)


def _to_the_end(consumer: KafkaConsumer, topic: str) -> Iterable[Message]:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None:
            continue
        error = message.error()
        if error is None:
            yield message
        elif error.code() == KafkaError._PARTITION_EOF:
            return
        else:
            raise RuntimeError(f"{topic}: {error}")
    raise NotReady(f"{topic} was not read to its end within {_SECONDS} s")
