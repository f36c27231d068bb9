"""Columns by which lookups are joined."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.rules import LAST, image
from cutline.translator.part import Lookup


def match_count(name: str) -> str:
    """The column that counts the rows which a lookup's key meets."""
    return f"several_{name}"


def lookup_key(i: int) -> str:
    """The column with the i-th value by which rows are looked up."""
    return f"by_{i}"


def lookup_keys(lookup: Lookup) -> list[Column]:
    """The values by which the rows of changes are looked up, of their images `after`."""
    return [
        F.col("after").getField(column).alias(lookup_key(i)) for i, column in enumerate(lookup.by)
    ]


def matches(lookup: Lookup, primary: str) -> Column:
    """Whether the last image of the translator's first part names the row; null equals nothing."""
    own = image(LAST, primary)
    return reduce(
        Column.__and__, (own.getField(c) == F.col(lookup_key(i)) for i, c in enumerate(lookup.on))
    )
