"""What a source says of a column, and the type in which two columns meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import types as T

from cutline_reconciliation.compare.numbers import MAX_DIGITS, digits


@dataclass(frozen=True)
class SourceColumn:
    """One column as its source has it."""

    name: str
    told: str
    """Its type in the source's own words."""
    kind: T.DataType | None
    """The type that it is read in where the other side does not say; None where nothing is known,
    and it stays text."""
    firm: bool = False
    """Whether the source holds every value to that type: then it is the other side that gives."""


def meet(
    left: Mapping[str, SourceColumn], right: Mapping[str, SourceColumn], pairs: Mapping[str, str]
) -> tuple[dict[str, T.DataType], dict[str, T.DataType]]:
    """The type in which each column of each side is to be read.

    `pairs` says which column of the right each of the left is compared with.
    """
    back = {r: name for name, r in pairs.items()}
    return (
        {n: _meet(c, right.get(pairs.get(n, ""))) for n, c in left.items()},
        {n: _meet(c, left.get(back.get(n, ""))) for n, c in right.items()},
    )


def _meet(mine: SourceColumn, theirs: SourceColumn | None) -> T.DataType:
    own = mine.kind or T.StringType()
    if mine.firm or theirs is None:
        return own
    if theirs.firm and theirs.kind is not None:
        return theirs.kind
    if mine.kind is None or theirs.kind is None:
        return theirs.kind or own
    return common(mine.kind, theirs.kind)


def common(one: T.DataType, other: T.DataType) -> T.DataType:
    """The type for two that nobody insists on: numbers meet as numbers, text gives way."""
    if one == other:
        return one
    numbers = digits(one), digits(other)
    if numbers[0] and numbers[1]:
        wide = numbers[0].with_(numbers[1])
        if wide.whole + wide.scale <= MAX_DIGITS:
            return T.DecimalType(wide.whole + wide.scale, wide.scale)
        return T.StringType()
    kinds = {type(one): one, type(other): other}
    if T.DoubleType in kinds and T.DecimalType in kinds:
        return kinds[T.DecimalType]
    for gives, takes in ((T.LongType, T.DoubleType), (T.LongType, T.BooleanType)):
        if gives in kinds and takes in kinds:
            return kinds[takes]
    if T.StringType in kinds:
        return other if isinstance(one, T.StringType) else one
    return T.StringType()
