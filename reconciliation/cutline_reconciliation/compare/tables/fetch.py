"""The choice of the reader by the kind of a table."""

from __future__ import annotations

from collections.abc import Callable

from cutline_reconciliation.compare.tables import (
    csv_table,
    json_table,
    parquet_table,
    place,
    postgres_table,
    sqlite_table,
)
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable

_READERS: dict[str, Callable[[place.TablePlace, str], FetchedTable]] = {
    place.PARQUET: parquet_table.fetch,
    place.CSV: csv_table.fetch,
    place.JSONL: json_table.fetch,
    place.SQLITE: sqlite_table.fetch,
    place.POSTGRES: postgres_table.fetch,
}


def fetch(where: place.TablePlace, scratch: str) -> FetchedTable:
    """The table, fetched without Spark.

    Answers of databases and records of text files are written to the folder `scratch`, batch by
    batch.
    """
    return _READERS[where.kind](where, scratch)
