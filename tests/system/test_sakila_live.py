"""Sakila in PostgreSQL, changed through Debezium while it is read: one history of all its rentals.

A copy of the tables says what it sees; transactions before, across and after it are in the connector's
topics. When all is quiet the tables are read once more, by the run itself. Truth is asked of PostgreSQL.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from pyspark.sql import SparkSession

from cutline.run.outcome import RunOutcome
from support.servers.debezium import Connector, Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer
from support.whole_runs import run_here

pytestmark = [pytest.mark.postgres, pytest.mark.kafka, pytest.mark.slow]

TABLES = ("rental", "payment", "inventory")
PAYMENTS_BY_MONTH = tuple(f"payment_p2007_0{month}" for month in range(1, 7))
BEFORE = "UPDATE rental SET return_date = '2006-03-01 10:00' WHERE rental_id = 11496"
ACROSS = (
    "UPDATE rental SET return_date = '2006-03-01 11:00' WHERE rental_id = 11541",
    "INSERT INTO payment VALUES (20001, 335, 1, 11541, 0.99, '2006-03-01 11:00')",
)
ROLLED_BACK = ("UPDATE rental SET return_date = '2006-03-01 12:00' WHERE rental_id = 11563",)
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
RENTALS, OUT = 16_044 + 1 - 1, 183 - 2 + 1


@dataclass(frozen=True)
class Shop:
    """Sakila's database, and the connector that watches it."""

    url: str
    connector: Connector
    broker: KafkaBroker

    def changes(self, **snapshot: str) -> dict[str, Any]:
        """The section `changes` of its source."""
        return {
            "kind": "debezium",
            "topics": [self.connector.topic(table) for table in ("rental", "payment")],
            "transactions": self.connector.transactions,
            "kafka": {"bootstrap": self.broker.bootstrap},
            "snapshot": {"policy": "transaction-visibility", **snapshot},
        }


@pytest.fixture
def shop(
    sakila: str,
    debezium: Debezium,
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    monkeypatch: pytest.MonkeyPatch,
) -> Shop:
    url = postgres_server.url(sakila)
    monkeypatch.setenv("SAKILA_URL", url)
    with psycopg.connect(url, autocommit=True) as admin:
        # Whoever publishes payments publishes their tables by month as well, which have no key.
        for table in (*TABLES, *PAYMENTS_BY_MONTH):
            admin.execute(f"ALTER TABLE {table} REPLICA IDENTITY FULL".encode())
    connector = debezium.connector(
        [f"public.{table}" for table in TABLES],
        sakila,
        snapshot_mode="no_data",
        time_precision_mode="isostring",
        decimal_handling_mode="string",
    )
    return Shop(url, connector, kafka_broker)


def copy_tables(database: psycopg.Connection[Any], folder: Path) -> str:
    """Writes the tables as CSV files in the connection's transaction; what that sees."""
    folder.mkdir()
    row = database.execute("SELECT pg_current_snapshot()::text").fetchone()
    for table in TABLES:
        with (
            (folder / f"{table}.csv").open("wb") as file,
            database.cursor().copy(f"COPY {table} TO STDOUT (FORMAT csv, HEADER)".encode()) as rows,
        ):
            for data in rows:
                file.write(data)
    assert row is not None
    return str(row[0])


def work(till: psycopg.Connection[Any], *transactions: Sequence[str]) -> None:
    """Commits the transactions, one after the other."""
    for statements in transactions:
        for statement in statements:
            till.execute(statement.encode())
        till.commit()


def run_rentals(folder: Path, source: Mapping[str, Any]) -> RunOutcome:
    """A run over both stores, with a project of this source."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    cut = {"policy": "commit-timestamp", "at": (now + dt.timedelta(days=1)).isoformat()}
    document = {
        "version": 1,
        "name": "sakila",
        "topics": {"prefix": "sakila"},
        "sources": {"sakila": {"extracted_at": now.isoformat(), **source}},
        "contexts": {"rental": {"translation": {"use": "sakila", "major": 1}, "cut": cut}},
        "regions": {"all": {"everything": True}},
    }
    folder.mkdir(exist_ok=True)
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document))
    return run_here(folder, "rental", "all")


def announced(spark: SparkSession, outcome: RunOutcome) -> dict[str, int]:
    """How many events the timeline has, by type."""
    events = spark.read.parquet(f"{outcome.lake}/timeline").groupBy("type").count().collect()
    return {row["type"]: row["count"] for row in events}


def states(spark: SparkSession, outcome: RunOutcome) -> set[str]:
    """Every rental as it stands, but for how many events say so and when they were."""
    state = spark.read.parquet(f"{outcome.lake}/state_rental")
    rows = state.drop("events", "first_time", "last_time").collect()
    assert len(rows) == state.select("subject").distinct().count() == RENTALS
    return {json.dumps(row.asDict(), sort_keys=True, default=str) for row in rows}


def certified(spark: SparkSession, outcome: RunOutcome) -> dict[str, str]:
    """What became of each obligation of the certificate."""
    rows = spark.read.parquet(f"{outcome.lake}/certificate").collect()
    return {row["obligation"]: row["status"] for row in rows}


def assert_nothing_breaks(outcome: RunOutcome) -> None:
    """All rentals agree with PostgreSQL but two, whose foreign payments explain it."""
    document = outcome.as_json()
    assert document["unexplained"] == 0
    assert document["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    money, out = (
        {end: n for end, n in document["outcomes"][name].items() if n}
        for name in ("money_received", "copies_out")
    )
    assert money == {"agree": RENTALS - 2, "explained": 2}
    assert out == {"agree": OUT}


@pytest.mark.soak
def test_rentals_that_come_back_are_paid_and_struck_while_they_are_read(
    spark: SparkSession, tmp_path: Path, shop: Shop
) -> None:
    folder = tmp_path / "copied"
    folder.mkdir()
    with psycopg.connect(shop.url) as till, psycopg.connect(shop.url) as copier:
        work(till, [BEFORE])
        for statement in ACROSS:
            till.execute(statement.encode())
        copier.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        visible = copy_tables(copier, folder / "extract")
        till.commit()
        for statement in ROLLED_BACK:
            till.execute(statement.encode())
        till.rollback()
        work(till, *AFTER)
    shop.connector.wait_until_caught_up()

    copied = run_rentals(
        folder,
        {
            "kind": "csv",
            "path": "extract",
            "truth": "${SAKILA_URL}",
            "tables": {table: {"path": f"{table}.csv"} for table in TABLES},
            "changes": shop.changes(visible=visible),
        },
    )
    assert_nothing_breaks(copied)
    # Four as ever, one of which is mended since, and the new one.
    assert copied.as_json()["exceptions"] == {"paid-by-another-customer": 4 + 1}
    assert announced(spark, copied) == {
        "RentalStarted": 16_044 + 1,
        "RentalReturned": 16_044 - 183 + 2,
        "PaymentReceived": 16_049 - 4 + 1 + 1 + 1,
        "PaymentWithdrawn": 2,
        "RentalWithdrawn": 1,
    }
    obligations = certified(spark, copied)
    assert "violated" not in obligations.values()
    assert obligations["O4"] == "proven"

    read = run_rentals(
        tmp_path / "read",
        {
            "kind": "postgresql",
            "url": "${SAKILA_URL}",
            "tables": {table: {} for table in TABLES},
            "changes": shop.changes(),
        },
    )
    assert_nothing_breaks(read)
    assert read.as_json()["exceptions"] == {"paid-by-another-customer": 4 - 1 + 1}
    # All that was committed is in the snapshot, and what was struck has left no trace there.
    assert announced(spark, read) == {
        "RentalStarted": RENTALS,
        "RentalReturned": RENTALS - OUT,
        "PaymentReceived": 16_049 + 3 - 2 - 4,
    }
    obligations = certified(spark, read)
    assert "violated" not in obligations.values()
    assert (obligations["O1"], obligations["O4"]) == ("proven", "proven")
    assert states(spark, read) == states(spark, copied)
