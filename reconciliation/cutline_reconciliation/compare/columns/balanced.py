"""Many columns combined into one: a wide table would nest a chain of them too deeply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column


def balanced(
    combine: Callable[[Column, Column], Column], columns: Sequence[Column], empty: Column
) -> Column:
    """All columns combined in their order, as a balanced tree; `empty` without any."""
    if len(columns) < 2:
        return columns[0] if columns else empty
    half = len(columns) // 2
    halves = (balanced(combine, part, empty) for part in (columns[:half], columns[half:]))
    return combine(*halves)
