"""What a source says of a column, and how two columns are read that meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pyspark.sql import types as T

from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS, digits

Family = Literal["number", "text", "boolean", "nested", "bytes", "other"]
"""What a format tells apart. A text is no number and no boolean, whatever it spells; what a format
has no form for, such as times in JSON, is written as text."""

_FORMS: frozenset[Family] = frozenset({"number", "text", "boolean"})


@dataclass(frozen=True)
class SourceColumn:
    """One column as its source has it."""

    name: str
    told: str
    """Its type in the source's own words."""
    kind: T.DataType | None
    """The type that it is read in where the other side does not say; None where nothing is known,
    or no type holds its numbers, and it stays text."""
    firm: bool = False
    """Whether the source holds every value to that type: then it is the other side that gives."""
    families: frozenset[Family] = frozenset()
    """What its values are; empty where the format does not tell, as CSV, and for nulls alone."""
    without_booleans: bool = False
    """Whether its format has none, so that 0 and 1 may be them."""
    forms: frozenset[Family] = _FORMS
    """What its format has forms of its own for, which are therefore no texts in it: JSON for
    objects and arrays (nested), SQLite for bytes."""


@dataclass(frozen=True)
class Reading:
    """How the values of a column are read."""

    kind: T.DataType
    form: Literal["value", "number", "marked", "json"] = "value"
    """`number`: the one text of a number that no type has room for. `marked`: a text in quotes, and
    a number in its one text, because one of the sides has both. `json`: objects and arrays, each
    number within them in its one text."""


Readings = dict[str, Reading]
_NUMBER, _MARKED, _JSON = (
    Reading(T.StringType(), "number"), Reading(T.StringType(), "marked"),
    Reading(T.StringType(), "json"),
)  # fmt: skip


def meet(
    left: Mapping[str, SourceColumn], right: Mapping[str, SourceColumn], pairs: Mapping[str, str]
) -> tuple[Readings, Readings]:
    """How each column of each side is to be read.

    `pairs` says which column of the right each of the left is compared with.
    """
    back = {r: name for name, r in pairs.items()}
    return (
        {n: _meet(c, right.get(pairs.get(n, ""))) for n, c in left.items()},
        {n: _meet(c, left.get(back.get(n, ""))) for n, c in right.items()},
    )


def _meet(mine: SourceColumn, theirs: SourceColumn | None) -> Reading:
    own = Reading(mine.kind or T.StringType())
    if theirs is None:
        return own
    if _unlike(mine, theirs):
        # Whole columns that are unlike keep their types, in which nothing can compare them.
        mixed = len(mine.families) > 1 or len(theirs.families) > 1
        # Objects and arrays have no type but text.
        mixed = mixed or "nested" in mine.families | theirs.families
        return _MARKED if mixed else own
    if mine.firm:
        return own
    if theirs.firm and theirs.kind is not None:
        return Reading(theirs.kind)
    if _too_wide(mine, theirs):
        return _NUMBER
    if mine.kind is None and theirs.kind is None and mine.families == theirs.families == {"nested"}:
        return _JSON
    if mine.kind is None or theirs.kind is None:
        return Reading(theirs.kind or mine.kind or T.StringType())
    return Reading(common(mine.kind, theirs.kind))


def _unlike(one: SourceColumn, other: SourceColumn) -> bool:
    """Whether a value of one may be what no value of the other is: a text beside a number."""
    apart = one.forms & other.forms
    mine, theirs = one.families & apart, other.families & apart
    if not mine or not theirs:
        return False
    both = mine | theirs
    if both == {"number", "boolean"}:
        return not (one.without_booleans or other.without_booleans)
    return len(both) > 1


def _too_wide(one: SourceColumn, other: SourceColumn) -> bool:
    """Whether numbers meet that only their texts hold together."""
    kinds = one.kind, other.kind
    if one.families | other.families != {"number"} or T.DoubleType() in kinds:
        return False
    if any(c.kind is None and c.families for c in (one, other)):
        return True
    known = [digits(kind) for kind in kinds if kind is not None]
    if len(known) < 2 or known[0] is None or known[1] is None:
        return False
    wide = known[0].with_(known[1])
    return wide.whole + wide.scale > MAX_DIGITS


def common(one: T.DataType, other: T.DataType) -> T.DataType:
    """The type for two that nobody insists on: numbers meet as numbers, text gives way."""
    if one == other:
        return one
    numbers = digits(one), digits(other)
    if numbers[0] and numbers[1]:
        wide = numbers[0].with_(numbers[1])
        return T.DecimalType(wide.whole + wide.scale, wide.scale)
    kinds = {type(one): one, type(other): other}
    if T.DoubleType in kinds and T.DecimalType in kinds:
        return kinds[T.DecimalType]
    for gives, takes in ((T.LongType, T.DoubleType), (T.LongType, T.BooleanType)):
        if gives in kinds and takes in kinds:
            return kinds[takes]
    if T.StringType in kinds:
        return other if isinstance(one, T.StringType) else one
    return T.StringType()


def family(kind: T.DataType) -> frozenset[Family]:
    """What values of a type are."""
    if isinstance(kind, T.NumericType):
        return frozenset({"number"})
    if isinstance(kind, T.BooleanType):
        return frozenset({"boolean"})
    return frozenset({"text"}) if isinstance(kind, T.StringType) else frozenset({"other"})
