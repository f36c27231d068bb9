"""A digest of a row's values: 128 bits that two different rows do not share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import values

_NESTED = (T.ArrayType, T.StructType, T.MapType)
_BITS = 62


def digest(given: Iterable[tuple[Column, T.DataType]]) -> tuple[Column, Column]:
    """Two bigints over values in their common forms.

    Each is a 64-bit xxHash, with a seed of its own, once over the values in order and once
    backwards. A hash of Spark's passes over nulls, so which values are null is hashed as well; a
    text's length is part of its hash, so no boundary can shift; a nested value is hashed as its
    JSON. Not meant against somebody who looks for collisions.
    Source: xxHash (https://xxhash.com), as Spark's `xxhash64`.
    """
    hashed = [values.text(v, kind) if isinstance(kind, _NESTED) else v for v, kind in given]
    masks = [_nulls(hashed[i : i + _BITS]) for i in range(0, len(hashed), _BITS)]
    return (
        F.xxhash64(F.lit(1), *masks, *hashed),
        F.xxhash64(F.lit(2), *masks, *reversed(hashed)),
    )


def _nulls(hashed: list[Column]) -> Column:
    bits = [F.when(v.isNull(), F.lit(1 << i)).otherwise(F.lit(0)) for i, v in enumerate(hashed)]
    return reduce(Column.bitwiseOR, [bit.cast("bigint") for bit in bits])
