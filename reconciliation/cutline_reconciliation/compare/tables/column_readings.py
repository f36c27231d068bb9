"""The declared columns of sources, and the reading of two columns that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pyspark.sql import types as T

from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS, digits
from cutline_reconciliation.compare.tables.value_digits import ValueDigits

ValueKind = Literal["number", "text", "boolean", "nested", "bytes", "other"]
"""Kinds of values that a format distinguishes.

A text is no number and no boolean, whatever it spells. Values without a notation in the format,
such as times in JSON, are texts.
"""

_FORMS: frozenset[ValueKind] = frozenset({"number", "text", "boolean", "bytes"})


@dataclass(frozen=True)
class SourceColumn:
    """One column as its source declares it."""

    name: str
    type_text: str
    """The type as the source writes it."""
    kind: T.DataType | None
    """The type in which it is read unless the other side decides.

    None where nothing is declared, or where no type holds its numbers, so that it stays text.
    """
    firm: bool = False
    """Whether the source enforces the type; then the other side is adapted."""
    families: frozenset[ValueKind] = frozenset()
    """The kinds of its values.

    Empty for formats without kinds, such as CSV, and for columns of nulls.
    """
    without_booleans: bool = False
    """Whether the format has no booleans, so that 0 and 1 may stand for them."""
    forms: frozenset[ValueKind] = _FORMS
    """Kinds with a notation of their own, which are never texts here: objects and arrays (nested)
    in JSON, bytes in SQLite. A typed table has no objects in a column of texts.
    """
    value_digits: ValueDigits | None = None
    """The digits of doubles that are not firm, as their texts have them."""


@dataclass(frozen=True)
class ColumnReading:
    """The reading of a column's values."""

    kind: T.DataType
    form: Literal["value", "number", "marked", "json"] = "value"
    """`value`: the value in a type. `number`: the canonical text of a number for which no type has
    room. `marked`: the value, and beside it a marked text, because a side has texts and numbers.
    `json`: objects and arrays with canonical numbers.
    """


ColumnReadings = dict[str, ColumnReading]
_NUMBER, _MARKED, _JSON = (
    ColumnReading(T.StringType(), "number"), ColumnReading(T.StringType(), "marked"),
    ColumnReading(T.StringType(), "json"),
)  # fmt: skip


def aligned_readings(
    left: Mapping[str, SourceColumn], right: Mapping[str, SourceColumn], pairs: Mapping[str, str]
) -> tuple[ColumnReadings, ColumnReadings]:
    """The reading of each column, for each side.

    `pairs` are the right side's columns by those of the left.
    """
    back = {r: name for name, r in pairs.items()}
    return (
        {n: _reading(c, right.get(pairs.get(n, ""))) for n, c in left.items()},
        {n: _reading(c, left.get(back.get(n, ""))) for n, c in right.items()},
    )


def _reading(column: SourceColumn, opposite: SourceColumn | None) -> ColumnReading:
    own_reading = ColumnReading(column.kind or T.StringType())
    if opposite is None:
        return own_reading
    if _unlike(column, opposite):
        # Columns of unlike kinds keep their types, which the comparison then refuses.
        return _MARKED if _is_mixed(column) or _is_mixed(opposite) else own_reading
    if column.firm:
        return own_reading
    if opposite.firm and opposite.kind is not None:
        return ColumnReading(opposite.kind)
    column, opposite = _beside_decimals(column, opposite), _beside_decimals(opposite, column)
    if _too_wide(column, opposite):
        return _NUMBER
    if (
        column.kind is None
        and opposite.kind is None
        and column.families == opposite.families == {"nested"}
    ):
        return _JSON
    if column.kind is None or opposite.kind is None:
        return ColumnReading(opposite.kind or column.kind or T.StringType())
    return ColumnReading(common_type(column.kind, opposite.kind))


def _beside_decimals(column: SourceColumn, opposite: SourceColumn) -> SourceColumn:
    """The column, of doubles that meet decimals in the exact type that holds their texts."""
    if column.value_digits is None or not isinstance(opposite.kind, T.DecimalType):
        return column
    return replace(column, kind=column.value_digits.kind())


def _unlike(left: SourceColumn, right: SourceColumn) -> bool:
    """Whether a side may have values of a kind that the other side never has."""
    if any(c.families <= {"other"} for c in (left, right)):
        return False
    distinct = left.forms & right.forms
    # Bytes are texts in JSON, and objects in SQLite.
    kinds = {k if k in distinct else "text" for k in left.families | right.families}
    if kinds == {"number", "boolean"}:
        return not (left.without_booleans or right.without_booleans)
    return len(kinds) > 1


def _is_mixed(column: SourceColumn) -> bool:
    """Whether its values have no type in common but text, and are not all texts: objects of JSON,
    and numbers for which no type has room."""
    return len(column.families) > 1 or (column.kind is None and not column.families <= {"text"})


def _too_wide(left: SourceColumn, right: SourceColumn) -> bool:
    """Whether no number type holds the numbers of both sides."""
    kinds = left.kind, right.kind
    if left.families | right.families != {"number"} or T.DoubleType() in kinds:
        return False
    if any(c.kind is None and c.families for c in (left, right)):
        return True
    widths = [digits(kind) for kind in kinds if kind is not None]
    if len(widths) < 2 or widths[0] is None or widths[1] is None:
        return False
    wide = widths[0].widened_by(widths[1])
    return wide.whole + wide.scale > MAX_DIGITS


def common_type(left: T.DataType, right: T.DataType) -> T.DataType:
    """The common type of two types that are not firm: of numbers a number, else the type that is no
    text.
    """
    if left == right:
        return left
    numbers = digits(left), digits(right)
    if numbers[0] and numbers[1]:
        wide = numbers[0].widened_by(numbers[1])
        return T.DecimalType(wide.whole + wide.scale, wide.scale)
    kinds = {type(left): left, type(right): right}
    if T.DoubleType in kinds and T.DecimalType in kinds:
        return kinds[T.DecimalType]
    for gives, takes in ((T.LongType, T.DoubleType), (T.LongType, T.BooleanType)):
        if gives in kinds and takes in kinds:
            return kinds[takes]
    if T.StringType in kinds:
        return right if isinstance(left, T.StringType) else left
    return T.StringType()


def value_kinds(kind: T.DataType) -> frozenset[ValueKind]:
    """The kinds of the values of a Spark type."""
    if isinstance(kind, T.NumericType):
        return frozenset({"number"})
    if isinstance(kind, T.BooleanType):
        return frozenset({"boolean"})
    if isinstance(kind, T.BinaryType):
        return frozenset({"bytes"})
    if isinstance(kind, (T.ArrayType, T.MapType, T.StructType)):
        return frozenset({"nested"})
    return frozenset({"text"}) if isinstance(kind, T.StringType) else frozenset({"other"})


def json_column(
    name: str, type_text: str, kinds: frozenset[ValueKind], kind: T.DataType | None = None
) -> SourceColumn:
    """A column of JSON values of these kinds; `kind` is the type that holds all of them."""
    forms: frozenset[ValueKind] = frozenset({"number", "text", "boolean", "nested"})
    return SourceColumn(name, type_text, kind, families=kinds, forms=forms)


def typed_column(name: str, type_text: str, kind: T.DataType) -> SourceColumn:
    """A column whose source enforces its type."""
    kinds = value_kinds(kind)
    forms = _FORMS | (kinds & {"nested"})
    return SourceColumn(name, type_text, kind, firm=True, families=kinds, forms=forms)
