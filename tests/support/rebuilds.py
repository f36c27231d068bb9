"""The smallest shop, whose read model `desk` is rebuilt from the orders that its legacy has now."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import yaml
from pyspark.sql import SparkSession

import cutline
from support.decided import CONTEXT, REGION, DecidedShop
from support.first_runs import run_of

VIEW = '"order_all"'
ORDERS = "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"
COUNTED = "SELECT CAST(no AS TEXT) AS subject, placed, 1 AS events FROM web.orders"


def declare(shop: DecidedShop, sql: str = ORDERS, **sections: Any) -> None:
    """The database `desk` in cutline.yaml, with the SQL of its orders, and other sections."""
    section = {"url": "sqlite:///desk.db", "queries": {"order": sql}}
    file = shop.folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text()) | {"rebuilds": {"desk": section}} | sections
    file.write_text(yaml.safe_dump(document), encoding="utf-8")


def legacy_has(shop: DecidedShop, rows: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
    """The legacy has these orders now, each with how often it was placed."""
    pairs = rows.items() if isinstance(rows, Mapping) else rows
    with closing(sqlite3.connect(shop.folder / "now.db")) as database, database:
        database.execute("DELETE FROM orders")
        database.executemany("INSERT INTO orders VALUES (?, ?)", list(pairs))


def projected(shop: DecidedShop, spark: SparkSession, *numbers: int) -> str:
    """A run that projects these orders, each placed once; its id."""
    for number in numbers:
        shop.legacy(number, 10 + number)
    return run_of(shop.folder, spark, CONTEXT, REGION)


def rebuilt(
    shop: DecidedShop, spark: SparkSession, most: float = 0.0, **more: Any
) -> cutline.Rebuild:
    project = cutline.Project.open(shop.folder, spark=spark)
    return project.rebuild(CONTEXT, region=REGION, into="desk", max_different=most, **more)


def fed(shop: DecidedShop, spark: SparkSession) -> cutline.FedVersion:
    """What feeding the database comes to now."""
    return cutline.Project.open(shop.folder, spark=spark).feed(CONTEXT, region=REGION, into="desk")


def query(shop: DecidedShop, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(shop.folder / "desk.db")) as database:
        return database.execute(sql).fetchall()


def served(shop: DecidedShop) -> list[tuple[str, int]]:
    """What services read."""
    return query(shop, f"SELECT subject, placed FROM {VIEW} ORDER BY subject")  # type: ignore[return-value]


def shown(shop: DecidedShop) -> list[tuple[str, int, int]]:
    """What services read: of each order how often it was placed, and how many events it has."""
    sql = f"SELECT subject, placed, events FROM {VIEW} ORDER BY subject"
    return query(shop, sql)  # type: ignore[return-value]


def tables(shop: DecidedShop) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'order_%' ORDER BY 1"
    return [name for (name,) in query(shop, sql)]
