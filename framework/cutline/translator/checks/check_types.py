"""The checks of pandera.pyspark that are judged row by row, and what each may be asked of."""

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
class Kind:
    """One check: its name in rules, its keyword in `column`, and the types it may be asked of.

    The types are those that pandera's own check accepts. `values` names the parameters that are
    compared with the column's values, so they must be of its type.
    """

    short: str
    keyword: str
    types: _Types
    values: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "equal_to": Kind("eq", "eq", _EQUAL, ("value",)),
    "not_equal_to": Kind("ne", "ne", _EQUAL, ("value",)),
    "greater_than": Kind("gt", "gt", _ORDERED, ("min_value",)),
    "greater_than_or_equal_to": Kind("ge", "ge", _ORDERED, ("min_value",)),
    "less_than": Kind("lt", "lt", _ORDERED, ("max_value",)),
    "less_than_or_equal_to": Kind("le", "le", _ORDERED, ("max_value",)),
    "in_range": Kind("in_range", "in_range", _ORDERED, ("min_value", "max_value")),
    "isin": Kind("isin", "isin", _LISTED, ("allowed_values",)),
    "notin": Kind("notin", "notin", _LISTED, ("forbidden_values",)),
    "str_matches": Kind("matches", "str_matches", _TEXT),
    "str_contains": Kind("contains", "str_contains", _TEXT),
    "str_startswith": Kind("startswith", "str_startswith", _TEXT, ("string",)),
    "str_endswith": Kind("endswith", "str_endswith", _TEXT, ("string",)),
    "str_length": Kind("length", "str_length", _TEXT),
}
"""By pandera's name of the check."""


def usable(kind: T.DataType) -> tuple[str, ...]:
    """The keywords of `column` that may be asked of a type, `nullable` and `unique` among them."""
    asked = [known.keyword for known in KINDS.values() if isinstance(kind, known.types)]
    return ("nullable", "unique", *asked)
