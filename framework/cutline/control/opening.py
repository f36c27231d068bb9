"""Opening the control database: found or created, understood, and brought to this version."""

from __future__ import annotations

import re
import sqlite3
import threading
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from cutline.control.address import Address, address
from cutline.control.damage import damaged_error, look_through, revision_of
from cutline.control.database import ControlFailed, Database, is_full
from cutline.errors import ConfigurationError, CutlineError

REVISIONS = tuple(f"{number:04}" for number in range(1, 12))
"""The schema's revisions, oldest first, as in `migrations/versions`."""

_OF_THE_SCHEMA = re.compile(r"no such (table|column)|already exists|duplicate column name")
"""What SQLite says where a migration does not find what its revision has."""
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
                database.lost = look_through(connection, where)
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
    """The database if a run ever created it, else None; nothing is created.

    ConfigurationError for one that is damaged: it does not say that nothing ever ran.
    """
    where = address(url, folder)
    if where.file is not None and not where.file.exists():
        return None
    database = Database(where)
    try:
        with database.read() as connection:
            database.lost = look_through(connection, where)
            revision = revision_of(connection, where, REVISIONS[-1])
            if revision is None:
                return None
            _known_revision(connection, where)
    except (OSError, ControlFailed, DBAPIError) as error:
        raise _cannot_be_used(where, error) from None
    return database if revision == REVISIONS[-1] else open_database(url, folder)


def _known_revision(connection: Connection, where: Address) -> str | None:
    """The schema's revision; None for a new database. What is not ours or too new is refused."""
    revision = revision_of(connection, where, REVISIONS[-1])
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


def _cannot_be_used(where: Address, error: Exception) -> CutlineError:
    cause = error.orig if isinstance(error, DBAPIError) else error
    reason = error.reason if isinstance(error, ControlFailed) else where.clean(str(cause))
    if is_full(reason):
        return ControlFailed(where, reason)
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
    if _OF_THE_SCHEMA.search(reason):
        return damaged_error(where, reason)
    return ConfigurationError(
        f"The control database {where.shown} cannot be written: {reason}",
        next_step="Make its folder writable, or let `control` in cutline.yaml name another file.",
    )
