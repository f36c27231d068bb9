"""A digest of a row's values: 128 bits that two different rows do not share."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import values

Typed = tuple[Column, T.DataType]
_NESTED = (T.ArrayType, T.StructType, T.MapType)
_WORD = 63


def digest(given: Mapping[int, Typed]) -> tuple[Column, Column]:
    """Two bigints over values in their common forms, by their places in the row.

    Each value is hashed twice, each time with a seed of its place, and the hashes are taken
    together by exclusive or. So two rows' digests differ by what those of their values do that are
    not the same; the others may be left out. A null leaves the seed as it is, which is the hash of
    no value; a text's length is part of its hash, so no boundary can shift; of a nested value its
    JSON is hashed as well. Not meant against somebody who looks for collisions.
    Source: xxHash (https://xxhash.com), as Spark's `xxhash64`.
    """
    return _together(_hashes(given, 0)), _together(_hashes(given, 1))


def digest_with_bits(given: Mapping[int, Typed], places: int) -> tuple[Column, Column, Column]:
    """A digest, and a bigint, never negative, with a few bits of each value's; see `places_in`."""
    first = _hashes(given, 0)
    few = [
        one.bitwiseAND(F.lit(_mask(place, places))) for place, one in zip(given, first, strict=True)
    ]
    return _together(first), _together(_hashes(given, 1)), _together(few)


def places_in(different: int, places: int) -> tuple[int, ...]:
    """The places that have a bit in `different`, which is what the bits of rows differ by.

    Values of such a place differ somewhere; those of another place may, if few of them do. Where
    there are more than 63 places, some share a bit, and are told together. The sign tells nothing.
    """
    return tuple(place for place in range(places) if different & _mask(place, places))


def hashable(value: Column, kind: T.DataType) -> list[Column]:
    """What is hashed of a value. Spark's hash passes over the nulls within a nested one and knows
    no boundaries there, and JSON has no bytes that are no text: together they tell all."""
    return [values.text(value, kind), value] if isinstance(kind, _NESTED) else [value]


def _hashes(given: Mapping[int, Typed], word: int) -> list[Column]:
    """Of each value the first or second half of its digest."""
    return [
        F.xxhash64(F.lit(2 * place + word), *hashable(*value)) for place, value in given.items()
    ]


def _together(hashes: list[Column]) -> Column:
    """All by exclusive or, as a tree that is not as deep as a table is wide."""
    if len(hashes) < 2:
        return hashes[0] if hashes else F.lit(0).cast("bigint")
    half = len(hashes) // 2
    return _together(hashes[:half]).bitwiseXOR(_together(hashes[half:]))


def _mask(place: int, places: int) -> int:
    """The bits of a place in a number of 64 bits, of which the sign is not used."""
    width = max(1, _WORD // places)
    return ((1 << width) - 1) << (place * width % _WORD)
