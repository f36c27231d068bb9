"""A PostgreSQL database: sessions of it, and its errors without any secret."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from cutline.control.address import cleaned, server
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.project.postgres import PostgresLimits
from cutline.sql.postgres import TEXT_SETTINGS
from cutline.sql.standard import quoted

if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS = 10
_NO_RIGHT, _CANCELED, _LOCK_NOT_THERE = "42501", "57014", "55P03"
_CONNECTION_ENDS = ("08", "57P")
"""How the codes of errors begin after which a connection is no more."""
_INSTALL = "pip install 'cutline[postgres]'"


class LockedOut(RunFailed):
    """A table is locked by another session, or another one waits for it."""


class ConnectionLost(RunFailed):
    """A connection ended while it was used. Another one may still work."""


@dataclass(frozen=True)
class PostgresDatabase:
    """A database, as the project's key names it; `shown` is its URL without user and password."""

    key: str
    shown: str
    address: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def at(cls, url: SecretStr, key: str) -> PostgresDatabase:
        """The database of a URL. ConfigurationError, naming the key, for one that is incomplete."""
        where = server(url.get_secret_value())
        if where is None:
            raise ConfigurationError(
                f"{key} is not a complete PostgreSQL URL. Special characters of a password must be "
                "percent-encoded, such as %40 for @.",
                next_step="Write postgresql://user:${PASSWORD}@host:5432/database.",
            )
        full = where.url.set(drivername="postgresql")
        for name, value in (
            ("connect_timeout", str(_CONNECT_SECONDS)),
            ("application_name", "cutline"),
        ):
            if name not in full.query:
                full = full.update_query_dict({name: value})
        address = full.render_as_string(hide_password=False)
        return cls(key, where.shown, address, where.secrets)

    def session(self, settings: Sequence[str] = (), *, replication: bool = False) -> Session:
        """A session without a transaction. ConfigurationError if the server does not answer, or
        refuses the user.
        """
        try:
            import psycopg
        except ImportError:
            raise ConfigurationError(
                f"{self.key}: the driver of PostgreSQL is not installed", next_step=_INSTALL
            ) from None
        try:
            connection = psycopg.connect(
                self.address,
                autocommit=True,
                prepare_threshold=None,
                replication="database" if replication else None,
            )
        except psycopg.Error as error:
            raise self._unreachable(error) from None
        session = Session(self, connection)
        for setting in settings:
            session.execute(setting)
        return session

    def arrow_connection(self) -> Any:
        """A connection that hands over Arrow, each statement a transaction of its own unless one is
        begun. RunFailed if the server does not answer any more.
        """
        try:
            import adbc_driver_postgresql.dbapi as adbc
        except ImportError:
            raise ConfigurationError(
                f"{self.key}: the Arrow driver of PostgreSQL is not installed", next_step=_INSTALL
            ) from None
        try:
            return adbc.connect(self.address, autocommit=True)
        except adbc.Error as error:
            raise RunFailed(
                f"{self.shown} does not take another connection: {self.clean(str(error))}",
                next_step=f"Lower {self.key.rpartition('.')[0]}.limits.connections, or see that "
                "the server answers, and run the same command again.",
            ) from None

    def arrow_rows(self, connection: Any, statement: str, doing: str) -> list[tuple[Any, ...]]:
        """The rows of a statement's answer, which are few, by a connection for Arrow."""
        import adbc_driver_manager

        try:
            with contextlib.closing(connection.cursor()) as cursor:
                cursor.execute(statement)
                return [tuple(r) for r in cursor.fetchall()] if cursor.description else []
        except adbc_driver_manager.Error as error:
            raise self.failure(doing, error) from None

    def clean(self, text: str) -> str:
        """The text in one line, any secret in it replaced."""
        return cleaned(text, self.secrets)

    def failure(self, doing: str, error: Exception) -> CutlineError:
        """What an error of the database means to whoever runs Cutline; `doing` is what failed, such
        as `table orders could not be read`.
        """
        code = getattr(error, "sqlstate", None) or ""
        message = self.clean(str(error))
        source = self.key.rpartition(".")[0]
        if code == _NO_RIGHT:
            return ConfigurationError(
                f"{self.shown}: {doing}, because the user has no right to: {message}",
                next_step="GRANT SELECT on the table (and USAGE on its schema) to the user. Where "
                "row-level security hides rows, give the user BYPASSRLS.",
            )
        if code in ("", _CANCELED) and "statement timeout" in message:
            return RunFailed(
                f"{self.shown}: {doing}: it took longer than {source}.limits.statement_seconds",
                next_step=f"Lower {source}.limits.chunk_rows, or raise the limit, and run the same "
                "command again.",
            )
        if code == _LOCK_NOT_THERE:
            return LockedOut(
                f"{self.shown}: {doing}: another session has locked a table, or waits for it, "
                f"for longer than {source}.limits.waiting_seconds",
                next_step="Run the same command again when that session has ended.",
            )
        if "conflict with recovery" in message:
            return RunFailed(
                f"{self.shown}: {doing}: the standby ended the query to apply the log: {message}",
                next_step="Raise max_standby_streaming_delay there, or set hot_standby_feedback, "
                "and run the same command again.",
            )
        # An error in the middle of an answer comes without its code.
        lost = code.startswith(_CONNECTION_ENDS) if code else "ERROR:" not in message
        return (ConnectionLost if lost else RunFailed)(
            f"{self.shown}: {doing}: {message}",
            next_step="See that the server answers, and run the same command again: parts that "
            "were read whole, and have not changed since, are not read twice.",
        )

    def _unreachable(self, error: Exception) -> ConfigurationError:
        return ConfigurationError(
            f"{self.key}: {self.shown} cannot be reached: {self.clean(str(error))}",
            left_behind="Nothing was written.",
            next_step="Mend the URL, give the password in PGPASSWORD or ~/.pgpass, or start the "
            "server.",
        )


def close_quietly(connection: Any) -> None:
    """Ends a connection for Arrow, whatever has become of it."""
    import adbc_driver_manager

    with contextlib.suppress(adbc_driver_manager.Error):
        connection.close()


@dataclass(frozen=True)
class Session:
    """One session of a database, whose errors are Cutline's."""

    database: PostgresDatabase
    connection: psycopg.Connection[Any] = field(repr=False)

    def execute(self, sql: str, parameters: Sequence[Any] | None = None, *, doing: str = "") -> Any:
        """A cursor with the answer; see `PostgresDatabase.failure` for `doing`."""
        import psycopg

        try:
            return self.connection.execute(sql.encode(), parameters)
        except psycopg.Error as error:
            raise self.database.failure(doing or "a query failed", error) from None

    def row(
        self, sql: str, parameters: Sequence[Any] | None = None, *, doing: str = ""
    ) -> tuple[Any, ...]:
        """The single row of the answer."""
        row = self.execute(sql, parameters, doing=doing).fetchone()
        assert row is not None
        return tuple(row)

    def rows(
        self, sql: str, parameters: Sequence[Any] | None = None, *, doing: str = ""
    ) -> list[tuple[Any, ...]]:
        """All rows of an answer that is small by its nature, such as a list of columns."""
        return [tuple(r) for r in self.execute(sql, parameters, doing=doing).fetchall()]

    def close(self) -> None:
        """Ends the session, and what it holds; nothing happens if it has ended."""
        self.connection.close()


def reading_settings(limits: PostgresLimits, schema: str) -> tuple[str, ...]:
    """The settings of every session that reads: values as texts, and limits that the server keeps.

    Rows that a policy would hide make a query fail instead of missing silently.
    """
    return (
        *TEXT_SETTINGS,
        f"SET search_path = {quoted(schema)}",
        "SET row_security = off",
        f"SET statement_timeout = {int(limits.statement_seconds * 1000)}",
        f"SET lock_timeout = {int(limits.waiting_seconds * 1000)}",
        "SET idle_in_transaction_session_timeout = 0",
        "SET max_parallel_workers_per_gather = 0",
    )
