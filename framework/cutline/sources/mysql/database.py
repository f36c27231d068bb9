"""A MariaDB or MySQL database: sessions of it, and its errors without any secret."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from cutline.control.address import cleaned
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.project.database_limits import DatabaseLimits
from cutline.sources.mysql.address import MysqlAddress, mysql_address

if TYPE_CHECKING:
    import pymysql

_CONNECT_SECONDS = 10
_NO_RIGHT = (1044, 1142, 1143, 1227, 1370)
_TOO_LONG = (1969, 3024)
"""Of MariaDB and of MySQL."""
_NO_LOCK, _TABLE_CHANGED, _KILLED = 1205, 1412, 1317
_INSTALL = "pip install 'cutline[mysql]'"


class TableLocked(RunFailed):
    """A table is locked by another session, or another session waits for it."""


@dataclass(frozen=True)
class MysqlDatabase:
    """A database, as the project's key names it."""

    key: str
    address: MysqlAddress

    @classmethod
    def at(cls, url: SecretStr, key: str) -> MysqlDatabase:
        """The database of a URL. ConfigurationError, naming the key, for one that is incomplete."""
        return cls(key, mysql_address(url.get_secret_value(), key))

    @property
    def shown(self) -> str:
        """Its URL without user and password."""
        return self.address.shown

    def session(self) -> MysqlSession:
        """A session without a transaction, all values of which are texts as the server writes them.

        ConfigurationError if the server does not answer, or refuses the user.
        """
        try:
            import pymysql
        except ImportError:
            raise ConfigurationError(
                f"{self.key}: the driver of MySQL is not installed", next_step=_INSTALL
            ) from None
        try:
            # Without converters: a float of Python has not all that a decimal has.
            connection = pymysql.connect(
                **self.address.arguments,
                charset="utf8mb4",
                conv={},
                autocommit=True,
                connect_timeout=_CONNECT_SECONDS,
                program_name="cutline",
            )
        except (pymysql.Error, OSError, RuntimeError) as error:
            raise ConfigurationError(
                f"{self.key}: {self.shown} cannot be reached: {self.clean(str(error))}",
                left_behind="Nothing was written.",
                next_step="Mend the URL and its password, or start the server.",
            ) from None
        return MysqlSession(self, connection)

    def clean(self, text: str) -> str:
        """The text in one line, any secret in it replaced."""
        return cleaned(text, self.address.secrets)

    def failure(self, doing: str, error: Exception) -> CutlineError:
        """What an error of the database means to whoever runs Cutline; `doing` is what failed, such
        as `table orders could not be read`.
        """
        code = error.args[0] if error.args else None
        message = self.clean(str(error.args[-1] if error.args else error))
        source = self.key.rpartition(".")[0]
        if code in _NO_RIGHT:
            return ConfigurationError(
                f"{self.shown}: {doing}, because the user has no right to: {message}",
                next_step="GRANT SELECT, LOCK TABLES on the database to the user.",
            )
        if code in _TOO_LONG:
            return RunFailed(
                f"{self.shown}: {doing}: it took longer than {source}.limits.statement_seconds",
                next_step=f"Lower {source}.limits.chunk_rows, or raise the limit, and run the same "
                "command again.",
            )
        if code == _NO_LOCK:
            return TableLocked(
                f"{self.shown}: {doing}: another session has locked a table, or waits for it, "
                f"for longer than {source}.limits.waiting_seconds",
                next_step="Run the same command again when that session has ended.",
            )
        if code == _TABLE_CHANGED:
            return RunFailed(
                f"{self.shown}: {doing}: the table was altered after the snapshot: {message}",
                next_step="Run the same command again.",
            )
        return RunFailed(
            f"{self.shown}: {doing}: {message or 'the connection has ended'}",
            left_behind="No row of it was written to the lake.",
            next_step="See that the server answers, and run the same command again: it reads under "
            "a snapshot of its own.",
        )


@dataclass(frozen=True)
class MysqlSession:
    """One session of a database, whose errors are Cutline's, and whose values are texts."""

    database: MysqlDatabase
    connection: pymysql.Connection[Any] = field(repr=False)

    @property
    def number(self) -> int:
        """What the server calls the session."""
        return int(self.connection.thread_id())  # type: ignore[no-untyped-call]

    @property
    def is_mariadb(self) -> bool:
        """Whether the server is MariaDB, and not MySQL."""
        version = self.connection.get_server_info()  # type: ignore[no-untyped-call]
        return "mariadb" in str(version).lower()

    def rows(self, sql: str, *, doing: str = "a query failed") -> list[tuple[Any, ...]]:
        """All rows of an answer that is small by its nature; empty for a statement without one."""
        with self.reporting(doing), self.connection.cursor() as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()]

    def row(self, sql: str, *, doing: str = "a query failed") -> tuple[Any, ...]:
        """The single row of the answer."""
        (row,) = self.rows(sql, doing=doing)
        return row

    @contextlib.contextmanager
    def reporting(self, doing: str) -> Iterator[None]:
        """Errors of the driver within become Cutline's; see `MysqlDatabase.failure` for `doing`."""
        import pymysql

        try:
            yield
        except (pymysql.Error, OSError, ValueError, AttributeError) as error:
            # A connection that was ended beneath a statement fails in any of these ways.
            if isinstance(error, ValueError | AttributeError) and self.connection.open:
                raise
            raise self.database.failure(doing, error) from None

    def execute(self, *statements: str) -> None:
        """Runs statements whose answers nobody needs."""
        for statement in statements:
            self.rows(statement, doing="a session could not be set up")

    def close(self) -> None:
        """Ends the session, and what it holds; nothing happens if it has ended."""
        import pymysql

        with contextlib.suppress(pymysql.Error, OSError):
            self.connection.close()


def statement_limit(session: MysqlSession, seconds: float) -> str:
    """The statement after which the server ends every query that takes longer."""
    if session.is_mariadb:
        return f"SET SESSION max_statement_time = {seconds:.6f}"
    return f"SET SESSION max_execution_time = {max(1, int(seconds * 1000))}"


def reading_settings(session: MysqlSession, limits: DatabaseLimits) -> Sequence[str]:
    """The settings of every session that reads: times in UTC, what quotes and backslashes mean, and
    limits that the server keeps.
    """
    patience = int(limits.snapshot_seconds) + 60
    return (
        "SET SESSION time_zone = '+00:00'",
        "SET SESSION sql_mode = ''",
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        # A read that its own pace makes wait is not to be taken for a client that is gone.
        f"SET SESSION net_write_timeout = {patience}, wait_timeout = {patience}",
        # Whoever waits for a lock makes writers wait behind it: never for long.
        "SET SESSION lock_wait_timeout = 1",
        statement_limit(session, limits.statement_seconds),
    )
