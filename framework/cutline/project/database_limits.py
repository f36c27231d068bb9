"""How much of a database a read may ask for, whatever database it is."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section


class DatabaseLimits(Section):
    """What a read may cost the database. A limit that is reached stops the read, with an error."""

    connections: int = Field(default=2, ge=1, le=32)
    """How many connections read rows at once, beside one that keeps the snapshot and one that
    watches."""
    chunk_rows: int = Field(default=200_000, ge=1)
    """About how many rows one query reads: a table of more is read in ranges of its key."""
    rows_per_second: float | None = Field(default=None, gt=0)
    """The most rows a second, of all connections together. Left out, as many as there are."""
    megabytes_per_second: float | None = Field(default=None, gt=0)
    """The most megabytes a second, of all connections together, as Arrow holds them."""
    statement_seconds: float = Field(default=600, gt=0)
    """The longest that one query may take: the server ends it then."""
    snapshot_seconds: float = Field(default=14_400, gt=0)
    """The longest that the snapshot may stay open: while it is, the database cannot clean up."""
    waiting_seconds: float = Field(default=60, gt=0)
    """The longest that another session may wait for a lock behind this read, such as a TRUNCATE,
    and the read for a lock behind another session."""
