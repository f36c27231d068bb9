"""A digest of a row's values: 128 bits that two different rows do not share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import values

Typed = tuple[Column, T.DataType]
_NESTED = (T.ArrayType, T.StructType, T.MapType)
_WORD = 64


def digest(given: Mapping[int, Typed]) -> tuple[Column, Column]:
    """Two bigints over values in their common forms, by their places in the row.

    Each value is hashed twice, each time with a seed of its place, and the hashes are taken
    together by exclusive or. So two rows' digests differ by what those of their values do that are
    not the same; the others may be left out. A null leaves the seed as it is, which is the hash of
    no value; a text's length is part of its hash, so no boundary can shift; a nested value is
    hashed as its JSON. Not meant against somebody who looks for collisions.
    Source: xxHash (https://xxhash.com), as Spark's `xxhash64`.
    """
    one = [_hash(2 * place, *value) for place, value in given.items()]
    other = [_hash(2 * place + 1, *value) for place, value in given.items()]
    return _together(one), _together(other)


def parts(given: Mapping[int, Typed]) -> Column:
    """A bigint with a few bits of the hash of each of a row's values; see `parted`."""
    return _together(
        [
            _hash(2 * place, *value).bitwiseAND(F.lit(_mask(place, len(given))).cast("bigint"))
            for place, value in given.items()
        ]
    )


def parted(different: int, places: int) -> tuple[int, ...]:
    """The places of which `different`, made of what rows' `parts` differ by, has a bit.

    Values of such a place differ somewhere; those of another place may, if few of them do. Where
    there are more than 64 places, some share a bit, and are told together.
    """
    return tuple(place for place in range(places) if different & _mask(place, places))


def _hash(seed: int, value: Column, kind: T.DataType) -> Column:
    return F.xxhash64(F.lit(seed), values.text(value, kind) if isinstance(kind, _NESTED) else value)


def _together(hashes: list[Column]) -> Column:
    return reduce(Column.bitwiseXOR, hashes, F.lit(0).cast("bigint"))


def _mask(place: int, places: int) -> int:
    """The bits of a place, as a signed number of 64 bits."""
    width = max(1, _WORD // places)
    mask = ((1 << width) - 1) << (place * width % _WORD)
    return mask - (1 << _WORD) if mask >> (_WORD - 1) else mask
