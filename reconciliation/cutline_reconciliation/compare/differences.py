"""Which columns of one key's two rows are not the same."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline_reconciliation.compare.names import named
from cutline_reconciliation.compare.pair import DIFFERENCE, Pair


def differences(pairs: Iterable[Pair]) -> Column:
    """An array with one struct per column that differs between structs `left` and `right`."""
    found = [p.difference(_of("left", p), _of("right", p)) for p in pairs]
    if not found:
        return F.array().cast(f"array<{DIFFERENCE}>")
    return F.filter(F.array(*found), lambda d: d.isNotNull()).cast(f"array<{DIFFERENCE}>")


def _of(side: str, pair: Pair) -> Column:
    return named(side).getField(pair.name)
