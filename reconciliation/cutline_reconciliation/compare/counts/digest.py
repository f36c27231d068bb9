"""A digest of a row's values: 128 bits that two different rows do not share."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.columns import values

TypedValue = tuple[Column, T.DataType]
_NESTED = (T.ArrayType, T.StructType, T.MapType)
_SHORT = (
    T.BooleanType, T.IntegralType, T.FloatType, T.DoubleType, T.DateType, T.TimestampType,
    T.TimestampNTZType,
)  # fmt: skip
_LONG_DIGITS = 18
_WORD = 63


def digest(values_by_place: Mapping[int, TypedValue]) -> tuple[Column, Column]:
    """Two bigints over values in their common forms, by their places in the row.

    Each value is hashed twice, each time with a seed of its place, and the hashes are taken
    together by exclusive or. So two rows' digests differ by what those of their values do that are
    not the same; the others may be left out. A null leaves the seed as it is, which is the hash of
    no value; a text's length is part of its hash, so no boundary can shift; of a nested value its
    JSON is hashed as well. Of a value of 64 bits and less the first hash is no other's, so that
    this is what is hashed for the second. Not meant against somebody who looks for collisions.
    Source: xxHash (https://xxhash.com), as Spark's `xxhash64`.
    """
    first = _first_hashes(values_by_place)
    return _xor(first), _xor(_second_hashes(values_by_place, first))


def digest_with_bits(
    values_by_place: Mapping[int, TypedValue], places: int
) -> tuple[Column, Column, Column]:
    """A digest, and a bigint, never negative, with a few bits of each value's; see `places_in`."""
    first = _first_hashes(values_by_place)
    bits = [
        one.bitwiseAND(F.lit(_mask(place, places)))
        for place, one in zip(values_by_place, first, strict=True)
    ]
    return _xor(first), _xor(_second_hashes(values_by_place, first)), _xor(bits)


def places_in(different: int, places: int) -> tuple[int, ...]:
    """The places that have a bit in `different`, which is what the bits of rows differ by.

    Values of such a place differ somewhere; those of another place may, if few of them do. Where
    there are more than 63 places, some share a bit, and are told together. The sign tells nothing.
    """
    return tuple(place for place in range(places) if different & _mask(place, places))


def hashable(value: Column, kind: T.DataType) -> list[Column]:
    """What is hashed of a value. Spark's hash passes over the nulls within a nested one and knows
    no boundaries there, and JSON has no bytes that are no text: together they tell all."""
    return [values.value_text(value, kind), value] if isinstance(kind, _NESTED) else [value]


def _first_hashes(values_by_place: Mapping[int, TypedValue]) -> list[Column]:
    """Of each value the first half of its digest."""
    return [_hash(2 * place, value) for place, value in values_by_place.items()]


def _second_hashes(values_by_place: Mapping[int, TypedValue], first: list[Column]) -> list[Column]:
    """Of each value the second half."""
    return [
        # One value has the hash that null has, which is the seed.
        F.when(value[0].isNull(), F.lit(0).cast("bigint")).otherwise(F.xxhash64(one))
        if _hashed_without_loss(value[1])
        else _hash(2 * place + 1, value)
        for one, (place, value) in zip(first, values_by_place.items(), strict=True)
    ]


def _hash(seed: int, value: TypedValue) -> Column:
    return F.xxhash64(F.lit(seed), *hashable(*value))


def _hashed_without_loss(kind: T.DataType) -> bool:
    """Whether Spark hashes values of a type as one number of 64 bits or less, a step that can be
    taken back: so no two of them share a hash."""
    return isinstance(kind, _SHORT) or (
        isinstance(kind, T.DecimalType) and kind.precision <= _LONG_DIGITS
    )


def _xor(hashes: list[Column]) -> Column:
    """All by exclusive or, as a tree that is not as deep as a table is wide."""
    if len(hashes) < 2:
        return hashes[0] if hashes else F.lit(0).cast("bigint")
    half = len(hashes) // 2
    return _xor(hashes[:half]).bitwiseXOR(_xor(hashes[half:]))


def _mask(place: int, places: int) -> int:
    """The bits of a place in a number of 64 bits, of which the sign is not used."""
    width = max(1, _WORD // places)
    return ((1 << width) - 1) << (place * width % _WORD)
