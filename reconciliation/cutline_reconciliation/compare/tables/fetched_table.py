"""A table as it was fetched: its columns, and rows that Spark can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.tables.column_readings import SourceColumn
from cutline_reconciliation.compare.tables.place import Place

BROKEN = "_cutline_broken"
"""Beside the texts of a file's records: a struct of `place`, `file`, `number` and `reason`, null
for a record that can be read."""


@dataclass(frozen=True)
class TableRows:
    """The rows of a table for Spark.

    With `texts`, every column of `frame` is a text that is yet to be read, and BROKEN may be
    there; else the columns have the types of `columns`.
    """

    frame: DataFrame
    columns: Mapping[str, SourceColumn]
    texts: bool
    textual: Mapping[str, str] = field(default_factory=dict)
    """For each column that holds texts and other values, which of the frame's, a boolean, tells
    the texts."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know of how it was read."""


@dataclass(frozen=True)
class FetchedTable:
    """A table that was read as far as that needs no Spark."""

    place: Place
    size: int
    """Bytes, as they lie on disk."""
    rows: Callable[[SparkSession], TableRows] = field(repr=False)


def check_names(place: Place, names: list[str]) -> None:
    """ConfigurationError if there is no column, one without a name, or two of one name.

    Upper or lower case makes no other name.
    """
    if not names:
        raise ConfigurationError(f"{place.side}: {place.shown} has no column")
    lower_names: set[str] = set()
    for name in names:
        if not name or name.lower() in lower_names:
            twice = f"the column {name!r} twice" if name else "a column without a name"
            raise ConfigurationError(
                f"{place.side}: {place.shown} has {twice}",
                next_step="Rename it where the table is made, or in a query (SELECT … AS …).",
            )
        lower_names.add(name.lower())
