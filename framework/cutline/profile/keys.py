"""Which columns could identify a row: never null, and no two rows alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod

from pyspark.sql import DataFrame

from cutline.profile.model import ColumnProfile
from cutline.sources.sql_text import quoted

_MOST_COLUMNS = 3
_TRIED = 24
"""Combinations of one size that are tried, those of the leftmost columns first."""
_NEAR = 0.93
"""A share of distinct rows from which an estimate may stand for all of them."""
_NO_KEYS = ("float", "double", "binary")


def keys(
    frame: DataFrame, columns: Sequence[ColumnProfile], rows: int
) -> tuple[tuple[str, ...], ...]:
    """The least sets of columns that identify every row, the leftmost first.

    Columns by themselves are told by their distinct values. Only where none of them is a key are
    pairs tried, and then triples: the first size at which there is one is told, exactly counted.
    """
    able = [c for c in columns if _is_able(c)]
    single = tuple((c.name,) for c in able if c.distinct_exact and c.distinct == rows)
    if single or rows < 2:
        return single
    for size in range(2, _MOST_COLUMNS + 1):
        found = _unique(frame, _candidates(able, size, rows), rows)
        if found:
            return found
    return ()


def could_be_key(nulls: int, distinct: int, rows: int) -> bool:
    """Whether a column is worth an exact count, by the estimate of its distinct values."""
    return not nulls and distinct >= rows * _NEAR


def _is_able(column: ColumnProfile) -> bool:
    whole = not (column.nulls or column.unreadable or column.empty)
    return whole and column.type not in _NO_KEYS and "<" not in column.type


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
) -> tuple[tuple[str, ...], ...]:
    near = _counts(frame, "approx_count_distinct({}, 0.02)", candidates)
    left = [c for c, n in zip(candidates, near, strict=True) if n >= rows * _NEAR]
    exact = _counts(frame, "count(DISTINCT {})", left)
    return tuple(c for c, n in zip(left, exact, strict=True) if n == rows)


def _counts(frame: DataFrame, count: str, candidates: Iterable[tuple[str, ...]]) -> list[int]:
    structs = [f"struct({', '.join(map(quoted, chosen))})" for chosen in candidates]
    if not structs:
        return []
    (row,) = frame.selectExpr(
        *(f"{count.format(s)} AS n{i}" for i, s in enumerate(structs))
    ).collect()
    return [int(n) for n in row]
