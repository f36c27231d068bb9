"""Sources: the legacy systems, and which of their rows belong to a region."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from cutline.project.base import Section
from cutline.project.captured import captured_key
from cutline.project.changes import Changes
from cutline.project.database_limits import DatabaseLimits
from cutline.project.moment import Moment
from cutline.project.names import Identifier
from cutline.project.postgres import PostgresLimits


class TableSource(Section):
    """One table of a source."""

    path: str | None = None
    """File (or glob) of the table, for file kinds; relative to the source's `path`."""
    name: str | None = None
    """The table's name in the database, if it differs from the key here."""
    region: str | None = None
    """SQL predicate that selects the slice's rows at the source; `:region` is the region's name."""
    scanned: str | None = None
    """SQL predicate of the rows that this extract covers, where `previous` is given and the extract
    is not of the whole table. What lies outside of it was not looked for, and is not gone."""


class SourceBase(Section):
    """What all kinds of source share."""

    captured_cuts: ClassVar[frozenset[str]] = frozenset()
    """Which keys of `changes.snapshot` a run can capture, because it takes the snapshot itself."""

    tables: dict[Identifier, TableSource] = Field(min_length=1)
    """The tables to read, by the name that contracts use."""
    extracted_at: Moment | None = None
    """When the extract was taken. With its zone. Left out, the moment at which the run first read
    it."""
    changes: Changes | None = None
    """Changes that came after the snapshot."""
    previous: str | None = None
    """The extract before this one, of the same kind and layout as `path`: what it holds and this
    one lacks was deleted in between, and is told so. Left out, a snapshot shows no deletions."""
    truth: str | None = None
    """Where truth SQL reads this source (a database file or a folder); left out, `path`. Of a
    source of kind `log` the files of a folder have the tables' names: `<table>.csv`, `.jsonl` …"""
    baseline: str | None = None
    """The same at another moment, or of another run of the legacy. Outcomes are asked there as
    well: where the legacy differs from itself, a difference is noise and no drift."""

    @model_validator(mode="after")
    def _cut_is_there(self) -> Self:
        snapshot = None if self.changes is None else self.changes.snapshot
        missing = None if snapshot is None else captured_key(snapshot)
        if missing is not None and missing not in self.captured_cuts:
            kinds = "postgresql" if missing == "visible" else "postgresql or mysql"
            raise ValueError(
                f"changes.snapshot.{missing} is missing: only a source of kind {kinds} is asked "
                "for it by the run, which takes the snapshot itself"
            )
        return self


class SqliteSource(SourceBase):
    """A SQLite database, read in one transaction through its Arrow driver."""

    kind: Literal["sqlite"]
    """The kind of source."""
    path: str
    """The database file."""


NO_DELIMITERS = ('"', "\\", "\r", "\n")
NO_DELIMITER = "delimits no values: it is a part of how they are written"


def _delimiter(text: str) -> str:
    if text in NO_DELIMITERS:
        raise ValueError(NO_DELIMITER)
    return text


class CsvSource(SourceBase):
    """A folder of CSV files with a header line each."""

    kind: Literal["csv"]
    """The kind of source."""
    path: str
    """The folder."""
    delimiter: Annotated[str, AfterValidator(_delimiter)] = Field(
        default=",", min_length=1, max_length=1
    )
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


class LogSource(SourceBase):
    """A change file alone: the connector's own snapshot is its beginning."""

    kind: Literal["log"]
    """The kind of source."""
    changes: Changes
    """The changes, and among them the rows of the snapshot; its policy is `in-log`."""

    @model_validator(mode="after")
    def _in_log(self) -> Self:
        policy = self.changes.snapshot.policy
        if policy != "in-log":
            raise ValueError(
                f"changes.snapshot.policy is {policy}, but a source of kind log has no snapshot "
                "beside its changes: declare in-log"
            )
        return self


class DatabaseSource(SourceBase):
    """A database on a server, read under one snapshot that the run takes itself."""

    @model_validator(mode="after")
    def _of_a_database(self) -> Self:
        if self.previous is not None:
            raise ValueError("previous is for files: a database shows only what it holds now")
        for name, table in self.tables.items():
            for key in ("path", "scanned"):
                if getattr(table, key) is not None:
                    raise ValueError(f"tables.{name}.{key} is for files, not for a database")
        return self


class PostgresSource(DatabaseSource):
    """A PostgreSQL database, read under one snapshot that the run takes itself."""

    captured_cuts: ClassVar[frozenset[str]] = frozenset({"visible", "consistent_point"})

    kind: Literal["postgresql"]
    """The kind of source."""
    url: SecretStr
    """The database: `postgresql://user:${PASSWORD}@host:5432/database`."""
    replica: SecretStr | None = None
    """A hot standby of it, to read the rows from; left out, the rows are read from `url`."""
    schema_name: str = Field(default="public", alias="schema")
    """The schema of the tables. It is written `schema`."""
    slot: str | None = None
    """The replication slot of the connector that writes `changes`: it is watched while the tables
    are read, and must be there before."""
    limits: PostgresLimits = PostgresLimits()
    """What the read may cost the database."""


class MysqlSource(DatabaseSource):
    """A MariaDB or MySQL database, read under one snapshot that the run takes itself."""

    captured_cuts: ClassVar[frozenset[str]] = frozenset({"consistent_point"})

    kind: Literal["mysql"]
    """The kind of source; MariaDB is `mysql`, too."""
    url: SecretStr
    """The database: `mysql://user:${PASSWORD}@host:3306/database`."""
    limits: DatabaseLimits = DatabaseLimits()
    """What the read may cost the database."""


Source = Annotated[
    SqliteSource
    | CsvSource
    | JsonLinesSource
    | ParquetSource
    | LogSource
    | PostgresSource
    | MysqlSource,
    Field(discriminator="kind"),
]
