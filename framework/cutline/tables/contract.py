"""A table contract: the sentence that says what one row is, and the columns, free of Spark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column: its Spark SQL type as DDL text, what it holds, and whether it may be null.

    `varied` says that nearly every row has another value, so that a dictionary of them, or the
    least and the greatest of many, would only cost.
    """

    name: str
    type: str
    doc: str
    nullable: bool = True
    varied: bool = False


@dataclass(frozen=True)
class Table:
    """A table that a stage writes and others build on.

    `one_row_is` completes the sentence "one row is …". `rules` are the invariants that the stage
    which writes the table checks or guarantees.
    """

    name: str
    one_row_is: str
    columns: tuple[Column, ...]
    rules: tuple[str, ...] = ()

    @property
    def ddl(self) -> str:
        """The Spark schema as DDL text; files are written and read by it."""
        return ", ".join(f"`{c.name}` {c.type}" for c in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(c.name for c in self.columns)
