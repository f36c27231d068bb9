"""The demo's own database in PostgreSQL, its publication, and the slot of its connector."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.api.on_servers.connect import DEBEZIUM
from cutline.api.on_servers.setting import START, Setting
from cutline.control.address import cleaned, server
from cutline.errors import ConfigurationError, RunFailed
from cutline.sql.standard import literal, quoted

if TYPE_CHECKING:
    import psycopg

MESSAGE = "cutline-demo"
"""The prefix of messages in the log by which is seen how far a connector came; it sends none."""
_SECONDS = 60
_LOOK = 0.1
_LOADING, _LOADED = "loading", "loaded"


class DemoDatabase:
    """The database of a demo, seen by the user and from the database that `--postgres` names."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        self.name, self._token = setting.name, setting.token
        self.address = setting.address(folder)
        self._admin = setting.admin_address(folder)
        where = server(self._admin)
        assert where is not None
        self.shown, self._secrets = where.shown, where.secrets
        self._url = where.url

    def check(self) -> None:
        """ConfigurationError unless the server answers, takes the user, logs what a connector
        needs, and has no database of that name but this demo's."""
        try:
            import psycopg
        except ImportError:
            raise ConfigurationError(
                "The driver of PostgreSQL is not installed.",
                next_step="pip install 'cutline[postgres]'",
            ) from None
        try:
            with psycopg.connect(self._admin, autocommit=True, connect_timeout=10) as connection:
                ((level,),) = connection.execute("SHOW wal_level").fetchall()
        except psycopg.Error as error:
            raise ConfigurationError(
                f"PostgreSQL at {self.shown} does not answer: {self._clean(error)}", next_step=START
            ) from None
        if level != "logical":
            raise ConfigurationError(
                f"PostgreSQL at {self.shown} has wal_level {level}: Debezium needs logical.",
                next_step="Set wal_level = logical and start it again. " + START,
            )
        if self._is_mine() is False:
            raise ConfigurationError(
                f"PostgreSQL at {self.shown} has a database {self.name} that this demo has not "
                "made.",
                next_step="Choose another name with --name NAME. If it is of an earlier demo, "
                "remove that with its own folder: cutline demo --live --dir DIR --clean.",
            )

    @property
    def is_loaded(self) -> bool:
        """Whether it is there with all its rows."""
        return self._mark() == self._comment(_LOADED)

    @contextlib.contextmanager
    def making(self, tables: Sequence[str]) -> Iterator[None]:
        """Make it anew; what the block puts into it is marked as whole and its tables published."""
        with self._session(self._admin) as admin:
            self._drop(admin)
            admin.execute(f"CREATE DATABASE {quoted(self.name)} TEMPLATE template0".encode())
            self._set_mark(admin, _LOADING)
        yield
        with self._session(self.address) as session:
            listed = ", ".join(".".join(quoted(p) for p in table.split(".")) for table in tables)
            session.execute(f"CREATE PUBLICATION {quoted(self.name)} FOR TABLE {listed}".encode())
            self._set_mark(session, _LOADED)

    def connector(self, tables: Sequence[str], topics: str) -> dict[str, str]:
        """How Debezium is to send the changes of its tables, to topics that begin with `topics`."""
        json_converter = "org.apache.kafka.connect.json.JsonConverter"
        return {
            "connector.class": DEBEZIUM,
            "tasks.max": "1",
            "plugin.name": "pgoutput",
            "database.hostname": self._url.host or "",
            "database.port": str(self._url.port or 5432),
            "database.user": self._url.username or "",
            "database.password": str(self._url.password or ""),
            "database.dbname": self.name,
            "topic.prefix": topics,
            "slot.name": self.name,
            "publication.name": self.name,
            "publication.autocreate.mode": "disabled",
            "table.include.list": ",".join(tables),
            "snapshot.mode": "no_data",
            "provide.transaction.metadata": "true",
            "skipped.operations": "none",
            "decimal.handling.mode": "string",
            "time.precision.mode": "isostring",
            "message.prefix.exclude.list": MESSAGE,
            "heartbeat.interval.ms": "1000",
            "topic.heartbeat.prefix": f"{topics}.heartbeat",
            "poll.interval.ms": "100",
            "topic.creation.default.replication.factor": "-1",
            "topic.creation.default.partitions": "1",
            "key.converter": json_converter,
            "key.converter.schemas.enable": "false",
            "value.converter": json_converter,
            "value.converter.schemas.enable": "false",
        }

    def wait_for_slot(self) -> None:
        """Until the connector reads from its slot: from then on no change is missed."""
        self._wait("SELECT active FROM pg_replication_slots WHERE slot_name = %s", "active")

    def wait_until_sent(self) -> None:
        """Until Kafka has all that had been committed when this was called."""
        with self._session(self.address) as session:
            # An idle database confirms nothing: this one has something to confirm.
            session.execute("SELECT pg_logical_emit_message(false, %s, '')", (MESSAGE,))
            ((place,),) = session.execute("SELECT pg_current_wal_insert_lsn()::text").fetchall()
        self._wait(
            f"SELECT confirmed_flush_lsn >= {literal(str(place))} FROM pg_replication_slots"  # noqa: S608
            " WHERE slot_name = %s",
            f"confirmed up to {place}",
        )

    def remove(self) -> list[str]:
        """Remove the slot, and the database with its publication; what there was, in words."""
        removed = []
        with self._session(self._admin) as admin:
            rows = admin.execute(_SLOT, (self.name, self.name)).fetchall()
            if rows:
                removed.append(f"replication slot {self.name}")
            if self._is_mine():
                removed.append(f"database {self.name}, with its publication")
                self._drop(admin)
        return removed

    def _drop(self, admin: psycopg.Connection[Any]) -> None:
        until = time.monotonic() + _SECONDS
        while rows := admin.execute(_SLOT, (self.name, self.name)).fetchall():
            if rows[0][0] is not None:
                # Its connector is removed, but the server may not have noticed yet.
                admin.execute("SELECT pg_terminate_backend(%s)", rows[0])
            with contextlib.suppress(self._in_use()):
                admin.execute("SELECT pg_drop_replication_slot(%s)", (self.name,))
            if time.monotonic() > until:
                raise RunFailed(
                    f"replication slot {self.name} in PostgreSQL at {self.shown} stays in use.",
                    left_behind="The slot and the database.",
                    next_step="End who reads it, then run the same command again.",
                )
            time.sleep(_LOOK)
        admin.execute(f"DROP DATABASE IF EXISTS {quoted(self.name)} WITH (FORCE)".encode())

    def _in_use(self) -> type[Exception]:
        import psycopg

        return psycopg.errors.ObjectInUse

    def _is_mine(self) -> bool | None:
        """Whether the database of that name is this demo's; null where there is none."""
        mark = self._mark()
        return None if mark is None else mark.startswith(self._comment(""))

    def _mark(self) -> str | None:
        """The database's comment; an empty text where it has none, null where there is none."""
        with self._session(self._admin) as admin:
            rows = admin.execute(
                "SELECT coalesce(shobj_description(oid, 'pg_database'), '') FROM pg_database"
                " WHERE datname = %s",
                (self.name,),
            ).fetchall()
        return str(rows[0][0]) if rows else None

    def _set_mark(self, connection: psycopg.Connection[Any], state: str) -> None:
        comment = literal(self._comment(state))
        connection.execute(f"COMMENT ON DATABASE {quoted(self.name)} IS {comment}".encode())

    def _comment(self, state: str) -> str:
        return f"cutline demo {self._token} {state}"

    def _wait(self, question: str, awaited: str) -> None:
        until = time.monotonic() + _SECONDS
        with self._session(self._admin) as admin:
            while True:
                rows = admin.execute(question.encode(), (self.name,)).fetchall()
                if rows and rows[0][0]:
                    return
                if time.monotonic() > until:
                    raise RunFailed(
                        f"replication slot {self.name} in PostgreSQL at {self.shown} is not "
                        f"{awaited} after {_SECONDS} s",
                        left_behind="The connector, with what was made before it.",
                        next_step="Look at Connect's log, then run the same command again, or "
                        "with --clean.",
                    )
                time.sleep(_LOOK)

    @contextlib.contextmanager
    def _session(self, address: str) -> Iterator[psycopg.Connection[Any]]:
        import psycopg

        try:
            with psycopg.connect(address, autocommit=True, connect_timeout=10) as connection:
                yield connection
        except psycopg.Error as error:
            raise RunFailed(
                f"PostgreSQL at {self.shown} does not do what the demo needs: {self._clean(error)}",
                left_behind="What was made before is there.",
                next_step="The user makes databases and reads by replication (CREATEDB, "
                "REPLICATION). Mend what it says, then run the same command again, or with "
                "--clean.",
            ) from None

    def _clean(self, error: Exception) -> str:
        return cleaned(str(error), self._secrets)


_SLOT = """
SELECT active_pid FROM pg_replication_slots WHERE slot_name = %s AND database = %s
"""
