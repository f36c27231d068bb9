"""Sources: the legacy systems, and which of their rows belong to a region."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cutline.project.base import Section
from cutline.project.moment import Moment
from cutline.project.names import Identifier


class TableSource(Section):
    """One table of a source."""

    path: str | None = None
    """File (or glob) of the table, for file kinds; relative to the source's `path`."""
    name: str | None = None
    """The table's name in the database, if it differs from the key here."""
    region: str | None = None
    """SQL predicate that selects the slice's rows at the source; `:region` is the region's name."""


class DebeziumChanges(Section):
    """A Debezium JSON-lines change file of tables of this source.

    Values as the connector writes them with decimal.handling.mode=string and
    time.precision.mode=isostring.
    """

    kind: Literal["debezium"]
    """The format of the change file."""
    path: str
    """The JSON-lines file, or a glob of them; one change a line."""
    consistent_point: str = Field(coerce_numbers_to_str=True)
    """The log position at which the snapshot was exported; what committed before it is visible
    there."""


class SourceBase(Section):
    """What all kinds of source share."""

    tables: dict[Identifier, TableSource] = Field(min_length=1)
    """The tables to read, by the name that contracts use."""
    extracted_at: Moment | None = None
    """When the extract was taken. With its zone. Left out, the moment at which the run first read
    it."""
    changes: DebeziumChanges | None = None
    """Changes that came after the snapshot."""
    truth: str | None = None
    """Where truth SQL reads this source (a database file or a folder); left out, `path`."""


class SqliteSource(SourceBase):
    """A SQLite database, read in one transaction through its Arrow driver."""

    kind: Literal["sqlite"]
    """The kind of source."""
    path: str
    """The database file."""


class CsvSource(SourceBase):
    """A folder of CSV files with a header line each."""

    kind: Literal["csv"]
    """The kind of source."""
    path: str
    """The folder."""
    delimiter: str = Field(default=",", min_length=1, max_length=1)
    """The character between two values."""
    encoding: Literal["utf-8", "iso-8859-1", "windows-1252", "utf-16"] = "utf-8"
    """The files' encoding. A row with bytes that are none of its characters is quarantined."""
    multiline: bool = False
    """Whether a quoted value may hold line breaks."""


class JsonLinesSource(SourceBase):
    """A folder of files with one JSON object a line."""

    kind: Literal["jsonl"]
    """The kind of source."""
    path: str
    """The folder."""


class ParquetSource(SourceBase):
    """A folder of Parquet files or folders."""

    kind: Literal["parquet"]
    """The kind of source."""
    path: str
    """The folder."""


Source = Annotated[
    SqliteSource | CsvSource | JsonLinesSource | ParquetSource, Field(discriminator="kind")
]
