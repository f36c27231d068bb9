"""An order-independent digest over all columns of a table, computed in the pass that writes it.

Two 64-bit hashes of each row, differently salted, are summed as decimals; the sums and the number
of rows make the digest. Equal multisets of rows give equal digests in any order and partitioning.
Spark's xxhash64 skips nulls, so every nullable value goes in with a flag of its own: (null, 'a')
and ('a', null) differ. Arrays and maps go in as text.
"""

from __future__ import annotations

import hashlib

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T


def digest_sums(schema: T.StructType) -> list[Column]:
    """Two aggregate columns that, with the number of rows, make the digest."""
    values = [v for f in schema.fields for v in _values(F.col(f"`{f.name}`"), f.dataType)]
    return [
        F.coalesce(F.sum(F.xxhash64(F.lit(salt), *values).cast("decimal(38,0)")), F.lit(0))
        for salt in ("cutline-a", "cutline-b")
    ]


def digest_text(rows: int, sums: list[int]) -> str:
    """The digest, 32 hexadecimal digits."""
    text = ":".join(str(part) for part in (rows, *sums))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _values(column: Column, kind: T.DataType) -> list[Column]:
    if isinstance(kind, T.StructType):
        inner = [v for f in kind.fields for v in _values(column.getField(f.name), f.dataType)]
        return [column.isNull(), *inner]
    if isinstance(kind, (T.ArrayType, T.MapType)):
        return [column.isNull(), F.to_json(column)]
    return [column.isNull(), column]
