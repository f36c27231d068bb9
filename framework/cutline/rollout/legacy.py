"""The legacy's own database, asked and told what cutline.yaml says: denials of a slice's writes."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from cutline.control.address import cleaned, is_postgres
from cutline.errors import ConfigurationError, RunFailed
from cutline.project.legacy_writes import (
    LegacyWritesSection,
    ReverseFeedSection,
    Statements,
)
from cutline.secrets import as_written

_POSTGRES_XID = "SELECT pg_current_xact_id()::text"
_POSTGRES_OLDER = """
SELECT EXISTS (
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
    AND (
        age(backend_xid) >= age(CAST(CAST(CAST(:transaction AS text) AS xid8) AS xid))
        OR age(backend_xmin) >= age(CAST(CAST(CAST(:transaction AS text) AS xid8) AS xid))
    )
) OR EXISTS (
    SELECT 1 FROM pg_prepared_xacts
    WHERE database = current_database()
    AND age(transaction) >= age(CAST(CAST(CAST(:transaction AS text) AS xid8) AS xid))
)
"""
"""Whether a transaction may not see what this one committed: it has an older id, or a snapshot of
before. One that has only read so far has a snapshot and no id; with it, it may write later.

A user without pg_read_all_stats sees ids and snapshots of other users' sessions, but not of which
type these are; the server's own have no user."""


_CLOCKS = {
    "postgresql": "SELECT clock_timestamp()",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
    "mariadb": "SELECT UTC_TIMESTAMP(6)",
    "sqlite": "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')",
}
"""By the kind of a database, how it is asked for the moment."""


@dataclass(frozen=True)
class Denied:
    """A change of a denial that a database has taken.

    `transaction` is the id of the transaction that wrote it, on PostgreSQL; null elsewhere.
    `rows` is how many rows were changed; null where the database does not say, as of a call.
    """

    transaction: str | None
    rows: int | None


class LegacyDatabase:
    """A database that is asked and told by statements of cutline.yaml. It keeps no connection.

    Each method raises RunFailed, naming the setting, where the database does not answer or refuses.
    """

    def __init__(
        self, setting: str, url: SecretStr, folder: Path, names: Mapping[str, Any]
    ) -> None:
        self._setting = setting
        self._names = names
        written = url.get_secret_value()
        try:
            where = make_url(written)
            if is_postgres(written):
                where = where.set(drivername="postgresql+psycopg")
            if where.get_backend_name() == "sqlite" and where.database:
                where = where.set(database=str(folder / where.database))
            in_query = (where.query.get(name) for name in ("password", "sslpassword"))
            secrets = (where.password, written, *in_query)
            self._secrets = tuple(s for s in secrets if isinstance(s, str) and s)
            # A legacy that does not answer must not keep a process longer than a hold lasts.
            timeout = {} if "connect_timeout" in where.query else {"connect_timeout": 10}
            self._engine: Engine = create_engine(
                where,
                poolclass=NullPool,
                hide_parameters=True,
                connect_args=timeout if is_postgres(written) else {},
            )
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
            raise ConfigurationError(
                f"cutline.yaml: rollout.{setting}.url cannot be used: "
                f"{cleaned(type(error).__name__, (written,))}",
                next_step="Write it as SQLAlchemy does, such as "
                "postgresql://user:password@host:5432/database, and install its driver.",
            ) from None
        self.kind = where.get_backend_name()
        if self.kind == "sqlite":
            event.listen(self._engine, "connect", _begin_by_ourselves)
            event.listen(self._engine, "begin", _begin_immediately)

    @property
    def knows_transactions(self) -> bool:
        """Whether it is known without a query which transactions that began earlier are open."""
        return self.kind in ("postgresql", "sqlite")

    def tell(self, name: str, statements: Statements, **values: Any) -> Denied:
        """Run the statements in one transaction."""
        every = (statements,) if isinstance(statements, str) else statements
        with self._transaction(name) as connection:
            results = [connection.execute(*self._bound(s, values)) for s in every]
            is_counted = not any(r.returns_rows or r.rowcount < 0 for r in results)
            rows = sum(result.rowcount for result in results) if is_counted else None
            xid = None
            if self.kind == "postgresql":
                xid = connection.execute(text(_POSTGRES_XID)).scalar_one()
        return Denied(xid, rows)

    def ask(self, name: str, query: str, **values: Any) -> Any:
        """The one value that a query gives; RunFailed if it gives none, or several rows."""
        with self._transaction(name) as connection:
            rows = connection.execute(*self._bound(query, values)).fetchmany(2)
        if len(rows) != 1 or len(rows[0]) != 1:
            raise RunFailed(
                f"cutline.yaml: rollout.{self._setting}.{name} must give one row of one value, and "
                f"gave {len(rows) or 'no'} {'row' if len(rows) == 1 else 'rows'}",
                left_behind="Nothing was changed by it.",
                next_step="Mend the query.",
            )
        return rows[0][0]

    def is_true(self, name: str, query: str, **values: Any) -> bool:
        """Whether the one value that a query gives is true, or a number that is not 0."""
        value = self.ask(name, query, **values)
        if isinstance(value, int | float | Decimal):
            return value != 0
        if isinstance(value, bytes):
            # A bit, as drivers of MySQL give it.
            return any(value) and value != b"0"
        return str(value).strip().lower() not in ("", "0", "f", "false", "n", "no", "none")

    def moment(self, query: str | None) -> dt.datetime | None:
        """The moment that a query gives, or that the database's own clock shows; null for a
        database whose clock is not known, without a query. RunFailed where it is no moment."""
        clock = query or _CLOCKS.get(self.kind)
        if clock is None:
            return None
        value = self.ask("clock", clock)
        with contextlib.suppress(ValueError):
            at = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value))
            return at.replace(tzinfo=dt.UTC) if at.tzinfo is None else at.astimezone(dt.UTC)
        raise RunFailed(
            f"cutline.yaml: rollout.{self._setting}.clock must give a moment, and gave "
            f"{as_written(str(value))!r}",
            left_behind="Nothing was changed by it.",
            next_step="Mend the query.",
        )

    def has_older_transactions(self, transaction: str) -> bool:
        """Whether a transaction is open, on PostgreSQL, that may not see what this one committed.

        A prepared one counts as open.
        """
        with self._transaction("hold") as connection:
            values = {"transaction": transaction}
            return bool(connection.execute(text(_POSTGRES_OLDER), values).scalar_one())

    def _bound(self, statement: str, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        clause = text(statement)
        every = {**self._names, **values}
        wanted = clause.compile().params
        if unknown := sorted(set(wanted) - set(every)):
            raise ConfigurationError(
                f"cutline.yaml: rollout.{self._setting} has a statement with :{unknown[0]}, which "
                f"is nothing that it is given: {', '.join(sorted(every))}.",
                next_step="Name one of these, or write \\: for a colon.",
            )
        return clause, {name: every[name] for name in wanted}

    @contextlib.contextmanager
    def _transaction(self, name: str) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or type(error).__name__)
            raise RunFailed(
                f"cutline.yaml: rollout.{self._setting}.{name} failed: "
                f"{cleaned(reason, self._secrets)}",
                left_behind="What it was to do was rolled back there.",
                next_step="Mend it, or wait until the database answers.",
            ) from None


def legacy_writes(
    section: LegacyWritesSection, folder: Path, context: str, region: str
) -> LegacyDatabase:
    """The database in which the legacy's writes of a slice are held."""
    names = {"context": context, "region": region}
    return LegacyDatabase("legacy_writes", section.url, folder, names)


def reverse_feed(
    section: ReverseFeedSection,
    legacy: LegacyWritesSection,
    folder: Path,
    context: str,
    region: str,
) -> LegacyDatabase:
    """The database that is asked how far the feed to the legacy is."""
    names = {"context": context, "region": region}
    return LegacyDatabase("reverse_feed", section.url or legacy.url, folder, names)


def _begin_by_ourselves(connection: Any, _: Any) -> None:
    # Python's driver would begin a transaction only before the first change.
    connection.isolation_level = None


def _begin_immediately(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
