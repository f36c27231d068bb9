"""Each server does what tests need of it, as soon as it is handed out."""

from __future__ import annotations

import json

import psycopg
import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker, Record
from support.servers.kafka_settings import PASSWORDS
from support.servers.registry import SchemaRegistry


def test_a_record_that_was_produced_is_read(kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic("work.plain", partitions=2)
    kafka_broker.produce(
        topic,
        [
            Record(b"A", b"1", (("origin", b"native"),), partition=1),
            Record(b"A", None, partition=1),
        ],
    )
    rows = [(m.key(), m.value(), m.headers(), m.partition()) for m in kafka_broker.read(topic)]
    assert rows == [(b"A", b"1", [("origin", b"native")], 1), (b"A", None, None, 1)]


def test_the_first_transaction_does_not_wait(kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic("work.transactions")
    address = {"bootstrap.servers": kafka_broker.bootstrap}
    producer = Producer({**address, "transactional.id": "work.transactions"})
    producer.init_transactions(5)
    for value, end in (
        (b"kept", producer.commit_transaction),
        (b"not", producer.abort_transaction),
    ):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(5)
        end(5)
    assert [m.value() for m in kafka_broker.read(topic)] == [b"kept"]
    assert len(kafka_broker.read(topic, "read_uncommitted")) == 2


@pytest.mark.parametrize(
    ("user", "password", "topics"),
    [
        ("cutline", PASSWORDS["cutline"], {"work.signed"}),
        ("reader", PASSWORDS["reader"], set()),
        ("reader", "wrong", None),
    ],
)
def test_who_signs_in_sees_what_it_may(
    kafka_broker: KafkaBroker, user: str, password: str, topics: set[str] | None
) -> None:
    """`None`: nobody is let in."""
    if "work.signed" not in kafka_broker.topics():
        kafka_broker.create_topic("work.signed")
    client = AdminClient(
        {
            "bootstrap.servers": kafka_broker.sasl_bootstrap,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": user,
            "sasl.password": password,
            "log_level": 0,
        }
    )
    if topics is None:
        with pytest.raises(KafkaException):
            client.list_topics(timeout=2)
    else:
        assert set(client.list_topics(timeout=10).topics) & {"work.signed"} == topics


def test_who_knows_the_certificate_comes_in(kafka_broker: KafkaBroker) -> None:
    address = {"bootstrap.servers": kafka_broker.tls_bootstrap, "security.protocol": "SSL"}
    trusting_client = AdminClient({**address, "ssl.ca.location": str(kafka_broker.certificate)})
    assert len(trusting_client.list_topics(timeout=10).brokers) == 1
    with pytest.raises(KafkaException):
        AdminClient({**address, "log_level": 0}).list_topics(timeout=2)


def test_a_changed_row_arrives_by_debezium(
    debezium: Debezium, kafka_broker: KafkaBroker, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as erp:
        erp.execute("CREATE TABLE stock (sku text PRIMARY KEY, pieces int)")
        erp.execute("INSERT INTO stock VALUES ('A', 1)")
        connector = debezium.connector(["public.stock"])
        # What is written as soon as it streams is streamed, and not in the snapshot.
        erp.execute("UPDATE stock SET pieces = 2")
        erp.execute("TRUNCATE stock")
    connector.wait_until_caught_up()
    changes = [json.loads(m.value() or b"") for m in kafka_broker.read(connector.topic("stock"))]
    rows = [(change["op"], change["after"]) for change in changes]
    assert rows == [
        ("r", {"sku": "A", "pieces": 1}),
        ("u", {"sku": "A", "pieces": 2}),
        ("t", None),
    ]
    assert len(kafka_broker.read(connector.transactions)) == 4


def test_what_was_committed_before_is_caught_up_with(
    debezium: Debezium, kafka_broker: KafkaBroker, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as erp:
        erp.execute("CREATE TABLE stock (sku int PRIMARY KEY)")
        connector = debezium.connector(["public.stock"])
        for rows in (1, 5_000, 3):
            erp.execute(
                "INSERT INTO stock SELECT coalesce(max(s.sku), 0) + n FROM"
                " stock s RIGHT JOIN generate_series(1, %s) n ON true GROUP BY n",
                (rows,),
            )
            count = erp.execute("SELECT count(*) FROM stock").fetchone()
            connector.wait_until_caught_up()
            assert (len(kafka_broker.read(connector.topic("stock"))),) == count
    connector.restart()


def test_a_registered_schema_is_known_by_its_id(schema_registry: SchemaRegistry) -> None:
    number = schema_registry.register("work-value", {"type": "string"})
    assert schema_registry.schema(number) == {"type": "string"}


def test_debezium_writes_avro_with_the_registry(
    debezium: Debezium,
    kafka_broker: KafkaBroker,
    schema_registry: SchemaRegistry,
    postgres_url: str,
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as erp:
        erp.execute("CREATE TABLE stock (sku text PRIMARY KEY)")
        erp.execute("INSERT INTO stock VALUES ('A')")
    connector = debezium.connector(["public.stock"], registry=schema_registry.api)
    connector.wait_until_caught_up()
    (message,) = kafka_broker.read(connector.topic("stock"))
    value = message.value()
    assert value is not None
    assert value[0] == 0
    assert schema_registry.schema(int.from_bytes(value[1:5]))["name"] == "Envelope"
