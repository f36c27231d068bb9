"""Chunks of a table: predicates in SQL that put each key into exactly one of them.

Keys of several columns are compared as tuples, the first column first. Compared column by column,
`a > 1 AND b > 5` instead of `(a, b) > (1, 5)`, keys between two chunks belong to none. Only tests
use this so far: readers of databases over the network will.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from decimal import Decimal

from cutline.errors import ConfigurationError
from cutline.sql.standard import literal, quoted

Value = int | str | Decimal | dt.datetime | dt.date
Bound = tuple[Value, ...]
"""The last key of a chunk: a value for each column of the key."""


def chunk_predicates(key: Sequence[str], bounds: Sequence[Bound]) -> list[str]:
    """One predicate per chunk: one more than there are bounds. Each key is in exactly one chunk.

    A chunk ends with its bound. Bounds ascend in the database's own order, since only the database
    knows how it compares texts: select them with `ORDER BY` the key. Between two equal bounds the
    chunk is empty. Columns of a key are never null. ConfigurationError for a key without columns,
    and for a bound that lacks a value for a column.
    """
    columns = [quoted(name) for name in key]
    if not columns:
        raise ConfigurationError(
            "a table without a key cannot be read in chunks",
            next_step="Read it whole, or name the columns that tell its rows apart.",
        )
    ends = [_values(key, bound) for bound in bounds]
    if not ends:
        return ["1 = 1"]
    first, last = not_greater_than(columns, ends[0]), greater_than(columns, ends[-1])
    between = [
        f"({greater_than(columns, low)}) AND ({not_greater_than(columns, high)})"
        for low, high in itertools.pairwise(ends)
    ]
    return [first, *between, last]


def greater_than(columns: Sequence[str], bound: Sequence[str]) -> str:
    """SQL for whether the key is greater than the bound, compared as tuples.

    Written with AND and OR, because not every database compares tuples itself.
    """
    alternatives = []
    for place in range(len(columns)):
        equal = [f"{c} = {b}" for c, b in zip(columns[:place], bound[:place], strict=True)]
        alternatives.append(" AND ".join([*equal, f"{columns[place]} > {bound[place]}"]))
    return " OR ".join(f"({way})" for way in alternatives)


def not_greater_than(columns: Sequence[str], bound: Sequence[str]) -> str:
    """SQL for the complement of `greater_than`, as no column is null."""
    return f"NOT ({greater_than(columns, bound)})"


def _values(key: Sequence[str], bound: Bound) -> list[str]:
    if len(bound) != len(key):
        raise ConfigurationError(
            f"the bound {bound!r} has {len(bound)} values for the {len(key)} columns of the key "
            + ", ".join(key),
            next_step="Give each bound a value for each column.",
        )
    return [_literal(value) for value in bound]


def _literal(value: Value) -> str:
    """A value in standard SQL. ConfigurationError for a value that databases order differently."""
    if isinstance(value, bool | float) or value is None:
        raise ConfigurationError(f"{value!r} cannot bound a chunk: keys are exact and not null")
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return str(value)
