"""A table in PostgreSQL is repaired from a topic of Kafka, which is read only as far as it must be."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource
from sqlalchemy import Connection, create_engine, make_url, text

from cutline.errors import ConfigurationError, RunFailed
from cutline.repair import performing
from support.published import new_name
from support.sales_by_hour import Sold, hour, sales_project, sold_each_half_hour, totals
from support.servers.kafka import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.postgres, pytest.mark.usefixtures("spark")]
SOLD = sold_each_half_hour(40)


def produce(broker: KafkaBroker, topic: str, sold: Iterable[Sold]) -> None:
    """Records whose times are those at which the orders came."""
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for order in sold:
        record = order.record()
        arrived = dt.datetime.fromisoformat(record["timestamp"])
        producer.produce(
            topic,
            json.dumps(record["value"]).encode(),
            record["key"].encode(),
            headers=[(name, value.encode()) for name, value in record["headers"].items()],
            timestamp=int(arrived.timestamp() * 1000),
        )
    assert producer.flush(30) == 0


class Desk:
    """The project, its topic and its table."""

    def __init__(self, folder: Path, broker: KafkaBroker, url: str, **repair: Any) -> None:
        self.broker, self.topic = broker, new_name("orders")
        broker.create_topic(self.topic, 2, {"retention.ms": "-1"})
        address = make_url(url)
        (folder / "password").write_text(address.password or "")
        output = {
            "url": url.replace(f":{address.password}@", ":${file:password}@"),
            "schema": "shop",
            "table": "sales",
            "ignored": ["seen_at"],
            "window": "hour",
        }
        shop = sales_project(folder, {"topics": [self.topic]}, output=output, **repair)
        file = folder / "cutline.yaml"
        document = yaml.safe_load(file.read_text())
        document["topics"] |= {
            "kind": "kafka",
            "kafka": {"bootstrap": broker.bootstrap},
            "prefix": self.topic,
            "replication": 1,
        }
        corrections = f"{self.topic}.corrections"
        document["replays"]["orders"]["destinations"] = {corrections: {"owner": "Sales desk"}}
        document["repairs"]["hourly"]["corrections"] = corrections
        file.write_text(yaml.safe_dump(document))
        self.corrections, self.hourly = corrections, shop.repair("hourly")
        self._engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))

    def write(self, rows: Iterable[tuple[str, str, int, int]]) -> None:
        """The table as the job left it."""
        with self._engine.begin() as connection:
            connection.execute(text("CREATE SCHEMA IF NOT EXISTS shop"))
            connection.execute(text("DROP TABLE IF EXISTS shop.sales"))
            connection.execute(
                text(
                    "CREATE TABLE shop.sales (id bigint GENERATED ALWAYS AS IDENTITY, "
                    "hour timestamptz NOT NULL, product text NOT NULL, orders int, "
                    "cents numeric(12,2), seen_at timestamptz DEFAULT now(), "
                    "PRIMARY KEY (hour, product))"
                )
            )
            insert = text(
                "INSERT INTO shop.sales (hour, product, orders, cents) VALUES (:h, :p, :o, :c)"
            )
            values = [dict(zip("hpoc", row, strict=True)) for row in rows]
            connection.execute(insert, values)

    def rows(self) -> list[tuple[Any, ...]]:
        """What the table holds."""
        with self._engine.begin() as connection:
            return _rows(connection)


def _rows(connection: Connection) -> list[tuple[Any, ...]]:
    query = "SELECT hour AT TIME ZONE 'UTC', product, orders, cents FROM shop.sales"
    rows = connection.execute(text(query)).all()
    return sorted((f"{h:%Y-%m-%dT%H:%M:%SZ}", p, o, int(c)) for h, p, o, c in rows)


@pytest.fixture
def desk(kafka_broker: KafkaBroker, postgres_url: str, tmp_path: Path) -> Desk:
    """Orders of 20 hours, of which those of hours 5 and 6 are counted twice."""
    desk = Desk(tmp_path, kafka_broker, postgres_url, disorder="PT30M")
    produce(kafka_broker, desk.topic, SOLD)
    wrong = ("2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z")
    desk.write((h, p, o, c * 2 if h in wrong else c) for h, p, o, c in totals(SOLD))
    return desk


def test_only_the_part_of_the_topic_that_matters_is_read(desk: Desk, tmp_path: Path) -> None:
    look = desk.hourly.window(hour(5), hour(7), dry_run=True)
    # From 3:30 (a control window and half an hour before) to 7:40 (lateness and half an hour).
    assert look.records == 9
    done = desk.hourly.window(hour(5), hour(7))
    assert all(check.holds for check in done.checks), done.checks
    assert "disorder allows 1,800 s" in next(c.detail for c in done.checks if c.name == "bounds")
    assert (done.changed, done.records) == (True, 9)
    assert desk.rows() == totals(SOLD)
    desk.hourly.reverse()
    assert desk.rows() != totals(SOLD)


def test_records_out_of_order_by_more_than_is_declared_change_nothing(desk: Desk) -> None:
    # Its record came at 5:10, behind one of 19:30.
    produce(desk.broker, desk.topic, [Sold(90, minutes=310, product="bolt")])
    produce(desk.broker, desk.topic, [Sold(91, minutes=400, product="bolt", after=-80)])
    before = desk.rows()
    done = desk.hourly.window(hour(18), hour(20))
    assert [c.name for c in done.checks if not c.holds] == ["bounds"]
    assert (done.changed, desk.rows()) == (False, before)


def test_a_window_before_retention_is_refused(desk: Desk) -> None:
    admin = desk.broker.admin()
    places = [TopicPartition(desk.topic, number, 10) for number in range(2)]
    ends = {p: desk.broker.read(desk.topic) for p in range(1)}
    for place in places:
        count = sum(m.partition() == place.partition for m in ends[0])
        if count > 10:
            admin.delete_records([place])[place].result(30)
    with pytest.raises(ConfigurationError, match="no longer holds all since"):
        desk.hourly.window(hour(2), hour(4))


def test_a_checkpoint_of_a_topic_is_used_though_the_topic_grows(
    kafka_broker: KafkaBroker, postgres_url: str, tmp_path: Path
) -> None:
    state = {"query": "repairs/state.sql", "columns": "product string, cents bigint"}
    desk = Desk(tmp_path, kafka_broker, postgres_url, disorder="PT30M", state=state)
    produce(kafka_broker, desk.topic, SOLD)
    desk.write(totals(SOLD))
    checkpoint_moment = desk.hourly.checkpoint(hour(3)).moment.isoformat()
    produce(kafka_broker, desk.topic, [Sold(100, minutes=1205)])
    assert desk.hourly.window(hour(5), hour(7)).state == checkpoint_moment
    # That repair has left one of its end.
    assert desk.hourly.window(hour(8), hour(9)).state == "2026-11-01T07:00:00+00:00"


def test_a_compacted_topic_is_refused(desk: Desk) -> None:
    resource = ConfigResource(
        ConfigResource.Type.TOPIC,
        desk.topic,
        incremental_configs=[
            ConfigEntry(
                "cleanup.policy",
                "compact",
                incremental_operation=AlterConfigOpType.SET,
            )
        ],
    )
    admin = desk.broker.admin()
    admin.incremental_alter_configs([resource])[resource].result(30)
    with pytest.raises(ConfigurationError, match="is compacted"):
        desk.hourly.window(hour(5), hour(7))


def test_corrections_are_sent_once_though_the_sender_is_killed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = performing._drop_staged

    def killed(*_: Any) -> None:
        raise RuntimeError("killed behind the sending")

    monkeypatch.setattr(performing, "_drop_staged", killed)
    with pytest.raises(RuntimeError, match="killed"):
        desk.hourly.window(hour(5), hour(7), corrections=True)
    monkeypatch.setattr(performing, "_drop_staged", drop)
    done = desk.hourly.window(hour(5), hour(7), corrections=True)
    assert done.went_on
    corrections_sent = desk.broker.read(desk.corrections)
    assert len(corrections_sent) == done.corrections == 2 * done.wrong
    assert len({dict(m.headers() or [])["ce_id"] for m in corrections_sent}) == len(
        corrections_sent
    )


def test_a_job_that_writes_meanwhile_waits_or_is_noticed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = performing.swap

    def written(*arguments: Any) -> int:
        with desk._engine.begin() as connection:
            connection.execute(text("UPDATE shop.sales SET cents = 7 WHERE product = 'nut'"))
        return swap(*arguments)

    monkeypatch.setattr(performing, "swap", written)
    with pytest.raises(RunFailed, match="was written to while"):
        desk.hourly.window(hour(5), hour(7))
    assert {row[3] for row in desk.rows() if row[1] == "nut"} == {7}
