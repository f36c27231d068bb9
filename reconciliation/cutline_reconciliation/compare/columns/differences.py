"""Which columns of one key's two rows are not the same."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column

from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.columns.pair import Pair, told


def differences(pairs: Iterable[Pair]) -> Column:
    """An array with one struct per column that differs between structs `left` and `right`."""
    return told([p.difference(_of("left", p), _of("right", p)) for p in pairs])


def _of(side: str, pair: Pair) -> Column:
    return named(side).getField(pair.name)
