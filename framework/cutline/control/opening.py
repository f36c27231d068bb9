"""Opening the control database: found or created, understood, and brought to this version."""

from __future__ import annotations

import re
import sqlite3
import threading
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import Connection, Text, column, inspect, select, table, text
from sqlalchemy.exc import DBAPIError

from cutline.control.address import Address, address
from cutline.control.database import ControlFailed, Database
from cutline.control.models import METADATA, SCHEMA_TABLE
from cutline.control.references import LostReference, lost_references
from cutline.errors import ConfigurationError

REVISIONS = tuple(f"{number:04}" for number in range(1, 12))
"""The schema's revisions, oldest first, as in `migrations/versions`."""

_OF_A_VALUE = re.compile(r"(NULL|NUMERIC|TEXT) value in ")
"""What SQLite says of a column of a row, and of no page or index."""
_MOST_FAULTS, _SHOWN = 100, 3
_ADVISORY_LOCK = 0x6375746C696E65
_IN_THIS_PROCESS = threading.Lock()


def open_database(url: SecretStr, folder: Path) -> Database:
    """The database with the newest schema, created if it is not there.

    Any number of processes may do this at once. ConfigurationError if it cannot be used.
    """
    where = address(url, folder)
    database = Database(where)
    try:
        if where.file is not None:
            where.file.parent.mkdir(parents=True, exist_ok=True)
            with database.read() as connection:
                database.lost = _looked_through(connection, where)
                _known_revision(connection, where)
            database.use_write_ahead_log()
        with database.write() as connection:
            if database.postgres:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
            if _known_revision(connection, where) != REVISIONS[-1]:
                _upgrade(connection)
    except (OSError, ControlFailed, DBAPIError, sqlite3.Error) as error:
        raise _cannot_be_used(where, error) from None
    return database


def existing_database(url: SecretStr, folder: Path) -> Database | None:
    """The database if a run ever created it, else None; nothing is created."""
    where = address(url, folder)
    if where.file is not None and not where.file.exists():
        return None
    database = Database(where)
    try:
        with database.read() as connection:
            database.lost = _looked_through(connection, where)
            revision = _revision(connection, where)
            if revision is None:
                return None
            _known_revision(connection, where)
    except (OSError, ControlFailed, DBAPIError) as error:
        raise _cannot_be_used(where, error) from None
    return database if revision == REVISIONS[-1] else open_database(url, folder)


def _looked_through(connection: Connection, where: Address) -> tuple[LostReference, ...]:
    """The references between rows that lead nowhere. ConfigurationError for a SQLite file whose
    pages and indexes contradict each other. A server looks after its own.

    What single rows hold that they may not is told by who reads them: other rows are none the
    worse.
    """
    if where.file is None:
        return ()
    connection.execute(text("PRAGMA ignore_check_constraints = ON"))
    lines = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    connection.execute(text("PRAGMA ignore_check_constraints = OFF"))
    faults = [line for line in lines if line != "ok" and not _OF_A_VALUE.match(line)]
    if faults or len(lines) >= _MOST_FAULTS:
        shown = (faults or lines)[:_SHOWN]
        raise _damaged_error(where, "; ".join(" ".join(line.split()) for line in shown))
    lost, strange = lost_references(connection, METADATA.sorted_tables)
    if strange is not None:
        raise _damaged_error(where, f"a row of {strange} refers to one that is not there")
    return lost


def _damaged_error(where: Address, says: str) -> ConfigurationError:
    return ConfigurationError(
        f"The control database {where.shown} is damaged: {says}",
        left_behind="Nothing was started; the lake and the topics are as they were.",
        next_step="Restore the file from a copy. Without one, move it away: the next run begins "
        "anew, under the same name where its inputs are the same, and publishes in place of what "
        "it had sent.",
    )


def _revision(connection: Connection, where: Address) -> str | None:
    if not inspect(connection).has_table(SCHEMA_TABLE):
        return None
    schema = table(SCHEMA_TABLE, column("version_num", Text))
    revisions = connection.execute(select(schema.c.version_num)).scalars().all()
    if len(revisions) > 1:
        raise _damaged_error(where, f"table {SCHEMA_TABLE} has {len(revisions)} rows, and not one")
    return next(iter(revisions), None)


def _known_revision(connection: Connection, where: Address) -> str | None:
    """The schema's revision; None for a new database. What is not ours or too new is refused."""
    revision = _revision(connection, where)
    if revision is None:
        # A server's database may be shared; a file with other tables is somebody's data.
        if where.file is not None and inspect(connection).get_table_names():
            raise ConfigurationError(
                f"{where.shown} is a SQLite database, but not a control database of Cutline.",
                next_step="Let `control` in cutline.yaml name another file.",
            )
    elif revision not in REVISIONS:
        raise ConfigurationError(
            f"The control database {where.shown} was written by a newer Cutline (its schema is "
            f"{revision}, this version knows up to {REVISIONS[-1]}).",
            next_step="Upgrade Cutline: pip install --upgrade cutline",
        )
    return revision


def _upgrade(connection: Connection) -> None:
    # Alembic takes as long to import as all the rest, and is only needed for an older schema.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "cutline.control:migrations")
    config.attributes["connection"] = connection
    with _IN_THIS_PROCESS:  # Alembic keeps the migration under way in a global.
        command.upgrade(config, "head")


def _cannot_be_used(where: Address, error: Exception) -> ConfigurationError:
    cause = error.orig if isinstance(error, DBAPIError) else error
    reason = error.reason if isinstance(error, ControlFailed) else where.clean(str(cause))
    if where.file is None:
        return ConfigurationError(
            f"The control database {where.shown} cannot be used: {reason}",
            next_step="Mend `control` in cutline.yaml, or start the server and try again.",
        )
    if "not a database" in reason or "malformed" in reason:
        return ConfigurationError(
            f"The control database {where.shown} is not a SQLite database, or it is damaged.",
            next_step="Let `control` in cutline.yaml name another file, or restore this one.",
        )
    return ConfigurationError(
        f"The control database {where.shown} cannot be written: {reason}",
        next_step="Make its folder writable, or let `control` in cutline.yaml name another file.",
    )
