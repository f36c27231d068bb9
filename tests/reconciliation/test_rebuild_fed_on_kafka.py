"""A rebuilt read model is kept by live events of a real Kafka."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import cutline
from cutline.errors import RunFailed
from support.decided import DecidedShop
from support.logged import install_plugin
from support.published import new_name
from support.rebuilds import COUNTED, declare, fed, legacy_has, projected, rebuilt, shown
from support.servers.kafka import KafkaBroker, Record
from support.shop_project import PLUGIN, PYPROJECT

pytestmark = pytest.mark.kafka


class KafkaShop(DecidedShop):
    """A shop whose live events are on a topic of Kafka."""

    def __init__(self, folder: Path, broker: KafkaBroker) -> None:
        self.broker = broker
        self.live = broker.create_topic(new_name("shop-live"), 2, {"retention.ms": "-1"})
        kafka = {"bootstrap": broker.bootstrap}
        records = {"order": {"topic": self.live}}
        super().__init__(folder, {"aggregates": ["order"], "kafka": kafka, "records": records})

    def new(
        self, number: int, epoch: int | str | None, kind: str = "Placed", region: str = "all"
    ) -> str:
        event_id = super().new(number, epoch, kind, region)
        record = json.loads(self.topic.read_text().splitlines()[-1])
        headers = tuple((name, text.encode()) for name, text in record["headers"].items())
        value = json.dumps(record["value"]).encode()
        self.broker.produce(self.live, [Record(record["key"].encode(), value, headers)])
        return event_id


def test_events_of_kafka_are_applied_to_legacy_rows_with_the_history_of_a_run(
    spark: SparkSession,
    kafka_broker: KafkaBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = KafkaShop(tmp_path / "shop", kafka_broker)
    declare(shop, COUNTED)
    legacy_has(shop, {1: 1, 2: 1})
    run = projected(shop, spark, 1, 2)
    shop.new(3, None)
    done = rebuilt(shop, spark, feed=True)
    assert (done.run_id, done.decision) == (run, "go")
    assert done.fed is not None
    assert (done.fed.run_id, done.fed.events, done.fed.rows) == (run, 1, 1)
    assert shown(shop) == [("1", 1, 1), ("2", 1, 1), ("3", 1, 1)]
    assert fed(shop, spark).records == 0
    # Of one key in order, of both partitions, and an event that comes twice counts once.
    for number in (1, 2, 3):
        shop.new(number, None, "Noted")
    shop.new(3, None)
    later = fed(shop, spark)
    assert (later.records, later.aside) == (4, 0)
    assert shown(shop) == [("1", 1, 2), ("2", 1, 2), ("3", 1, 2)]
    # A topic that was made anew is not gone on with.
    shop.broker.delete_topic(shop.live)
    shop.broker.create_topic(shop.live, 2)
    shop.new(1, None, "Noted")
    with pytest.raises((RunFailed, cutline.ConfigurationError), match=shop.live):
        fed(shop, spark)
    assert shown(shop) == [("1", 1, 2), ("2", 1, 2), ("3", 1, 2)]
