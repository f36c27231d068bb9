"""An order-independent digest over all columns of a table, computed in the pass that writes it.

Each row is hashed once (64 bits, xxhash). The hashes, and their hashes, are summed as decimals;
both sums and the number of rows make the digest. Equal multisets of rows give equal digests in any
order and partitioning. Spark's xxhash64 skips nulls, so what may be null goes in with a flag of its
own: (null, 'a') and ('a', null) differ. Arrays and maps go in as text.
"""

from __future__ import annotations

import hashlib

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T


def row_hash(schema: T.StructType) -> Column:
    """The hash of a row over all its columns, never null."""
    return F.xxhash64(
        *(v for f in schema.fields for v in _values(F.col(f"`{f.name}`"), f.dataType, f.nullable))
    )


def digest_sums(hashes: Column, mine: Column | None = None) -> list[Column]:
    """Four aggregates over the row hashes that, with the number of rows, make the digest.

    Of rows for which `mine` is true, where it is given. Each sum comes in two halves, of which no
    table overflows a bigint: sums of decimals, which would hold it whole, cost more than the
    hashing.
    """
    halves = [
        half
        for h in (hashes, F.xxhash64(hashes))
        for half in (F.shiftright(h, 32), h.bitwiseAND(F.lit(0xFFFFFFFF)))
    ]
    if mine is not None:
        # Under a condition Spark would hash each row once for each sum.
        halves = [half * mine.cast("bigint") for half in halves]
    return [F.coalesce(F.sum(half), F.lit(0)) for half in halves]


def digest_text(rows: int, halves: list[int]) -> str:
    """The digest, 32 hexadecimal digits, of the number of rows and the `digest_sums`."""
    sums = [(high << 32) + low for high, low in zip(halves[::2], halves[1::2], strict=True)]
    text = ":".join(str(part) for part in (rows, *sums))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _values(column: Column, kind: T.DataType, nullable: bool) -> list[Column]:
    flag = [column.isNull()] if nullable else []
    if isinstance(kind, T.StructType):
        # Under a null struct its fields are null, whatever they are declared as.
        inner = [(f, nullable or f.nullable) for f in kind.fields]
        return [*flag, *(v for f, n in inner for v in _values(column[f.name], f.dataType, n))]
    if isinstance(kind, T.ArrayType):
        # Most arrays are empty, and to say so costs less than to have it written.
        return [*flag, F.when(F.size(column) == 0, F.lit("[]")).otherwise(F.to_json(column))]
    if isinstance(kind, T.MapType):
        return [*flag, F.to_json(column)]
    return [*flag, column]
