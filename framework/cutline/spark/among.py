"""Rows that agree with some of others in some columns, where null agrees with null."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def among(rows: DataFrame, keys: DataFrame, names: Sequence[str] = ()) -> DataFrame:
    """The rows that agree with some of `keys` in these columns; by default in all of the keys'."""
    return rows.join(*_keys(keys, names), "left_semi")


def not_among(rows: DataFrame, keys: DataFrame, names: Sequence[str] = ()) -> DataFrame:
    """The rows that agree with none of `keys` in these columns; by default in all of the keys'."""
    return rows.join(*_keys(keys, names), "left_anti")


def _keys(keys: DataFrame, names: Sequence[str]) -> tuple[DataFrame, Column]:
    # Under names of their own: the keys may be made of the very rows.
    aside = {name: f"_key_{i}" for i, name in enumerate(names or keys.columns)}
    agree = [F.col(name).eqNullSafe(F.col(key)) for name, key in aside.items()]
    renamed = keys.select(*(F.col(name).alias(key) for name, key in aside.items()))
    return renamed, reduce(Column.__and__, agree)
