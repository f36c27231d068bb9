"""A MariaDB or MySQL source of a project: looked at, and opened for one run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline.project.cut import ExportedSnapshotCut
from cutline.project.source import MysqlSource
from cutline.sources.layouts import Layout
from cutline.sources.mysql.catalog import MysqlTable, mysql_table, refuse_unreadable_tables
from cutline.sources.mysql.column_sql import refuse_bent_columns
from cutline.sources.mysql.condition import (
    mysql_predicate,
    refuse_mysql_condition,
    refuse_no_columns,
    tables_to_lock,
)
from cutline.sources.mysql.database import MysqlDatabase, MysqlSession, reading_settings
from cutline.sources.mysql.key_ranges import key_conditions
from cutline.sources.mysql.raw_rows import mysql_raw_rows
from cutline.sources.mysql.snapshot import MysqlSnapshot, take_snapshot
from cutline.sources.mysql.table_reads import MysqlReader, MysqlTableRead
from cutline.sources.rows import RawRows
from cutline.sources.shapes import refuse_no_shape
from cutline.sources.used_tables import UsedSource, UsedTable


@dataclass(frozen=True)
class OpenedMysql:
    """A source with its open snapshot, which ends when its tables are read."""

    name: str
    section: MysqlSource
    snapshot: MysqlSnapshot

    @property
    def position(self) -> str:
        """What identifies its rows: see `MysqlMoment.text`."""
        return self.snapshot.moment.text

    def keeping(self, chunks: str) -> OpenedMysql:
        """The same: nothing of an interrupted read is of use to another snapshot."""
        del chunks
        return self

    def discard(self) -> None:
        """Nothing, for nothing is kept."""

    def read(
        self, tables: tuple[UsedTable, ...], region: str, scratch: str
    ) -> list[MysqlTableRead]:
        """Reads the tables into files below `scratch`, and ends the snapshot.

        ConfigurationError for a table, column or predicate that is not right; RunFailed if the
        server is gone, or at a limit.
        """
        try:
            reads = [self._table_read(table, region, scratch) for table in tables]
            MysqlReader(self.snapshot, self.section.limits, f"sources.{self.name}").read(reads)
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
        visible = self.snapshot.moment.shown
        return {
            read.table.name: mysql_raw_rows(spark, read, label(read.table), visible)
            for read in self.read(tables, region, scratch)
        }

    def close(self) -> None:
        """Ends the snapshot; nothing happens if it has ended."""
        self.snapshot.close()

    def _table_read(self, table: UsedTable, region: str, scratch: str) -> MysqlTableRead:
        session = self.snapshot.sessions[0]
        catalog = mysql_table(session, table.database_name)
        columns = _asked_columns(session, table, catalog)
        refuse_mysql_condition(session, table, catalog, region)
        conditions = key_conditions(session, catalog, self.section.limits.chunk_rows)
        predicate = mysql_predicate(table, region)
        read_columns = tuple(catalog.column(n) for n in table.read_columns if n in columns)
        folder = f"{scratch}/{table.name}"
        return MysqlTableRead(table, catalog, read_columns, conditions, predicate, folder)


def open_mysql(source: UsedSource) -> OpenedMysql:
    """Takes the snapshot of a source: everything that is read of it is of this moment.

    ConfigurationError if the server does not answer, refuses the user, lacks a table, or has no
    binary log where the cut is to be captured from it.
    """
    section, key = source.section, f"sources.{source.name}"
    assert isinstance(section, MysqlSource)
    database = MysqlDatabase.at(section.url, f"{key}.url")
    with contextlib.closing(database.session()) as session:
        names = [t.database_name for t in source.tables]
        refuse_unreadable_tables(session, names, key)
        locked = tables_to_lock(session, source.tables)
        refuse_unreadable_tables(session, locked, key)
    snapshot = take_snapshot(database, section.limits, locked, section.limits.connections)
    cut = None if section.changes is None else section.changes.snapshot
    captures = isinstance(cut, ExportedSnapshotCut) and cut.consistent_point is None
    if captures and snapshot.moment.log is None:
        snapshot.close()
        raise ConfigurationError(
            f"{database.shown}: the server tells no place in a binary log, and "
            f"{key}.changes.snapshot is to be captured from it",
            next_step="Turn the binary log on (log_bin), and let the user see it: GRANT BINLOG "
            "MONITOR on MariaDB, REPLICATION CLIENT on MySQL.",
        )
    return OpenedMysql(source.name, section, snapshot)


def mysql_columns(
    section: MysqlSource, name: str, table: UsedTable, region: str
) -> tuple[Path, tuple[str, ...]]:
    """Where the table of a source is, and its columns as the database has them now.

    ConfigurationError for a table that is not there or that the user may not read, for columns that
    are none of the contract's shapes, and for a predicate that is none.
    """
    key = f"sources.{name}"
    database = MysqlDatabase.at(section.url, f"{key}.url")
    with contextlib.closing(database.session()) as session:
        session.execute(*reading_settings(session, section.limits))
        refuse_unreadable_tables(session, [table.database_name], key)
        catalog = mysql_table(session, table.database_name)
        columns = _asked_columns(session, table, catalog)
        session.rows(
            f"SELECT 1 FROM {catalog.sql_name} LIMIT 0",  # noqa: S608
            doing=f"{table.config_key} could not be read",
        )
        refuse_mysql_condition(session, table, catalog, region)
        return Path(_place(session, catalog)), columns


def refuse_unreachable_mysql(url: str, key: str) -> None:
    """ConfigurationError, naming the key, if the database of a URL does not answer."""
    MysqlDatabase.at(SecretStr(url), key).session().close()


def _asked_columns(session: MysqlSession, table: UsedTable, catalog: MysqlTable) -> tuple[str, ...]:
    """The names of the table's columns, which are those of a shape of the contract and no others'
    types."""
    refuse_no_columns(session, catalog)
    present, place = tuple(c.name for c in catalog.columns), _place(session, catalog)
    refuse_no_shape(table, [Layout([Path(place)], present)])
    refuse_bent_columns(table, catalog, place)
    return present


def _place(session: MysqlSession, catalog: MysqlTable) -> str:
    """A table's place for messages, as `host:port/database/table`."""
    return f"{session.database.shown.removeprefix('mysql://')}/{catalog.name}"
