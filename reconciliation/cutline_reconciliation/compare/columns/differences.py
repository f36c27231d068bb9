"""The differing columns of one key's two rows."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column

from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.pair import ColumnPair, not_null_differences


def differences(pairs: Iterable[ColumnPair]) -> Column:
    """An array with one struct per column that differs between the structs `left` and `right`."""
    return not_null_differences(
        [p.difference(_field_of("left", p), _field_of("right", p)) for p in pairs]
    )


def _field_of(side: str, pair: ColumnPair) -> Column:
    return quoted_column(side).getField(pair.name)
