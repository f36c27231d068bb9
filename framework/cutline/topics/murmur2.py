"""Kafka's murmur2, so that a subject's history and its live events share a partition.

It is what Java producers (and librdkafka's `murmur2_random`) hash a key with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_SEED = 0x9747B28C
_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """The hash of some bytes, as Java's signed 32-bit integer."""
    h = _SEED ^ len(data)
    whole = len(data) - len(data) % 4
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * _M & _MASK
        k = (k ^ k >> 24) * _M & _MASK
        h = (h * _M & _MASK) ^ k
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    h ^= h >> 15
    return h - (1 << 32) if h >> 31 else h


def partition(key: str, partitions: int) -> int:
    """The partition, from 0, that a key belongs to among so many."""
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions


def partition_of(key: Column, partitions: int) -> Column:
    """As `partition`, of a text column, as a native Spark expression: an int, null for null.

    All steps are of one form, `((h ^ a) * m) ^ b`. A whole block of four bytes has only a `b`,
    the mixed block, kept as it is; the rest at the end has only an `a`, kept as `-1 - a`.
    """
    from pyspark.sql import functions as F

    m, mask = F.lit(_M), F.lit(_MASK)
    size = F.octet_length(key)
    digits = F.hex(key.cast("binary"))
    padded = F.rpad(digits, F.ceil(size / 4).cast("int") * 8, F.lit("0"))

    def little_endian(block: Column) -> Column:
        turned = F.concat(*(block.substr(at, 2) for at in (7, 5, 3, 1)))
        return F.conv(turned, 16, 10).cast("bigint")

    def step(block: Column, at: Column) -> Column:
        k = (block * m).bitwiseAND(mask)
        mixed = (k.bitwiseXOR(F.shiftrightunsigned(k, 24)) * m).bitwiseAND(mask)
        return F.when((at + 1) * 4 <= size, mixed).otherwise(-1 - block)

    def mixed_in(h: Column, x: Column) -> Column:
        whole = (h * m).bitwiseAND(mask).bitwiseXOR(x)
        rest = (h.bitwiseXOR(-1 - x) * m).bitwiseAND(mask)
        return F.when(x >= 0, whole).otherwise(rest)

    def ended(h: Column) -> Column:
        h = (h.bitwiseXOR(F.shiftrightunsigned(h, 13)) * m).bitwiseAND(mask)
        h = h.bitwiseXOR(F.shiftrightunsigned(h, 15))
        return (h.bitwiseAND(F.lit(0x7FFFFFFF)) % partitions).cast("int")

    blocks = F.transform(F.regexp_extract_all(padded, F.lit(".{8}"), F.lit(0)), little_endian)
    start = size.cast("bigint").bitwiseXOR(F.lit(_SEED))
    return F.aggregate(F.transform(blocks, step), start, mixed_in, ended)
