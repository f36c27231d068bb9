"""Which reader fetches which kind of table."""

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

_READERS: dict[str, Callable[[place.Place, str], FetchedTable]] = {
    place.PARQUET: parquet_table.fetch,
    place.CSV: csv_table.fetch,
    place.JSONL: json_table.fetch,
    place.SQLITE: sqlite_table.fetch,
    place.POSTGRES: postgres_table.fetch,
}


def fetch(where: place.Place, scratch: str) -> FetchedTable:
    """The table, fetched without Spark: what a database answers, and the records of text files,
    lie in the folder `scratch` then, batch by batch."""
    return _READERS[where.kind](where, scratch)
