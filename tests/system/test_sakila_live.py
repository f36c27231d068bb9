"""Sakila in PostgreSQL, changed through Debezium while it is read: one history of all its rentals.

The snapshot is copied by COPY in one transaction, which says what it sees. Transactions before,
across and after it are in the connector's topics, and truth is asked of PostgreSQL at the end.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from pyspark.sql import SparkSession

from support.servers.debezium import Connector, Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer
from support.whole_runs import run_here

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

TABLES = ("rental", "payment", "inventory")
BEFORE = "UPDATE rental SET return_date = '2006-03-01 10:00' WHERE rental_id = 11496"
ACROSS = (
    "UPDATE rental SET return_date = '2006-03-01 11:00' WHERE rental_id = 11541",
    "INSERT INTO payment VALUES (20001, 335, 1, 11541, 0.99, '2006-03-01 11:00')",
)
ROLLED_BACK = "UPDATE rental SET return_date = '2006-03-01 12:00' WHERE rental_id = 11563"
AFTER = (
    # A new rental and its payment, in one transaction.
    (
        "INSERT INTO rental VALUES (20000, '2006-03-02 09:00', 1, 546, NULL, 1)",
        "INSERT INTO payment VALUES (20000, 546, 1, 20000, 2.99, '2006-03-02 09:00')",
    ),
    # One of the four payments of others belonged to that rental.
    ("UPDATE payment SET rental_id = 20000 WHERE payment_id = 14675",),
    # A payment of another customer, for a rental that is open.
    ("INSERT INTO payment VALUES (20002, 1, 1, 11577, 5.00, '2006-03-02 10:00')",),
    # A rental that nobody had: its payment and itself, in one transaction.
    ("DELETE FROM payment WHERE rental_id = 2", "DELETE FROM rental WHERE rental_id = 2"),
    # A payment that was booked twice.
    ("DELETE FROM payment WHERE payment_id = 15458",),
)


def copy_tables(shop: psycopg.Connection[Any], folder: Path) -> str:
    """Writes the tables as CSV files in the connection's transaction; what that sees."""
    folder.mkdir()
    (visible,) = shop.execute("SELECT pg_current_snapshot()::text").fetchone() or ()
    for table in TABLES:
        with (
            (folder / f"{table}.csv").open("wb") as file,
            shop.cursor().copy(f"COPY {table} TO STDOUT (FORMAT csv, HEADER)".encode()) as rows,
        ):
            for data in rows:
                file.write(data)
    return str(visible)


def write_topics(broker: KafkaBroker, connector: Connector, folder: Path) -> None:
    """One file for each topic that the connector has written, a record a line."""
    folder.mkdir()
    topics = broker.topics()
    for name in (*(connector.topic(table) for table in TABLES), connector.transactions):
        values = [m.value() for m in broker.read(name)] if name in topics else []
        lines = b"".join(value + b"\n" for value in values if value is not None)
        kind = "boundaries" if name == connector.transactions else "changes"
        (folder / f"{kind}-{name.rsplit('.', 1)[1]}.jsonl").write_bytes(lines)


def write_project(folder: Path, visible: str) -> Path:
    """A project of the copied tables and the topics' files; truth is at SAKILA_URL."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    document = {
        "version": 1,
        "name": "sakila",
        "topics": {"prefix": "sakila"},
        "sources": {
            "sakila": {
                "kind": "csv",
                "path": "extract",
                "extracted_at": now.isoformat(),
                "truth": "${SAKILA_URL}",
                "tables": {table: {"path": f"{table}.csv"} for table in TABLES},
                "changes": {
                    "kind": "debezium",
                    "path": "topics/changes-*.jsonl",
                    "transactions": "topics/boundaries-*.jsonl",
                    "snapshot": {"policy": "transaction-visibility", "visible": visible},
                },
            }
        },
        "contexts": {
            "rental": {
                "translation": {"use": "sakila", "major": 1},
                "cut": {
                    "policy": "commit-timestamp",
                    "at": (now + dt.timedelta(days=1)).isoformat(),
                },
            }
        },
        "regions": {"all": {"everything": True}},
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document))
    return folder


def test_rentals_that_come_back_are_paid_and_struck_while_they_are_read(
    spark: SparkSession,
    tmp_path: Path,
    sakila: str,
    debezium: Debezium,
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = postgres_server.url(sakila)
    monkeypatch.setenv("SAKILA_URL", url)
    with psycopg.connect(url, autocommit=True) as shop:
        # A publication of payments is one of their tables by month as well, which have no key.
        for table in (*TABLES, *(f"payment_p2007_0{month}" for month in range(1, 7))):
            shop.execute(f"ALTER TABLE {table} REPLICA IDENTITY FULL".encode())
    connector = debezium.connector(
        [f"public.{table}" for table in TABLES],
        sakila,
        snapshot_mode="no_data",
        time_precision_mode="isostring",
        decimal_handling_mode="string",
    )
    with psycopg.connect(url) as till, psycopg.connect(url) as shop:
        till.execute(BEFORE)
        till.commit()
        for statement in ACROSS:
            till.execute(statement.encode())
        shop.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        visible = copy_tables(shop, tmp_path / "extract")
        till.commit()
        till.execute(ROLLED_BACK)
        till.rollback()
        for statements in AFTER:
            for statement in statements:
                till.execute(statement.encode())
            till.commit()
    connector.wait_until_caught_up()
    write_topics(kafka_broker, connector, tmp_path / "topics")

    outcome = run_here(write_project(tmp_path, visible), "rental", "all")

    said = outcome.as_json()
    assert said["unexplained"] == 0
    assert said["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    # Four as ever, one of which is mended since, and the new one.
    assert said["exceptions"] == {"paid-by-another-customer": 5}
    events = spark.read.parquet(f"{said['lake']}/timeline").groupBy("type").count().collect()
    assert {row["type"]: row["count"] for row in events} == {
        "RentalStarted": 16_044 + 1,
        "RentalReturned": 16_044 - 183 + 2,
        "PaymentReceived": 16_049 - 4 + 1 + 1 + 1,
        "PaymentWithdrawn": 2,
        "RentalWithdrawn": 1,
    }
    state = spark.read.parquet(f"{said['lake']}/state_rental")
    assert state.count() == 16_044 + 1 - 1
    assert state.where("status = 'out'").count() == 183 - 2 + 1
    moved = {
        row["subject"]: (row["status"], row["payments"], row["paid_cents"])
        for row in state.where("subject IN ('11496', '11541', '11563', '20000', '291')").collect()
    }
    assert moved == {
        "11496": ("returned", 1, 798),
        "11541": ("returned", 2, 198),
        "11563": ("out", 1, 499),
        "20000": ("out", 2, 299 + 399),
        "291": ("returned", 1, 599),
    }
    # Nothing is judged of rental 1 and of that with the new foreign payment; all others agree.
    money = {end: n for end, n in said["outcomes"]["money_received"].items() if n}
    assert money == {"agree": 16_044 - 2, "explained": 2}
    assert said["outcomes"]["copies_out"]["agree"] == 183 - 2 + 1
    ends = {
        row["obligation"]: row["status"]
        for row in spark.read.parquet(f"{said['lake']}/certificate").collect()
    }
    assert "violated" not in ends.values()
    assert ends["O4"] == "proven"
