"""The ERP's databases: as extracted, and as they stand at the cut."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from cutline_translators.estate.chance import Chance
from cutline_translators.estate.sqlite import create, loading
from cutline_translators.retail.estate.catalogue import Catalogue, components_table, products_table

DDL = """
CREATE TABLE products (
  sku TEXT PRIMARY KEY, name TEXT, kind TEXT, price_cents INTEGER, active INTEGER
);
CREATE TABLE bundle_components (
  bundle_sku TEXT, component_sku TEXT, quantity INTEGER, PRIMARY KEY (bundle_sku, component_sku)
);
CREATE TABLE orders (
  order_no TEXT PRIMARY KEY, region TEXT, channel TEXT, customer_no TEXT, status TEXT,
  currency TEXT, total_cents INTEGER, ordered_at TEXT, booked_at TEXT, allocated_at TEXT,
  released_at TEXT, closed_at TEXT, cancelled_at TEXT, updated_at TEXT
);
CREATE TABLE order_lines (
  order_no TEXT, line_no INTEGER, region TEXT, sku TEXT, quantity INTEGER,
  unit_price_cents INTEGER, line_status TEXT, ordered_at TEXT, allocated_at TEXT,
  shipped_at TEXT, cancelled_at TEXT, PRIMARY KEY (order_no, line_no)
);
"""

AVAILABILITY = """
CREATE TABLE availability (
  sku TEXT, region TEXT, physical INTEGER, financial INTEGER, reserved INTEGER,
  reservable INTEGER, PRIMARY KEY (sku, region)
);
"""


def create_erp(path: Path, items: Catalogue, chance: Chance) -> None:
    """The ERP's database with its reference data and no orders yet."""
    create(path, DDL)
    with loading(path) as database:
        database.add("products", products_table(items, chance))
        database.add("bundle_components", components_table(items))


def write_erp_at_cut(extract: Path, legacy: Path, orders: pa.Table, lines: pa.Table) -> None:
    """The ERP at the cut: the extract, with later row images laid over it in the order given."""
    legacy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(extract, legacy)
    with closing(sqlite3.connect(legacy)) as database:
        database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        for name, images in (("orders", orders), ("order_lines", lines)):
            marks = ",".join("?" * images.num_columns)
            rows = zip(*(column.to_pylist() for column in images.columns), strict=True)
            database.executemany(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", rows)  # noqa: S608
        database.executescript(AVAILABILITY)
        database.commit()
