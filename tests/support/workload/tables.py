"""The tables that the writers write, and what stands in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
"""Values by column, as psycopg reads them."""
Key = tuple[str, tuple[Any, ...]]
"""A table, and the values of its key."""
State = dict[Key, Row]

KEYS = {"orders": ("order_no",), "order_lines": ("order_no", "line_no"), "stock": ("sku",)}
SKUS = tuple(f"SKU-{number}" for number in range(8))
FULL_STOCK = 1_000_000

_TABLES = (
    """CREATE TABLE orders (
        order_no text PRIMARY KEY,
        status text NOT NULL,
        amount numeric(12, 2),
        note text,
        document text,
        placed_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL
    )""",
    # Out of line and as it is: a large document is a TOAST value whatever it says.
    "ALTER TABLE orders ALTER document SET STORAGE EXTERNAL",
    """CREATE TABLE order_lines (
        order_no text NOT NULL,
        line_no int NOT NULL,
        sku text NOT NULL,
        pieces int NOT NULL,
        PRIMARY KEY (order_no, line_no)
    )""",
    "CREATE TABLE stock (sku text PRIMARY KEY, pieces int NOT NULL)",
    # How far each writer has come, written by each of its transactions.
    "CREATE TABLE writers (writer int PRIMARY KEY, done int NOT NULL)",
)


class Change(NamedTuple):
    """One row that a transaction changed: before is None for a new one, after for a deleted one."""

    table: str
    before: Row | None
    after: Row | None


def key_of(table: str, row: Row) -> Key:
    return table, tuple(row[column] for column in KEYS[table])


def create_tables(url: str, replica_identity: str = "DEFAULT") -> None:
    """Creates the tables, with the stock of each article; the identity may be FULL.

    `writers` is what the writers keep for themselves: no part of what they do.
    """
    with psycopg.connect(url) as connection:
        for statement in _TABLES:
            connection.execute(statement.encode())
        for table in KEYS:
            connection.execute(f"ALTER TABLE {table} REPLICA IDENTITY {replica_identity}".encode())
        with connection.cursor() as cursor:
            rows = [(sku, FULL_STOCK) for sku in SKUS]
            cursor.executemany("INSERT INTO stock VALUES (%s, %s)", rows)


def full_stock() -> State:
    """What `create_tables` writes."""
    return {("stock", (sku,)): {"sku": sku, "pieces": FULL_STOCK} for sku in SKUS}


def stored(url: str) -> State:
    """What the tables hold, by table and key, at one moment."""
    state: State = {}
    with psycopg.connect(url, row_factory=dict_row) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for table in KEYS:
            for row in connection.execute(f"SELECT * FROM {table}".encode()):
                state[key_of(table, row)] = row
    return state
