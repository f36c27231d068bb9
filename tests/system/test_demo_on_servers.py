"""The demo on servers: decided while orders arrive, carried on without a loss, and removed whole."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from cutline import LiveDemoResult, clean_live_demo
from cutline.run.progress import RunEvent
from support.live_demos import LiveDemoServers, live_demo_servers
from support.servers.connect import ConnectWorker
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.kafka,
    pytest.mark.debezium,
    pytest.mark.slow,
    pytest.mark.soak,
    pytest.mark.spark,
]

REGION = "eu-west"
STATES = """
SELECT order_no, status, total_cents FROM erp.orders
WHERE region = %s AND order_no >= 'SO-80000001' ORDER BY order_no
"""
STATUSES = {"RELEASED": "released", "CLOSED": "completed", "CANCL": "cancelled"}


@pytest.fixture
def servers(
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    connect_worker: ConnectWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LiveDemoServers]:
    with live_demo_servers(postgres_server, kafka_broker, connect_worker, monkeypatch) as servers:
        yield servers


@pytest.mark.usefixtures("spark")
def test_orders_that_arrive_meanwhile_are_there_once_and_nothing_is_left(
    tmp_path: Path, servers: LiveDemoServers
) -> None:
    name, postgres = servers.name, servers.postgres
    folder = tmp_path / "demo"
    events: list[RunEvent] = []
    demo = servers.begin(folder, 300, rate=1.0, on_event=events.append)
    assert demo.as_expected, [
        run.decided_by for run in (demo.first, demo.second, demo.advanced, demo.last)
    ]
    assert demo.first.breaks("outcome").count() > 0
    assert min(demo.arrived, demo.moved, demo.announced) > 0
    sentences = [str(event) for event in events]
    at_rest = sentences[sentences.index("the legacy commits no more; Kafka gets the last of it") :]
    assert [text for text in at_rest if "anew" in text] == []
    assert "replaced_rows" in demo.last.tables
    assert_state_is_that_of_the_database(demo, postgres.url(name))
    assert_topics_are_as_counted(demo, servers.kafka, name)
    assert postgres.password not in (folder / "cutline.yaml").read_text()
    assert postgres.password not in (folder / ".cutline-live.json").read_text()

    removed = clean_live_demo(folder).removed
    assert {f"connector {name}", f"replication slot {name}"} < set(removed)
    assert f"topic {name}.fulfilment.exceptions" in removed
    assert servers.topics() == []
    with psycopg.connect(postgres.url()) as admin:
        for question in (
            "SELECT 1 FROM pg_replication_slots WHERE slot_name = %s",
            "SELECT 1 FROM pg_database WHERE datname = %s",
        ):
            assert admin.execute(question.encode(), (name,)).fetchall() == []
    with urllib.request.urlopen(
        f"http://127.0.0.1:{servers.connect.port}/connectors", timeout=30
    ) as answer:
        assert name not in json.loads(answer.read())


def assert_state_is_that_of_the_database(demo: LiveDemoResult, url: str) -> None:
    """Every order that arrived is there once, as it stands; and nothing waits to be compared."""
    with psycopg.connect(url) as database:
        rows = database.execute(STATES.encode(), (REGION,)).fetchall()
    state = demo.last.state("customer_order").where("subject >= 'SO-80000001'")
    assert len(rows) == demo.arrived
    assert sorted((r.subject, r.status, r.total_cents) for r in state.collect()) == [
        (number, STATUSES.get(status, "placed"), total) for number, status, total in rows
    ]
    assert demo.last.breaks().count() == 0
    assert demo.last.outcomes().where("class = 'late'").count() == 0
    assert demo.last.truth("customer_order").count() == demo.last.state("customer_order").count()


def assert_topics_are_as_counted(demo: LiveDemoResult, broker: KafkaBroker, name: str) -> None:
    """The records of exceptions, breaks, native events and history are those on the topics."""
    on_topics = {topic: len(broker.read(topic)) for topic in demo.topics}
    assert dict(demo.topics) == on_topics
    native = sum(n for topic, n in on_topics.items() if topic.endswith(".live"))
    assert native == demo.announced
    assert on_topics[f"{name}.fulfilment.exceptions"] > 0
    assert on_topics[f"{name}.fulfilment.breaks"] > 0
    sent = Counter(
        message.key() for message in broker.read(f"{name}.fulfilment.customer_order.synthetic")
    )
    assert sum(sent.values()) > 0
