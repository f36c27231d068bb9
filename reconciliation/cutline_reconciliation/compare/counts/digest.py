"""Digests of rows: 128 bits, different for different rows."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.balanced import balanced

TypedValue = tuple[Column, T.DataType]
_NESTED = (T.ArrayType, T.StructType, T.MapType)
_SHORT = (
    T.BooleanType, T.IntegralType, T.FloatType, T.DoubleType, T.DateType, T.TimestampType,
    T.TimestampNTZType,
)  # fmt: skip
_LONG_DIGITS = 18
_WORD = 63


def digest(values_by_place: Mapping[int, TypedValue]) -> tuple[Column, Column]:
    """Two bigints of a row's values in their common forms, by place in the row.

    Each value is hashed twice with seeds of its place, and all hashes are combined by exclusive or.
    Two rows' digests therefore differ by the digests of differing values alone, and equal values
    may be left out. A null has its seed as hash. The length of a text is part of its hash, so
    values cannot shift across boundaries; of nested values the JSON is hashed, too. The first hash
    of a value of at most 64 bits is unique, so it is what the second hash is made of. The digest is
    not collision-resistant against an attacker. Source: xxHash (https://xxhash.com), Spark's
    `xxhash64`.
    """
    first = _first_hashes(values_by_place)
    return _xor(first), _xor(_second_hashes(values_by_place, first))


def digest_with_bits(
    values_by_place: Mapping[int, TypedValue], places: int
) -> tuple[Column, Column, Column]:
    """A digest, and a bigint of at least 0 with a few bits of each value; see `places_in`."""
    first = _first_hashes(values_by_place)
    bits = [
        one.bitwiseAND(F.lit(_mask(place, places)))
        for place, one in zip(values_by_place, first, strict=True)
    ]
    return _xor(first), _xor(_second_hashes(values_by_place, first)), _xor(bits)


def places_in(different: int, places: int) -> tuple[int, ...]:
    """The places with a bit in `different`, the exclusive or of the bits of two rows.

    Values of such a place differ in some pair; values of other places may differ in few pairs.
    Above 63 places, several share a bit and are returned together. The sign is not used.
    """
    return tuple(place for place in range(places) if different & _mask(place, places))


def hashable(value: Column, kind: T.DataType) -> list[Column]:
    """The columns to hash for a value.

    Spark's hash ignores nulls and boundaries within nested values, and JSON cannot hold arbitrary
    bytes: both together are complete.
    """
    return [values.value_text(value, kind), value] if isinstance(kind, _NESTED) else [value]


def _first_hashes(values_by_place: Mapping[int, TypedValue]) -> list[Column]:
    """The first hash of each value."""
    return [_hash(2 * place, value) for place, value in values_by_place.items()]


def _second_hashes(values_by_place: Mapping[int, TypedValue], first: list[Column]) -> list[Column]:
    """The second hash of each value."""
    return [
        # The hash of null is the seed, and one value has the same hash.
        F.when(value[0].isNull(), F.lit(0).cast("bigint")).otherwise(F.xxhash64(one))
        if _hashed_without_loss(value[1])
        else _hash(2 * place + 1, value)
        for one, (place, value) in zip(first, values_by_place.items(), strict=True)
    ]


def _hash(seed: int, value: TypedValue) -> Column:
    return F.xxhash64(F.lit(seed), *hashable(*value))


def _hashed_without_loss(kind: T.DataType) -> bool:
    """Whether Spark hashes values of the type as one number of at most 64 bits.

    That is reversible, so that different values have different hashes.
    """
    return isinstance(kind, _SHORT) or (
        isinstance(kind, T.DecimalType) and kind.precision <= _LONG_DIGITS
    )


def _xor(hashes: list[Column]) -> Column:
    """The exclusive or of all."""
    return balanced(Column.bitwiseXOR, hashes, F.lit(0).cast("bigint"))


def _mask(place: int, places: int) -> int:
    """The bits of a place in a number of 64 bits, without the sign."""
    width = max(1, _WORD // places)
    return ((1 << width) - 1) << (place * width % _WORD)
