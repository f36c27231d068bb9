"""Columns that are compared as texts, whatever their types."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError, did_you_mean
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.values import value_text


def with_texts(
    left: DataFrame, right: DataFrame, names: Collection[str], rename: Mapping[str, str]
) -> tuple[DataFrame, DataFrame]:
    """Both frames with the columns `names` as texts, as `value_text` writes them; `*` is every one.

    The names are the left side's, and `rename` has the right side's where they differ.
    ConfigurationError for one that the left side has not.
    """
    if not names:
        return left, right
    for name in names:
        if name != "*" and name not in left.columns:
            raise ConfigurationError(
                f"as_text {name}: the left side has no such column."
                + did_you_mean(name, left.columns),
                next_step=f"It has: {', '.join(left.columns)}.",
            )
    if "*" in names:
        return _with_texts(left, left.columns), _with_texts(right, right.columns)
    return _with_texts(left, names), _with_texts(right, [rename.get(n, n) for n in names])


def _with_texts(frame: DataFrame, names: Collection[str]) -> DataFrame:
    texts = {
        field.name: value_text(quoted_column(field.name), field.dataType)
        for field in frame.schema
        # The comparison refuses a name that a frame has twice.
        if field.name in names and frame.columns.count(field.name) == 1
    }
    return frame.withColumns(texts) if texts else frame
