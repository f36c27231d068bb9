"""PostgreSQL databases, read in parallel under one snapshot, in chunks, as Arrow."""

from cutline.sources.postgres.answers import AskedDatabase, asked_database
from cutline.sources.postgres.chunk_store import ChunkStore
from cutline.sources.postgres.moment import PREFIX, Moment
from cutline.sources.postgres.raw_rows import raw_rows
from cutline.sources.postgres.source import (
    OpenedSource,
    open_source,
    place_of,
    read_database,
    refuse_unreachable,
    table_columns,
)

__all__ = [
    "PREFIX",
    "AskedDatabase",
    "ChunkStore",
    "Moment",
    "OpenedSource",
    "asked_database",
    "open_source",
    "place_of",
    "raw_rows",
    "read_database",
    "refuse_unreachable",
    "table_columns",
]
