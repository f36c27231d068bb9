"""Reading a table of PostgreSQL beside `COPY … TO STDOUT` into a file: ratios within one run.

    python benchmarks/postgres_read.py [--rows N] [--repeat R] [--connections C]

A server of its own is started in a temporary folder, and a table of 12 columns is filled. In turn
and several times over: the read of a source of kind `postgresql` under its snapshot, into Parquet
in chunks, with its count and its watch; and one connection that copies the same table as text into
a file. The first round is not counted. Prints Markdown; nothing is asserted but that both have all
rows.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import psycopg
from pyspark.sql import types as T
from timed import Timed, in_turn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.postgres_source import Erp, contract_of
from support.servers.postgres import start_postgres

TABLE = """
CREATE TABLE orders AS SELECT
    n::bigint AS id, 'SO-' || lpad(n::text, 9, '0') AS order_no, (n % 10)::int AS depot,
    (ARRAY['WEB', 'STORE', 'PHONE'])[1 + n % 3] AS channel,
    'C' || (n::bigint * 7919 % 1000000) AS customer_no,
    (ARRAY['NEW', 'RELEASED', 'CLOSED', 'CANCL'])[1 + n % 4] AS status,
    (n::bigint * 31 % 1000000) / 100.0::numeric(12, 2) AS total, n % 5 = 0 AS is_gift,
    timestamp '2025-01-01' + n * interval '7 seconds' AS ordered_at,
    CASE WHEN n % 2 = 0 THEN timestamptz '2025-01-02' + n * interval '7 seconds' END AS released_at,
    date '2025-01-01' + n % 700 AS due, n / 3.0::float8 AS weight
FROM generate_series(1, {rows}) AS n
"""
ORDERS = contract_of(
    "orders",
    {
        "id": T.LongType,
        "order_no": T.StringType,
        "depot": T.IntegerType,
        "channel": T.StringType,
        "customer_no": T.StringType,
        "status": T.StringType,
        "total": Annotated[T.DecimalType, 12, 2],
        "is_gift": T.BooleanType,
        "ordered_at": T.TimestampType,
        "released_at": T.TimestampType,
        "due": T.DateType,
        "weight": T.DoubleType,
    },
    ["id"],
)


def copied(url: str, path: Path) -> int:
    """The table as text in a file, by one connection; its rows."""
    with psycopg.connect(url) as connection, connection.cursor() as cursor, path.open("wb") as file:
        with cursor.copy("COPY orders TO STDOUT") as answer:
            for block in answer:
                file.write(block)
        return cursor.rowcount


def read(url: str, folder: Path, connections: int) -> int:
    """The table in Parquet, as a run reads it; its rows."""
    erp = Erp(url, folder, (ORDERS,), limits={"connections": connections})
    opened = erp.open()
    (table,) = erp.read(opened).values()
    rows = sum(chunk.rows for chunk in table.chunks.values())
    opened.keeping(str(folder / "chunks")).discard()
    return rows


def measured(url: str, folder: Path, rows: int, repeat: int, connections: int) -> str:
    """The table in Markdown."""

    def whole(count: int) -> None:
        assert count == rows, f"{count:,} rows of {rows:,}"

    pieces = {
        "read as a run does": Timed(lambda: whole(read(url, folder, connections))),
        "`COPY … TO STDOUT` into a file": Timed(lambda: whole(copied(url, folder / "orders.txt"))),
    }
    in_turn(pieces.values(), repeat)
    ours, copy = pieces.values()
    ratios = [b / a for a, b in zip(ours.seconds, copy.seconds, strict=True)]
    lines = [
        "| | s, median | rows/s | CPU s, least | speed of the copy |",
        "|---|---:|---:|---:|---|",
    ]
    for name, piece in pieces.items():
        middle = statistics.median(piece.seconds)
        speed = (
            f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})"
            if piece is ours
            else "1.00"
        )
        lines.append(
            f"| {name} | {middle:.1f} | {rows / middle:,.0f} | {min(piece.cpu):.1f} | {speed} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--connections", type=int, default=2)
    options = parser.parse_args()
    server = start_postgres(shared_buffers="256MB")
    try:
        url = server.url(server.create_database())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(TABLE.format(rows=options.rows).encode())
            connection.execute("ALTER TABLE orders ADD PRIMARY KEY (id)")
            connection.execute("VACUUM ANALYZE orders")
        with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as folder:
            print(f"\n{options.rows:,} rows of 12 columns, {options.connections} connections\n")
            print(measured(url, Path(folder), options.rows, options.repeat, options.connections))
    finally:
        server.folder.close()


if __name__ == "__main__":
    main()
