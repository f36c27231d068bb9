"""The legacy's databases and its answers, through Python's own sqlite3 and csv."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

REGIONS = ("eu-west", "us-east")


def opened(folder: Path) -> sqlite3.Connection:
    """Every source attached by its name: `erp` as of the cut, `extract` as of the extract."""
    database = sqlite3.connect(":memory:")
    for name, path in {
        "erp": "legacy/erp.db",
        "extract": "extract/erp.db",
        "shop": "extract/shop.db",
        "stores": "extract/stores.db",
    }.items():
        database.execute(f"ATTACH '{folder / path}' AS {name}")
    database.execute("ATTACH ':memory:' AS warehouse")
    for name in ("releases", "shipments"):
        header, *lines = csv.reader((folder / f"extract/warehouse/{name}.csv").open())
        good = [line for line in lines if len(line) == len(header)]
        _load(database, f"warehouse.{name}", header, good)
    database.execute("ATTACH ':memory:' AS adjustments")
    readable = [a for a in adjustments(folder) if isinstance(a, dict)]
    _load(
        database, "adjustments.adjustments", list(readable[0]), [list(a.values()) for a in readable]
    )
    ledger = pq.read_table(folder / "extract/finance/stock_ledger.parquet").to_pandas()
    database.execute("ATTACH ':memory:' AS finance")
    rows = ledger.astype(str).values.tolist()
    _load(database, "finance.stock_ledger", list(ledger.columns), rows)
    return database


def adjustments(folder: Path) -> list[dict[str, Any] | str]:
    """Each line of the adjustments: an object, or the text where it is none."""
    entries: list[dict[str, Any] | str] = []
    for line in (folder / "extract/adjustments/adjustments.jsonl").read_text().splitlines():
        try:
            entries.append(json.loads(line))
        except ValueError:
            entries.append(line)
    return entries


def changes(folder: Path) -> list[dict[str, Any]]:
    """The change file, document by document."""
    text = (folder / "extract/changes/erp.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def query_legacy(database: sqlite3.Connection, sql: str, region: str) -> pd.DataFrame:
    """The legacy's answer for a region."""
    return pd.read_sql_query(sql, database, params={"region": region})


def _load(
    database: sqlite3.Connection, table: str, header: list[str], rows: Iterable[list[Any]]
) -> None:
    columns = ", ".join(f"{name} TEXT" for name in header)
    database.execute(f"CREATE TABLE {table} ({columns})")
    marks = ", ".join("?" * len(header))
    database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
