"""The tables of a PostgreSQL dump that a project reads, as CSV files.

    python dump_to_csv.py postgres-sakila-data-copy.sql FOLDER

Reads the COPY blocks of `rental`, `payment` and `inventory` as pg_dump writes them, and writes
FOLDER/<table>.csv: a header, one line per row, an empty field for null. Fails where a table has no
block, or where a block does not end.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

TABLES = ("rental", "payment", "inventory")
_BLOCK = re.compile(r"COPY (?:\w+\.)?(?P<table>\w+) \((?P<columns>[^)]*)\) FROM stdin;")
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
NULL, END = "\\N", "\\."


def write_tables(dump: Path, folder: Path) -> dict[str, int]:
    """Write the files of TABLES; the number of rows of each."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: dict[str, int] = {}
    with dump.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            block = _BLOCK.match(line)
            if block and block["table"] in TABLES:
                table = block["table"]
                columns = [name.strip() for name in block["columns"].split(",")]
                rows[table] = _write_table(lines, columns, folder / f"{table}.csv")
    if missing := [table for table in TABLES if table not in rows]:
        raise SystemExit(
            f"{dump} has no rows of {', '.join(missing)}: is it the dump with the data?"
        )
    return rows


def _write_table(lines: TextIO, columns: list[str], path: Path) -> int:
    written = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in _rows(lines):
            writer.writerow(row)
            written += 1
    return written


def _rows(lines: TextIO) -> Iterator[list[str]]:
    for line in lines:
        text = line.removesuffix("\n")
        if text == END:
            return
        yield ["" if field == NULL else _plain(field) for field in text.split("\t")]
    raise SystemExit("the dump ends in the middle of a table: fetch it again")


def _plain(field: str) -> str:
    return _ESCAPED.sub(lambda escaped: _ESCAPES.get(escaped[1], escaped[1]), field)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for table, count in write_tables(Path(sys.argv[1]), Path(sys.argv[2])).items():
        sys.stdout.write(f"{table}: {count} rows\n")
