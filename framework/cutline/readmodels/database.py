"""The database of the read models: its transactions, and its errors without any secret."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError

from cutline.control.address import address, same_file
from cutline.control.database import Database
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.project.loaded import LoadedProject
from cutline.project.rollout import READ_MODEL_URL, StatesDatabase
from cutline.readmodels.access import Access
from cutline.readmodels.postgres import PostgresAccess
from cutline.readmodels.records import METADATA, TABLES
from cutline.readmodels.sqlite import SqliteAccess
from cutline.sql.postgres import TEXT_SETTINGS
from cutline.sql.standard import quoted

KEY = ".".join(READ_MODEL_URL[:-1])
"""Where cutline.yaml has the database of the read models."""

_ADVISORY_LOCK = 0x726561646D6F64
_NO_RIGHT, _LOCKED, _DEPENDED_ON, _NO_SCHEMA = "42501", "55P03", "2BP01", "3F000"
_UNCHANGED = "What services read was not changed."


class ReadModelDatabase(Database):
    """The database of the read models of a project.

    `access` is how its tables are made, filled and read. On PostgreSQL all names are those of one
    schema. `section` is where cutline.yaml declares it, and `key` where it has its URL.
    """

    called = "The database of the read models"
    keeps_unreadable = False

    def __init__(self, url: SecretStr, folder: Path, schema: str | None, key: str = KEY) -> None:
        self.section, self.key = key, f"{key}.url"
        where = address(url, folder, self.key)
        if where.file is not None and schema is not None:
            raise ConfigurationError(
                f"{key}.schema is for PostgreSQL: SQLite has no schemas",
                next_step="Leave it out of cutline.yaml.",
            )
        self.schema = schema
        super().__init__(where)
        self.access: Access = PostgresAccess() if self.postgres else SqliteAccess()

    @classmethod
    def of(
        cls, project: LoadedProject, section: StatesDatabase, key: str = KEY
    ) -> ReadModelDatabase:
        """That of a section, which cutline.yaml has under `key`; nothing is opened.
        ConfigurationError for a URL that is none."""
        database = cls(section.url, project.folder, section.schema_name, key)
        file = database.address.file
        if file is not None:
            control = address(project.file.control, project.folder).file
            if control is not None and same_file(control, file):
                raise ConfigurationError(
                    f"{database.key}: {file} is the control database, in which a read model would "
                    "keep every other process waiting while it is built",
                    next_step=f"Let {database.key} in cutline.yaml name another file.",
                )
        return database

    def prepare(self) -> None:
        """Make what is not there yet: the file or schema, and Cutline's own tables."""
        new_file = self.address.file is not None and not self.address.file.exists()
        try:
            if self.address.file is not None:
                self.address.file.parent.mkdir(parents=True, exist_ok=True)
            if new_file:
                self.use_write_ahead_log()
        except (OSError, sqlite3.Error) as error:
            raise self._cannot_be_used(str(error)) from None
        with self.write() as connection:
            self.lock(connection)
            if self.postgres and self.schema is not None:
                query = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
                if connection.execute(query, {"name": self.schema}).first() is None:
                    self.access.execute(connection, f"CREATE SCHEMA {quoted(self.schema)}")
            METADATA.create_all(connection)

    def lock(self, connection: Connection) -> None:
        """Let no other transaction make, drop or point tables until this one has ended."""
        if self.postgres:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))

    @contextmanager
    def look(self) -> Iterator[Connection | None]:
        """A transaction that reads; None, and nothing made, where no read model was ever built."""
        if self.address.file is not None and not self.address.file.exists():
            yield None
            return
        with self.read() as connection:
            is_there = self.access.kind(connection, TABLES.name) == "table"
            yield connection if is_there else None

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """As that of every database. Errors say what they mean for a read model."""
        with self._explained_driver_errors(), super().write() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """As that of every database. Errors say what they mean for a read model."""
        with self._explained_driver_errors(), super().read() as connection:
            yield connection

    def failure(self, error: DBAPIError) -> CutlineError:
        """What an error of the database means to people."""
        return self._failure(error.orig, connecting=error.statement is None)

    @contextmanager
    def _explained_driver_errors(self) -> Iterator[None]:
        """Errors of the driver, which COPY and the reading of many rows do without SQLAlchemy."""
        try:
            yield
        except Exception as error:
            if not self._is_of_driver(error):
                raise
            raise self._failure(error, connecting=False) from None

    def _is_of_driver(self, error: Exception) -> bool:
        if not self.postgres:
            return isinstance(error, sqlite3.Error)
        import psycopg

        return isinstance(error, psycopg.Error)

    def _failure(self, error: BaseException | None, *, connecting: bool) -> CutlineError:
        code = getattr(error, "sqlstate", None) or ""
        reason = self.address.clean(str(error))
        if connecting or _is_of_file(reason):
            return self._cannot_be_used(reason)
        if code in (_NO_RIGHT, _NO_SCHEMA):
            return ConfigurationError(
                f"{self.key}: the user of {self.address.shown} has no right to make the tables of "
                f"a read model: {reason}",
                left_behind=_UNCHANGED,
                next_step="GRANT USAGE, CREATE ON SCHEMA to the user (and CREATE ON DATABASE where "
                "Cutline is to make the schema), or let the section's schema name another.",
            )
        if code == _LOCKED or "database is locked" in reason:
            return RunFailed(
                f"{self.address.shown}: another session holds a table or view of the read models "
                f"for too long: {reason}",
                left_behind=_UNCHANGED,
                next_step="Run the same command again when that session has ended.",
            )
        if code == _DEPENDED_ON:
            return RunFailed(
                f"{self.address.shown}: other objects depend on a table or view that must be made "
                f"anew: {reason}",
                left_behind=_UNCHANGED,
                next_step="Drop them, run the same command again, and make them again.",
            )
        return RunFailed(
            f"{self.called} {self.address.shown} failed: {reason}",
            left_behind=_UNCHANGED,
            next_step="Run the same command again when the cause is mended.",
        )

    def _cannot_be_used(self, reason: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self.key}: {self.address.shown} cannot be used: {self.address.clean(reason)}",
            left_behind=_UNCHANGED,
            next_step=f"Mend {self.key} in cutline.yaml, or its password, or see that the server "
            "answers."
            if self.postgres
            else f"Make the folder and the file writable, or let {self.key} in cutline.yaml name "
            "another file.",
        )

    def _made_engine(self) -> Engine:
        engine = super()._made_engine()
        if self.address.file is None:
            event.listen(engine, "connect", self._set_up_session)
        return engine

    def _set_up_session(self, connection: Any, _: Any) -> None:
        """Values as texts, and names of one schema only."""
        with connection.cursor() as cursor:
            cursor.execute("; ".join(TEXT_SETTINGS))
            schema = self.schema
            if schema is None:
                cursor.execute("SELECT current_schema()")
                (schema,) = cursor.fetchone()
            if schema is not None:
                cursor.execute(f"SET search_path = {quoted(schema)}")
        connection.commit()


def _is_of_file(reason: str) -> bool:
    signs = ("unable to open database", "readonly database", "not a database", "malformed")
    return any(sign in reason for sign in signs)
