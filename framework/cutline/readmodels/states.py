"""The projected states of an aggregate, on their way into a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.readmodels.columns import columns_of
from cutline.readmodels.lines import lines_of
from cutline.readmodels.model import ReadModelColumn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class States:
    """The states of an aggregate: `rows` of them, with `lines` in the order of their subjects.

    Nothing is asked of Spark for the lines until the first is taken.
    """

    columns: tuple[ReadModelColumn, ...]
    rows: int
    lines: Iterable[bytes]


def states_of(frame: DataFrame, table: str) -> States:
    """The states that a table of them holds. ConfigurationError for columns that cannot be carried.

    `table` is its name, for errors.
    """
    columns = columns_of(frame.schema, table)
    rows = frame.count()
    return States(columns, rows, lines_of(frame, columns, rows))
