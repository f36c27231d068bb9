"""A PostgreSQL source of a project: looked at, and opened for one run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import SecretStr
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline.project.cut import ExportedSnapshotCut
from cutline.project.source import PostgresSource
from cutline.sources.postgres.catalog import catalog_table, refuse_missing
from cutline.sources.postgres.chunk_store import ChunkStore
from cutline.sources.postgres.chunks import plan_chunks
from cutline.sources.postgres.condition import refuse_condition, tables_within
from cutline.sources.postgres.database import PostgresDatabase, Session, reading_settings
from cutline.sources.postgres.held_snapshot import HeldSnapshot, hold_snapshot
from cutline.sources.postgres.raw_rows import raw_rows
from cutline.sources.postgres.read_tables import TablesReader
from cutline.sources.postgres.table_read import (
    TableRead,
    bounds_identity,
    predicate_of,
    requests_of,
)
from cutline.sources.postgres.watch import SlotWatch
from cutline.sources.rows import RawRows
from cutline.sources.used_tables import UsedSource, UsedTable


@dataclass
class OpenedSource:
    """A source with its open snapshot, which ends when its tables are read."""

    name: str
    section: PostgresSource
    snapshot: HeldSnapshot
    slot: SlotWatch | None
    chunks: str | None = None
    """The folder where chunks outlive a read that is interrupted; null to keep none."""

    @property
    def position(self) -> str:
        """What identifies its rows: see `Moment.text`."""
        return self.snapshot.moment.text

    def keeping(self, chunks: str) -> OpenedSource:
        """The same snapshot, with chunks kept in a folder until `discard`."""
        return replace(self, chunks=chunks)

    def discard(self) -> None:
        """Removes the chunks that were kept; nothing happens without any."""
        if self.chunks is not None:
            ChunkStore(self.chunks).remove()

    def read(self, tables: tuple[UsedTable, ...], region: str, scratch: str) -> list[TableRead]:
        """Reads the tables, and ends the snapshot.

        Without a folder of its own for chunks they are in `scratch`, which must stay until the
        tables were written.

        ConfigurationError for a table, column or predicate that is not right; RunFailed if the
        server is gone, or at a limit.
        """
        store = ChunkStore(self.chunks or scratch)
        try:
            reads = [self._table_read(table, region, store) for table in tables]
            key = f"sources.{self.name}"
            TablesReader(self.snapshot, self.section.limits, key, store, self.slot).read(reads)
        finally:
            self.close()
        return reads

    def raw_rows(
        self,
        spark: SparkSession,
        tables: tuple[UsedTable, ...],
        region: str,
        scratch: str,
        label: Callable[[UsedTable], str],
    ) -> dict[str, RawRows]:
        """See `OpenedDatabase.raw_rows`; errors are those of `read`."""
        return {
            table_read.table.name: raw_rows(spark, table_read, label(table_read.table))
            for table_read in self.read(tables, region, scratch)
        }

    def close(self) -> None:
        """Ends the snapshot and its locks; nothing happens if they have ended."""
        self.snapshot.close()
        if self.slot is not None:
            self.slot.session.close()

    def _table_read(self, table: UsedTable, region: str, store: ChunkStore) -> TableRead:
        session, moment = self.snapshot.session, self.snapshot.moment
        catalog = catalog_table(session, self.section.schema_name, table.database_name)
        refuse_condition(session, table, catalog.sql_name, region)
        identity = bounds_identity(catalog, moment)
        earlier = store.bounds(identity)
        plan = plan_chunks(session, catalog, self.section.limits.chunk_rows, earlier)
        if plan.by == "key" and earlier is None:
            store.remember_bounds(identity, plan.bounds)
        requests = requests_of(table, catalog, place_of(session.database, catalog.sql_name))
        return TableRead(table, catalog, plan, requests, predicate_of(table, region))


def open_source(source: UsedSource) -> OpenedSource:
    """Takes the snapshot of a source: everything that is read of it is of this moment.

    ConfigurationError if the server does not answer, refuses the user, or lacks a table or the
    slot.
    """
    section, key = source.section, f"sources.{source.name}"
    assert isinstance(section, PostgresSource)
    database = read_database(section, key)
    schema = section.schema_name
    with contextlib.ExitStack() as undo:
        with contextlib.closing(database.session()) as session:
            names = [t.database_name for t in source.tables]
            refuse_missing(session, schema, names, key)
            locked = tables_within(session, schema, source.tables, key)
        slot = None
        if section.slot is not None:
            primary = PostgresDatabase.at(section.url, f"{key}.url")
            slot = SlotWatch(section.slot, key, primary.session())
            undo.callback(slot.session.close)
            slot.look(section.limits)
        cut = None if section.changes is None else section.changes.snapshot
        exact = isinstance(cut, ExportedSnapshotCut) and cut.consistent_point is None
        snapshot = hold_snapshot(
            database,
            section.limits,
            schema,
            locked,
            exact_point=exact,
            connections=section.limits.connections,
        )
        undo.pop_all()
    return OpenedSource(source.name, section, snapshot, slot)


def read_database(section: PostgresSource, key: str) -> PostgresDatabase:
    """The database from which a source's rows are read: its replica, if there is one."""
    if section.replica is not None:
        return PostgresDatabase.at(section.replica, f"{key}.replica")
    return PostgresDatabase.at(section.url, f"{key}.url")


@contextlib.contextmanager
def _looking(section: PostgresSource, key: str) -> Iterator[Session]:
    database = read_database(section, key)
    settings = reading_settings(section.limits, section.schema_name)
    with contextlib.closing(database.session(settings)) as session:
        session.execute("BEGIN READ ONLY")
        yield session


def table_columns(
    section: PostgresSource, name: str, table: UsedTable, region: str
) -> tuple[Path, tuple[str, ...]]:
    """Where the table of a source is, and its columns as the database has them now.

    ConfigurationError for a table that is not there or that the user may not read, for columns that
    are none of the contract's shapes, and for a predicate that is none.
    """
    key = f"sources.{name}"
    with _looking(section, key) as session:
        refuse_missing(session, section.schema_name, [table.database_name], key)
        catalog = catalog_table(session, section.schema_name, table.database_name)
        if not catalog.columns:
            raise ConfigurationError(
                f"{session.database.shown}: table {catalog.sql_name} has no column"
            )
        place = place_of(session.database, catalog.sql_name)
        requests_of(table, catalog, place)
        session.execute(
            f"SELECT 1 FROM {catalog.sql_name} LIMIT 0",  # noqa: S608
            doing=f"{table.config_key} could not be read",
        )
        refuse_condition(session, table, catalog.sql_name, region)
        return Path(place), tuple(c.name for c in catalog.columns)


def refuse_unreachable(url: str, key: str) -> None:
    """ConfigurationError, naming the key, if the database of a URL does not answer."""
    PostgresDatabase.at(SecretStr(url), key).session().close()


def place_of(database: PostgresDatabase, sql_name: str) -> str:
    """A table's place for messages, as `host:port/database/schema.table`."""
    return f"{database.shown.removeprefix('postgresql://')}/{sql_name.replace(chr(34), '')}"
