"""What befalls a connector's topics while they grow: altered tables, a truncation, a new snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyspark.sql import SparkSession

from cutline.api.stages import STAGES
from cutline.errors import RunFailed
from cutline.project import load
from cutline.run.outcome import RunOutcome
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from support.logged import install_plugin
from support.servers.debezium import Connector, Debezium
from support.servers.kafka import KafkaBroker
from support.shop_project import PLUGIN, PYPROJECT, write_project

pytestmark = [pytest.mark.postgres, pytest.mark.debezium]

TABLES = ("orders", "lines", "notes")
TRANSLATED = 2
"""Stages until dispositions are written."""
Execute = Callable[..., None]


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)


@pytest.fixture
def execute(postgres_url: str) -> Execute:
    """Commits statements on a database with the tables of the shop, one transaction each."""

    def execute(*statements: str) -> None:
        with psycopg.connect(postgres_url, autocommit=True) as database:
            for statement in statements:
                database.execute(statement.encode())

    execute(
        "CREATE TABLE orders (no bigint PRIMARY KEY, buyer text)",
        "CREATE TABLE lines (line_no bigint PRIMARY KEY, order_no bigint, item text)",
        "CREATE TABLE notes (order_no bigint PRIMARY KEY, text text)",
        *(f"ALTER TABLE {table} REPLICA IDENTITY FULL" for table in TABLES),
    )
    return execute


def order(number: int, values: str) -> list[str]:
    """An order of these values, and its line."""
    return [
        f"INSERT INTO lines VALUES ({number}, {number}, 'tea')",
        f"INSERT INTO orders VALUES ({number}, {values})",
    ]


def translated(folder: Path, connector: Connector, broker: KafkaBroker) -> RunOutcome:
    """A run of a project over the connector's topics, until its rows are translated."""
    existing_topics = broker.topics()
    changes: dict[str, Any] = {
        "topics": [topic for topic in map(connector.topic, TABLES) if topic in existing_topics],
        "transactions": connector.transactions,
        "kafka": {"bootstrap": broker.bootstrap},
    }
    project = load(write_project(folder, changes, 0), "all")
    return run(project, "shop", "all", STAGES[:TRANSLATED], (), ignore_events)


def ends_of_orders(spark: SparkSession, outcome: RunOutcome) -> list[tuple[str, str, str, str]]:
    """Key, operation, disposition and rule of each row of `orders`, in the order of the log."""
    rows = spark.read.parquet(f"{outcome.lake}/dispositions").where("table = 'orders'")
    columns = ("key", "op", "disposition", "rule")
    return [tuple(row) for row in rows.orderBy("position", "key").select(*columns).collect()]


def test_a_table_that_is_altered_in_mid_stream(
    spark: SparkSession,
    execute: Execute,
    debezium: Debezium,
    kafka_broker: KafkaBroker,
    tmp_path: Path,
) -> None:
    """A column more is nobody's business; rows without one that the contract has are put aside by
    its name."""
    execute(*order(1, "'Ann'"))
    connector = debezium.connector([f"public.{table}" for table in TABLES])
    execute("ALTER TABLE orders ADD COLUMN colour text", *order(2, "'Bob', 'red'"))
    execute("ALTER TABLE orders DROP COLUMN buyer", *order(3, "'blue'"))
    connector.wait_until_caught_up(180)
    outcome = translated(tmp_path / "project", connector, kafka_broker)
    assert ends_of_orders(spark, outcome) == [
        ("[1]", "r", "translated", "Placed"),
        ("[2]", "c", "translated", "Placed"),
        ("[3]", "c", "quarantined", "missing:buyer"),
    ]


def test_a_connector_that_begins_again_and_a_table_that_is_truncated(
    spark: SparkSession,
    execute: Execute,
    debezium: Debezium,
    kafka_broker: KafkaBroker,
    tmp_path: Path,
) -> None:
    """A new snapshot behind changes would give old images for new: nobody saw what lies between."""
    execute(*order(1, "'Ann'"), *order(2, "'Bob'"))
    tables = [f"public.{table}" for table in TABLES]
    connector = debezium.connector(tables)
    execute(*order(3, "'Cid'"))
    connector.wait_until_caught_up(180)
    connector.close()
    execute("UPDATE orders SET buyer = 'Cid B.' WHERE no = 3", "DELETE FROM orders WHERE no = 2")
    again = debezium.connector(tables, name=f"{connector.name}_again", topic_prefix=connector.name)
    again.wait_until_caught_up(180)
    place = f"topic {connector.topic('orders')}, partition 0, offset"
    with pytest.raises(RunFailed, match=f"{place} [34]: is a row of a snapshot of table 'orders'"):
        translated(tmp_path / "both", connector, kafka_broker)

    notes = f"topic {connector.topic('notes')}, partition 0, offset"
    execute("TRUNCATE notes")
    again.wait_until_caught_up(180)
    with pytest.raises(RunFailed, match=f"{notes} 0: truncates table 'notes'"):
        translated(tmp_path / "truncated", connector, kafka_broker)
