"""What a version of a read model is, and what was written there by nobody's event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class ReadModelColumn(_Value):
    """A column of a table that services read."""

    name: str
    """Its name, as in the table of states."""
    type: str
    """Its Spark type, such as `decimal(12,2)`."""


class ReadModelTable(_Value):
    """One aggregate's table of a version, as it was built and read back.

    The last three fields compare its columns with those of the version that its view showed when it
    was built; they are empty where there was none.
    """

    aggregate: str
    """The aggregate whose states it holds."""
    table: str
    """The name of the table."""
    view: str
    """The name of the view that services read, whatever version is current."""
    rows: int
    """How many rows were built."""
    digest: str
    """The SHA-256 of those rows in the order of their subjects."""
    columns: tuple[ReadModelColumn, ...]
    """Its columns, without the two that are there for live events."""
    added_columns: tuple[str, ...] = ()
    """Columns that the current version has not."""
    removed_columns: tuple[str, ...] = ()
    """Columns that only the current version has."""
    changed_columns: tuple[str, ...] = ()
    """Columns that are of another type there."""

    @property
    def is_breaking(self) -> bool:
        """Whether a query on the current version may fail, or mean something else, on this one."""
        return bool(self.removed_columns or self.changed_columns)


class ReadModelVersion(_Value):
    """The tables of one version, of one context and region."""

    version: int
    """Its number, from 1."""
    run_id: str
    """The run whose states it holds."""
    tables: tuple[ReadModelTable, ...]
    """Its tables, in the order of the context's aggregates."""
    compared_with: int | None = None
    """The version that services read when it was built; null where there was none."""

    @property
    def is_breaking(self) -> bool:
        """Whether one of its tables has other columns in a way that may break a service."""
        return any(table.is_breaking for table in self.tables)


class ForeignWrite(_Value):
    """Rows of a version that are neither as they were built nor as a live event left them.

    Rows are named one by one where few of a range differ, and else by the range.
    """

    table: str
    """The table."""
    change: Literal["added", "changed", "removed"]
    """What became of the rows."""
    rows: int
    """How many rows."""
    first: str
    """The subject of the first of them."""
    last: str
    """The subject of the last of them; the same for a single row."""

    @property
    def sentence(self) -> str:
        """What happened, for people."""
        if self.rows == 1:
            return f"{self.table}: row {self.first!r} was {self.change} by no event"
        return (
            f"{self.table}: {self.rows:,} rows from {self.first!r} to {self.last!r} were "
            f"{self.change} by no event"
        )


def compared(table: ReadModelTable, current: Sequence[ReadModelColumn] | None) -> ReadModelTable:
    """The table, with what its columns differ in from those of the version that services read."""
    if current is None:
        return table
    types = {column.name: column.type for column in table.columns}
    current_types = {column.name: column.type for column in current}
    return table.model_copy(
        update={
            "added_columns": tuple(n for n in types if n not in current_types),
            "removed_columns": tuple(n for n in current_types if n not in types),
            "changed_columns": tuple(
                n for n in types if n in current_types and types[n] != current_types[n]
            ),
        }
    )
