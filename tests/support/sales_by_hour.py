"""A table of hourly sales that a job writes from orders, and what a repair of it declares."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import cutline
from support.replaying import append_records, shop_document

DAY = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
QUERY = """
SELECT window_start, get_json_object(data, '$.product') AS product, count(*) AS orders,
       sum(cast(get_json_object(data, '$.cents') AS bigint)) AS cents
FROM events GROUP BY 1, 2;
"""
RUNNING = """
SELECT e.window_start, e.product, cast(coalesce(s.cents, 0) + e.cents AS bigint) AS cents
FROM (
  SELECT window_start, get_json_object(data, '$.product') AS product,
         sum(sum(cast(get_json_object(data, '$.cents') AS bigint)))
           OVER (PARTITION BY get_json_object(data, '$.product') ORDER BY window_start) AS cents
  FROM events GROUP BY 1, 2
) e LEFT JOIN state s ON s.product = e.product
"""
STATE = """
SELECT product, cast(sum(cents) AS bigint) AS cents FROM (
  SELECT product, cents FROM state
  UNION ALL
  SELECT get_json_object(data, '$.product'), cast(get_json_object(data, '$.cents') AS bigint)
  FROM events
) GROUP BY product
"""


@dataclass(frozen=True)
class Sold:
    """An order of a product, so many `minutes` after the day began; its record came `after` as many
    minutes."""

    number: int
    minutes: float
    cents: int = 100
    product: str = "bolt"
    after: float = 0

    @property
    def time(self) -> dt.datetime:
        """When it was placed."""
        return DAY + dt.timedelta(minutes=self.minutes)

    @property
    def hour(self) -> dt.datetime:
        """The window that it belongs to."""
        return self.time.replace(minute=0, second=0, microsecond=0)

    def record(self) -> dict[str, Any]:
        """Its record on a topic."""
        arrived = self.time + dt.timedelta(minutes=self.after)
        return {
            "timestamp": _text(arrived),
            "key": self.product,
            "headers": {
                "ce_specversion": "1.0",
                "ce_id": f"id-{self.number}",
                "ce_source": "urn:shop",
                "ce_type": "OrderPlaced",
                "ce_subject": self.product,
                "ce_time": _text(self.time),
                "content-type": "application/json",
            },
            "value": {"product": self.product, "cents": self.cents},
        }


def sold_each_half_hour(count: int) -> list[Sold]:
    """So many orders, two an hour from the beginning of the day, every third of a nut."""
    return [
        Sold(n, minutes=30 * n, cents=100 + n, product="bolt" if n % 3 else "nut")
        for n in range(count)
    ]


def _text(moment: dt.datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def sales_project(
    folder: Path, source: Mapping[str, Any] | None = None, **repair: Any
) -> cutline.Project:
    """A project that may repair `hourly`, the table of hourly sales in shop.db."""
    (folder / "repairs").mkdir(parents=True, exist_ok=True)
    (folder / "repairs" / "hourly.sql").write_text(QUERY)
    (folder / "repairs" / "running.sql").write_text(RUNNING)
    (folder / "repairs" / "state.sql").write_text(STATE)
    output = {"url": "sqlite:///shop.db", "table": "sales", "window": "hour", "key": ["product"]}
    section = {
        "replay": "orders",
        "size": "PT1H",
        "lateness": "PT10M",
        "query": "repairs/hourly.sql",
        "output": output | dict(repair.pop("output", {})),
        **repair,
    }
    orders = {
        "source": source or {"topics": ["orders"]},
        "destinations": {"sales.corrections": {"owner": "Sales desk"}},
    }
    document = shop_document(replays={"orders": orders}, repairs={"hourly": section})
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder)


Row = tuple[str, str, int, int]
"""Hour, product, orders and cents."""


def totals(sold: Iterable[Sold]) -> list[Row]:
    """What the job should have written for orders."""
    sums: dict[tuple[dt.datetime, str], list[int]] = defaultdict(list)
    for order in sold:
        sums[order.hour, order.product].append(order.cents)
    return sorted(
        (f"{hour:%Y-%m-%dT%H:%M:%SZ}", product, len(cents), sum(cents))
        for (hour, product), cents in sums.items()
    )


def write_table(folder: Path, rows: Iterable[Row], kind: str = "TEXT") -> None:
    """The table as the job left it."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute("DROP TABLE IF EXISTS sales")
        connection.execute(
            f"CREATE TABLE sales (hour {kind}, product TEXT, orders INTEGER, cents INTEGER, "
            "seen_at TEXT DEFAULT CURRENT_TIMESTAMP)"
        )
        connection.executemany(
            "INSERT INTO sales (hour, product, orders, cents) VALUES (?, ?, ?, ?)", list(rows)
        )


def table_rows(
    folder: Path, query: str = "SELECT hour, product, orders, cents FROM sales"
) -> list[Any]:
    """The rows of the table, or of a query, in order."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        return sorted(connection.execute(query).fetchall())


def tables(folder: Path) -> set[str]:
    """The tables that are there."""
    return {
        name
        for (name,) in table_rows(folder, "SELECT name FROM sqlite_master WHERE type = 'table'")
    }


def place(folder: Path, sold: Iterable[Sold]) -> None:
    """Put orders on the topic."""
    append_records(folder, "orders", [order.record() for order in sold])


def hour(number: float) -> str:
    """A moment of the day, so many hours after it began."""
    return _text(DAY + dt.timedelta(hours=number))
