"""The one place where a row becomes its object: each column is looked at, and what cannot be read
is named with its table, key and column."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, TypeVar, cast, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from sqlalchemy import Table

from cutline.control.columns import UnreadableValue
from cutline.control.database import Database
from cutline.control.references import LostReference
from cutline.control.shapes import reason, short
from cutline.errors import ConfigurationError

T = TypeVar("T")

RESTORE = (
    "Restore the row from a backup of the control database, or write into the column what it held. "
    "Commands of slices whose rows are whole go on meanwhile."
)

_REMOVED_BY = {"cutline_snapshots": "cutline snapshot drop {context} {name} --region {region}"}
"""By table, the command that removes a row without reading it."""


class DamagedRow(ConfigurationError):
    """A row of a database that cannot be read: edited by hand, half restored, or written by another
    version. Exit code 2: run again, the command would find the same."""

    def __init__(
        self,
        database: Database,
        table: str,
        key: Mapping[str, Any],
        column: str,
        says: str,
    ) -> None:
        address = database.address
        row = ", ".join(f"{name} {value!r}" for name, value in key.items())
        command = _REMOVED_BY.get(table)
        next_step = f"{RESTORE} Or remove it: {command.format_map(key)}" if command else RESTORE
        super().__init__(
            address.clean(
                f"{database.called} {address.shown}: table {table}, row {row}: column {column} "
                f"{says}"
            ),
            left_behind="The row is as it was found.",
            next_step=next_step,
        )
        self.table, self.key, self.column = table, dict(key), column


def read_row(
    database: Database,
    table: Table,
    row: Any,
    model: type[T],
    *,
    columns: Mapping[str, str] | None = None,
    **beside: Any,
) -> T:
    """The row of a table as an object of a dataclass, each field of which is a column of its type.

    `columns` has the names of columns whose fields are named otherwise, `beside` the values of
    fields that are no columns. Raises DamagedRow for the first column that holds something else,
    and for a row that refers to one that is not there.
    """
    refuse_lost_reference(database, table, row)
    values = {
        name: beside[name]
        if name in beside
        else _value(database, table, row, (columns or {}).get(name, name))
        for name in _names(model)
    }
    for name, value in values.items():
        if name in beside:
            continue
        try:
            values[name] = _type(cast(Hashable, model), name).validate_python(value)
        except ValidationError as error:
            column = (columns or {}).get(name, name)
            raise damaged(database, table, row, column, value, reason(error)) from None
    return model(**values)


def refuse_lost_reference(database: Database, table: Table, row: Any) -> None:
    """Raises DamagedRow for a row that refers to one that is not there."""
    if not database.lost:
        return
    key = tuple(row_key(table, row).values())
    for lost in database.lost:
        if (lost.table, lost.key) == (table.name, key):
            raise lost_error(database, lost)


def lost_error(database: Database, lost: LostReference) -> DamagedRow:
    """The error of a row that refers to one that is not there."""
    value = lost.values[0] if len(lost.values) == 1 else list(lost.values)
    says = f"holds {short(value)}, and {lost.refers_to} has no such row"
    key = dict(zip(lost.key_columns, lost.key, strict=True))
    return DamagedRow(database, lost.table, key, ", ".join(lost.columns), says)


def damaged(
    database: Database, table: Table, row: Any, column: str, value: Any, why: str
) -> DamagedRow:
    """The error of a column of a row: what it holds, and why that cannot be."""
    says = f"holds {short(value)}, {why}"
    return DamagedRow(database, table.name, row_key(table, row), column, says)


def damaged_document(
    database: Database, table: Table, key: Mapping[str, Any], column: str, error: ValidationError
) -> DamagedRow:
    """The error of a column whose document has another form than its reader wants."""
    says = f"holds a document {reason(error)}"
    return DamagedRow(database, table.name, key, column, says)


def readable_key(database: Database, table: Table, row: Any) -> tuple[str, str]:
    """The slice that a row is of. DamagedRow where its key is no text."""
    for column in ("context", "region"):
        _value(database, table, row, column)
    return row.context, row.region


def row_key(table: Table, row: Any) -> dict[str, Any]:
    """The primary key of a row, by column."""
    return {c.name: row._mapping[c] for c in table.primary_key.columns}


def _value(database: Database, table: Table, row: Any, column: str) -> Any:
    value = row._mapping[table.c[column]]
    if isinstance(value, UnreadableValue):
        raise damaged(database, table, row, column, value.holds, value.why)
    return value


def _names(model: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(model))


@cache
def _type(model: Hashable, name: str) -> TypeAdapter[Any]:
    """What a value of a field must be: nothing is turned into something else."""
    hint = get_type_hints(model, include_extras=True)[name]
    return TypeAdapter(hint, config=ConfigDict(strict=True))
