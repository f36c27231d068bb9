"""The checks of pandera.pyspark that can be compiled to a predicate on one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import types as T

_Types = tuple[type[T.DataType], ...]

_NUMBERS: _Types = (
    T.ByteType,
    T.ShortType,
    T.IntegerType,
    T.LongType,
    T.DecimalType,
    T.FloatType,
    T.DoubleType,
)
_ORDERED: _Types = (*_NUMBERS, T.DateType, T.TimestampType)
_LISTED: _Types = (*_ORDERED, T.StringType, T.BinaryType)
_EQUAL: _Types = (*_LISTED, T.BooleanType)
_TEXT: _Types = (T.StringType,)


@dataclass(frozen=True)
class CheckType:
    """A check of pandera.pyspark that can be compiled.

    `short_name` is its name in rules, `keyword` the argument of `column` that declares it, `types`
    the Spark types of the columns that pandera's own check accepts. `value_parameters` are the
    parameters whose values are compared with the column's, so they must be of its type.
    """

    short_name: str
    keyword: str
    types: _Types
    value_parameters: tuple[str, ...] = ()


CHECK_TYPES: Mapping[str, CheckType] = {
    "equal_to": CheckType("eq", "eq", _EQUAL, ("value",)),
    "not_equal_to": CheckType("ne", "ne", _EQUAL, ("value",)),
    "greater_than": CheckType("gt", "gt", _ORDERED, ("min_value",)),
    "greater_than_or_equal_to": CheckType("ge", "ge", _ORDERED, ("min_value",)),
    "less_than": CheckType("lt", "lt", _ORDERED, ("max_value",)),
    "less_than_or_equal_to": CheckType("le", "le", _ORDERED, ("max_value",)),
    "in_range": CheckType("in_range", "in_range", _ORDERED, ("min_value", "max_value")),
    "isin": CheckType("isin", "isin", _LISTED, ("allowed_values",)),
    "notin": CheckType("notin", "notin", _LISTED, ("forbidden_values",)),
    "str_matches": CheckType("matches", "str_matches", _TEXT),
    "str_contains": CheckType("contains", "str_contains", _TEXT),
    "str_startswith": CheckType("startswith", "str_startswith", _TEXT, ("string",)),
    "str_endswith": CheckType("endswith", "str_endswith", _TEXT, ("string",)),
    "str_length": CheckType("length", "str_length", _TEXT),
}
"""The check types by pandera's name of the check."""


def usable_keywords(data_type: T.DataType) -> tuple[str, ...]:
    """The keywords of `column` for columns of a type, `nullable` and `unique` first."""
    keywords = [
        check.keyword for check in CHECK_TYPES.values() if isinstance(data_type, check.types)
    ]
    return ("nullable", "unique", *keywords)


def first_incomparable(data_type: T.DataType) -> T.DataType | None:
    """The type, or the first type within it, whose values Spark cannot compare; null if none."""
    match data_type:
        case T.VariantType():
            return data_type
        case T.AtomicType():
            return None
        case T.ArrayType():
            return first_incomparable(data_type.elementType)
        case T.StructType():
            within = (first_incomparable(field.dataType) for field in data_type.fields)
            return next((kind for kind in within if kind is not None), None)
        case _:
            return data_type
