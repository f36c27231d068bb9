"""A fetched table: its columns, and rows that Spark can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError
from cutline.sources import RESERVED
from cutline_reconciliation.compare.tables.column_readings import SourceColumn, ValueKind
from cutline_reconciliation.compare.tables.place import TablePlace

BROKEN = "_cutline_broken"
"""A column beside the texts of a record: a struct of `place`, `file`, `number` and `reason`.

Null for a record that can be read.
"""


@dataclass(frozen=True)
class TableRows:
    """The rows of a table for Spark.

    With `texts`, every column of `frame` is a text to be parsed, and BROKEN may be among them; else
    the columns have the types of `columns`.
    """

    frame: DataFrame
    columns: Mapping[str, SourceColumn]
    texts: bool
    marks: Mapping[str, Mapping[ValueKind, str]] = field(default_factory=dict)
    """By column with values of several kinds, the boolean columns that say of each value whether it
    is one of the kind: of texts and of bytes, where the column has them."""
    notes: tuple[str, ...] = ()
    """Notes on how the table was read, for the reader of the result."""


@dataclass(frozen=True)
class FetchedTable:
    """A table after the part of its reading that needs no Spark."""

    place: TablePlace
    size: int
    """Its size on disk in bytes."""
    rows: Callable[[SparkSession], TableRows] = field(repr=False)


def check_names(place: TablePlace, names: list[str]) -> None:
    """ConfigurationError for no columns, or for names that are empty, equal but for case, or begin
    as the columns that Cutline puts beside them."""
    if not names:
        raise ConfigurationError(f"{place.side}: {place.shown} has no column")
    lower_names: set[str] = set()
    for name in names:
        if name.lower().startswith(RESERVED):
            raise ConfigurationError(
                f"{place.side}: {place.shown} has the column {name!r}, and names that begin with "
                f"{RESERVED} are Cutline's own",
                next_step="Rename it where the table is made, or in a query (SELECT … AS …).",
            )
        if not name or name.lower() in lower_names:
            twice = f"the column {name!r} twice" if name else "a column without a name"
            raise ConfigurationError(
                f"{place.side}: {place.shown} has {twice}",
                next_step="Rename it where the table is made, or in a query (SELECT … AS …).",
            )
        lower_names.add(name.lower())
