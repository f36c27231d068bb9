"""References from row to row that lead nowhere, as a backup leaves them that is half restored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, column, select, table, text


@dataclass(frozen=True)
class LostReference:
    """A row, by its table and key, whose `columns` hold `values`: those of a row of `refers_to`
    that is not there."""

    table: str
    key_columns: tuple[str, ...]
    key: tuple[Any, ...]
    columns: tuple[str, ...]
    values: tuple[Any, ...]
    refers_to: str


def lost_references(
    connection: Connection, tables: Iterable[Table]
) -> tuple[tuple[LostReference, ...], str | None]:
    """The lost references of a SQLite file whose rows are of the tables; and of the first row of
    another table that has one, the name of that table."""
    ours_by_name = {declared.name: declared for declared in tables}
    every = connection.execute(text("PRAGMA foreign_key_check")).all()
    strange = next((str(row[0]) for row in every if row[0] not in ours_by_name), None)
    ours = [row for row in every if row[0] in ours_by_name]
    return tuple(_lost(connection, ours_by_name, ours)), strange


def _lost(
    connection: Connection, tables: dict[str, Table], rows: Iterable[Any]
) -> Iterator[LostReference]:
    for name, row_id, refers_to, number in rows:
        keys = connection.execute(text(f"PRAGMA foreign_key_list({name})")).all()
        columns = tuple(key[3] for key in keys if key[0] == number)
        key_columns = tuple(tables[name].primary_key.columns.keys())
        # Without their types: what they hold may be none of them.
        plain = table(name, *(column(c) for c in dict.fromkeys(key_columns + columns)))
        stored = (
            connection.execute(select(plain).where(column("rowid", is_literal=True) == row_id))
            .one()
            ._mapping
        )
        yield LostReference(
            table=name,
            key_columns=key_columns,
            key=tuple(stored[c] for c in key_columns),
            columns=columns,
            values=tuple(stored[c] for c in columns),
            refers_to=str(refers_to),
        )
