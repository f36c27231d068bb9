"""Which columns could identify a row: no two rows alike, and none or few without a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from pyspark.sql import DataFrame

from cutline.profile.model import ColumnProfile, NearKey
from cutline.sql.spark import quoted

_MOST_COLUMNS = 3
_TRIED = 24
"""Combinations of one size that are tried, those of the leftmost columns first."""
_NEAR = 0.93
"""A share of distinct rows from which an estimate may stand for all of them."""
_FEW = 100
"""Of so many rows one may lack a value of what identifies the others: it is quarantined."""
_NO_KEYS = ("float", "double", "binary")


@dataclass(frozen=True)
class Keys:
    """What could identify a row: `strictly` every row, `nearly` all but few that lack a value."""

    strictly: tuple[tuple[str, ...], ...] = ()
    nearly: tuple[NearKey, ...] = ()


def keys(frame: DataFrame, columns: Sequence[ColumnProfile], rows: int) -> Keys:
    """The least sets of columns that identify every row, the leftmost first; and nearly every.

    Columns by themselves are told by their distinct values. Only where none of them is a key, not
    even nearly, are pairs tried, and then triples: the first size at which there is one is told,
    exactly counted.
    """
    able = [c for c in columns if _is_able(c, rows)]
    single = [
        ((c.name,), _lacking(c))
        for c in able
        if c.distinct_exact and c.distinct == rows - _lacking(c) + min(c.empty, 1)
    ]
    if single or rows < 2:
        return _exact_and_near(single)
    for size in range(2, _MOST_COLUMNS + 1):
        unique = _unique(frame, _candidates(able, size, rows), rows)
        if unique:
            return _exact_and_near(unique)
    return Keys()


def could_be_key(lacking: int, distinct: int, rows: int) -> bool:
    """Whether a column is worth an exact count, by the estimate of its distinct values.

    `lacking` are the rows without a value of it.
    """
    return are_few(lacking, rows) and distinct >= (rows - lacking) * _NEAR


def are_few(lacking: int, rows: int) -> bool:
    """Whether so few rows lack a value that the rest may still be keyed by it: one in a hundred."""
    return lacking * _FEW <= rows


def _exact_and_near(unique: Iterable[tuple[tuple[str, ...], int]]) -> Keys:
    """The sets of columns, by whether any row lacks a value of theirs."""
    every = list(unique)
    return Keys(
        tuple(key for key, lacking in every if not lacking),
        tuple(NearKey(key, lacking) for key, lacking in every if lacking),
    )


def _lacking(column: ColumnProfile) -> int:
    """The rows that have no value of the column, or an empty one."""
    return column.nulls + column.unreadable + column.empty


def _is_able(column: ColumnProfile, rows: int) -> bool:
    few = are_few(_lacking(column), rows)
    return few and column.type not in _NO_KEYS and "<" not in column.type


def _candidates(columns: Sequence[ColumnProfile], size: int, rows: int) -> list[tuple[str, ...]]:
    # A decimal is an amount, a moment is when: as part of a key they are a coincidence.
    likely = [c for c in columns if c.distinct > 1 and not c.type.startswith(("decimal", "time"))]
    enough = (
        tuple(c.name for c in chosen)
        for chosen in combinations(likely, size)
        if prod(c.distinct for c in chosen) >= rows
    )
    return [chosen for chosen, _ in zip(enough, range(_TRIED), strict=False)]


def _unique(
    frame: DataFrame, candidates: list[tuple[str, ...]], rows: int
) -> list[tuple[tuple[str, ...], int]]:
    """Those of the candidates that are unique where they are whole, and the rows that lack one."""
    near = _counts(frame, ["approx_count_distinct({}, 0.02)"], candidates)
    left = [c for c, (n,) in zip(candidates, near, strict=True) if n >= rows * _NEAR]
    exact = _counts(frame, ["count(DISTINCT {})", "count({})"], left)
    return [
        (chosen, rows - whole)
        for chosen, (distinct, whole) in zip(left, exact, strict=True)
        if distinct == whole and are_few(rows - whole, rows)
    ]


def _counts(
    frame: DataFrame, counts: Sequence[str], candidates: Sequence[tuple[str, ...]]
) -> list[tuple[int, ...]]:
    """Each of the counts, of each candidate's rows in which no column is null or empty."""
    if not candidates:
        return []
    aggregates = [
        f"{count.format(_whole(chosen))} AS n{i}_{k}"
        for i, chosen in enumerate(candidates)
        for k, count in enumerate(counts)
    ]
    (row,) = frame.selectExpr(*aggregates).collect()
    size = len(counts)
    return [tuple(map(int, row[i * size : (i + 1) * size])) for i in range(len(candidates))]


def _whole(chosen: tuple[str, ...]) -> str:
    names = [quoted(name) for name in chosen]
    not_blank = " AND ".join(f"CAST({name} AS string) <> ''" for name in names)
    return f"CASE WHEN {not_blank} THEN struct({', '.join(names)}) END"
