"""Whether a control database is whole: its pages, its tables and the revision of its schema."""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlalchemy import Connection, Text, column, inspect, select, table, text

from cutline.control.address import Address
from cutline.control.models import METADATA, SCHEMA_TABLE
from cutline.control.references import LostReference, lost_references
from cutline.errors import ConfigurationError

_OF_A_VALUE = re.compile(r"(NULL|NUMERIC|TEXT) value in ")
"""What SQLite says of a column of a row, and of no page or index."""
_MOST_FAULTS, _SHOWN = 100, 3
_ANEW = (
    "the next run begins anew, under the same name where its inputs are the same, and publishes in "
    "place of what it had sent."
)


def look_through(connection: Connection, where: Address) -> tuple[LostReference, ...]:
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
        raise damaged_error(where, "; ".join(" ".join(line.split()) for line in shown))
    lost, strange = lost_references(connection, METADATA.sorted_tables)
    if strange is not None:
        raise damaged_error(where, f"a row of {strange} refers to one that is not there")
    return lost


def revision_of(connection: Connection, where: Address, newest: str) -> str | None:
    """The revision of the schema; None for a database that has nothing of Cutline.

    ConfigurationError where tables and revision do not go together, as a backup leaves them that is
    half restored. Which tables there must be is known of the `newest` revision.
    """
    tables = set(inspect(connection).get_table_names())
    revisions = _revisions(connection) if SCHEMA_TABLE in tables else []
    if len(revisions) == 1:
        if revisions[0] == newest:
            _refuse_missing_tables(where, tables)
        return revisions[0]
    if SCHEMA_TABLE in tables:
        raise damaged_error(where, f"table {SCHEMA_TABLE} has {len(revisions)} rows, and not one")
    if not tables.isdisjoint(METADATA.tables):
        raise damaged_error(where, f"table {SCHEMA_TABLE} is not there")
    return None


def damaged_error(where: Address, says: str) -> ConfigurationError:
    """The error of a control database that is not whole."""
    return ConfigurationError(
        f"The control database {where.shown} is damaged: {says}",
        left_behind="Nothing was started; the lake and the topics are as they were.",
        next_step=f"Restore it from a backup. Without one, let `control` name another: {_ANEW}"
        if where.file is None
        else f"Restore the file from a copy. Without one, move it away: {_ANEW}",
    )


def _revisions(connection: Connection) -> list[str]:
    schema = table(SCHEMA_TABLE, column("version_num", Text))
    return list(connection.execute(select(schema.c.version_num)).scalars())


def _refuse_missing_tables(where: Address, tables: Collection[str]) -> None:
    missing = [declared.name for declared in METADATA.sorted_tables if declared.name not in tables]
    if missing:
        raise damaged_error(where, f"it has no table {' and no table '.join(missing[:_SHOWN])}")
