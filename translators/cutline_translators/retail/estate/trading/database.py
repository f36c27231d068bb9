"""The ERP as a schema of PostgreSQL, with the rows of the estate as they stand at its cut."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cutline.sample import LivePlaces
from cutline_translators.retail.estate.trading.connection import connect, told_errors
from cutline_translators.retail.on_servers import TABLES

_TABLES = """
CREATE SCHEMA erp;
CREATE TABLE erp.products (
  sku text PRIMARY KEY, name text, kind text, price_cents bigint, active bigint
);
CREATE TABLE erp.bundle_components (
  bundle_sku text, component_sku text, quantity bigint, PRIMARY KEY (bundle_sku, component_sku)
);
CREATE TABLE erp.orders (
  order_no text PRIMARY KEY, region text, channel text, customer_no text, status text,
  currency text, total_cents bigint, ordered_at timestamptz, booked_at timestamptz,
  allocated_at timestamptz, released_at timestamptz, closed_at timestamptz,
  cancelled_at timestamptz, updated_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE erp.order_lines (
  order_no text, line_no bigint, region text, sku text, quantity bigint,
  unit_price_cents bigint, line_status text, ordered_at timestamptz, allocated_at timestamptz,
  shipped_at timestamptz, cancelled_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (order_no, line_no)
);
CREATE TABLE erp.availability (
  sku text, region text, physical bigint, financial bigint, reserved bigint, reservable bigint,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (sku, region)
);
CREATE FUNCTION erp.note_change() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN NEW.changed_at := clock_timestamp(); RETURN NEW; END';
-- What the shop answers when the ERP's screens ask it about money: a copy, for the truth alone.
CREATE TABLE public.payments (
  payment_no text PRIMARY KEY, order_no text, region text, amount_cents bigint, status text
);
"""
_CHANGED = ("orders", "order_lines", "availability")
_ROWS = {
    "legacy/erp.db": {
        "erp.products": "products: sku, name, kind, price_cents, active",
        "erp.bundle_components": "bundle_components: bundle_sku, component_sku, quantity",
        "erp.orders": "orders: order_no, region, channel, customer_no, status, currency, "
        "total_cents, ordered_at, booked_at, allocated_at, released_at, closed_at, cancelled_at, "
        "updated_at",
        "erp.order_lines": "order_lines: order_no, line_no, region, sku, quantity, "
        "unit_price_cents, line_status, ordered_at, allocated_at, shipped_at, cancelled_at",
        "erp.availability": "availability: sku, region, physical, financial, reserved, reservable",
    },
    "extract/shop.db": {
        "public.payments": "payments: payment_no, order_no, region, amount_cents, status",
    },
}
"""By file of the estate and table of the database, the table there and its columns."""


def load(places: LivePlaces, folder: Path) -> None:
    """Make the tables, with the rows of the estate in the folder, in one transaction.

    The rows are those of the estate's cut: what it tells in its change file is in them.
    """
    with told_errors(places), connect(places) as connection, connection.transaction():
        connection.execute(_TABLES.encode())
        for file, tables in _ROWS.items():
            with closing(sqlite3.connect(folder / file)) as estate:
                for target, source in tables.items():
                    table, _, columns = source.partition(": ")
                    rows = estate.execute(f"SELECT {columns} FROM {table}")  # noqa: S608
                    copy = f"COPY {target} ({columns}) FROM STDIN"
                    with connection.cursor().copy(copy.encode()) as target_rows:
                        for row in rows:
                            target_rows.write_row(row)
        for table in _CHANGED:
            connection.execute(
                f"CREATE TRIGGER note_change BEFORE UPDATE ON erp.{table} "
                "FOR EACH ROW EXECUTE FUNCTION erp.note_change()".encode()
            )
        for table in TABLES:
            connection.execute(f"ALTER TABLE {table} REPLICA IDENTITY FULL".encode())
