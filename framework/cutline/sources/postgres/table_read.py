"""One table of a source on its way out of the database: its columns, its chunks, its counts."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

from cutline.errors import ConfigurationError
from cutline.sources.layouts import Layout
from cutline.sources.postgres.catalog import CatalogTable
from cutline.sources.postgres.chunk_reader import ColumnRequest
from cutline.sources.postgres.chunk_store import StoredChunk
from cutline.sources.postgres.chunks import Chunk, ChunkPlan
from cutline.sources.postgres.moment import Moment
from cutline.sources.shapes import refuse_no_shape
from cutline.sources.used_tables import UsedTable
from cutline.sql.postgres import DIALECT


@dataclass
class TableRead:
    """What is asked of one table, and what has been read of it so far, by place of the chunk.

    `texts` are columns that are read as texts because a value in them is odd.
    """

    table: UsedTable
    catalog: CatalogTable
    plan: ChunkPlan
    requests: tuple[ColumnRequest, ...]
    predicate: str | None
    chunks: dict[int, StoredChunk] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    total_rows: int = 0
    rows_of_others: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def where(self, chunk: Chunk) -> str:
        """The condition of a chunk's rows of the slice."""
        # The line end keeps a comment in the predicate from reaching the bracket.
        slice_ = "" if self.predicate is None else f" AND (\n{self.predicate}\n)"
        return f"({chunk.condition}){slice_}"

    def count_sql(self) -> str:
        """A query for the number of all rows, and of those of other slices, with no chunk in it."""
        others = "false" if self.predicate is None else f"(\n{self.predicate}\n) IS NOT TRUE"
        return f"SELECT count(*), count(*) FILTER (WHERE {others}) FROM {self.catalog.sql_name}"  # noqa: S608

    def identity(self, chunk: Chunk, moment: Moment) -> str:
        """All that the chunk's rows depend on, beside the snapshot."""
        columns = [
            [r.column.name, r.column.number, r.column.declared, r.ddl] for r in self.requests
        ]
        return json.dumps(
            [*table_identity(self.catalog, moment), columns, chunk.relation, self.where(chunk)]
        )


def bounds_identity(catalog: CatalogTable, moment: Moment) -> str:
    """What the bounds of a table's ranges are kept by."""
    key = [catalog.column(name).declared for name in catalog.key]
    return json.dumps(["bounds", *table_identity(catalog, moment), list(catalog.key), key])


def table_identity(catalog: CatalogTable, moment: Moment) -> list[object]:
    """What tells a table from any other, and from itself after it was made anew."""
    heaps = [heap.oid for heap in catalog.heaps]
    return [moment.system, moment.database, moment.timeline, catalog.oid, heaps, catalog.sql_name]


def requests_of(table: UsedTable, catalog: CatalogTable, place: str) -> tuple[ColumnRequest, ...]:
    """The columns of any shape of the contract that the table has.

    ConfigurationError, naming the `place`, for a table of no shape of the contract. A column of
    which shapes ask for different types is asked for as text.
    """
    present = tuple(c.name for c in catalog.columns)
    refuse_no_shape(table, [Layout([Path(place)], present)])
    _refuse_no_bytes(table, catalog, place)
    wanted: dict[str, set[str]] = {}
    for shape in table.shapes:
        for name, ddl in shape.items():
            wanted.setdefault(name, set()).add(ddl)
    return tuple(
        ColumnRequest(catalog.column(n), next(iter(wanted[n])) if len(wanted[n]) == 1 else "string")
        for n in table.read_columns
        if n in present
    )


def _refuse_no_bytes(table: UsedTable, catalog: CatalogTable, place: str) -> None:
    for shape in table.shapes:
        for column in catalog.columns:
            if shape.get(column.name) == "binary" and column.type_name != "bytea":
                raise ConfigurationError(
                    f"{place}: column {column.name!r} is {column.declared}, and contract "
                    f"{table.contract.__name__} declares it as binary",
                    next_step="Declare it as text and take it apart in the translator.",
                )


def predicate_of(table: UsedTable, region: str) -> str | None:
    """The table's condition for the region, in PostgreSQL's SQL; null for all rows."""
    return None if table.predicate is None else DIALECT.with_region(table.predicate, region)
