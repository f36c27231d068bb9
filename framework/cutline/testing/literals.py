"""Literal values of a test, as values of a column's Spark type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql import types as T

from cutline.context.decimals import fitted_decimal
from cutline.errors import ConfigurationError


def literal(value: Any, data_type: T.DataType, where: str) -> Any:
    """The value of a column of that type; null stays null.

    Times are ISO text (`2026-10-01T08:00Z`; without a zone it is UTC), dates ISO text, decimals
    text or whole numbers, for a float has no exact value. ConfigurationError, beginning with
    `where`, for anything that the column cannot hold as it stands.
    """
    if value is None:
        return None
    try:
        return _reader(data_type)(value)
    except (ValueError, TypeError, InvalidOperation) as error:
        raise ConfigurationError(
            f"{where}: {value!r} is no {data_type.simpleString()}",
            next_step=_hint(data_type),
        ) from error


def _reader(data_type: T.DataType) -> Callable[[Any], Any]:
    match data_type:
        case T.TimestampType():
            return moment
        case T.TimestampNTZType():
            return lambda value: moment(value).replace(tzinfo=None)
        case T.DateType():
            return _date
        case T.DecimalType():
            return lambda value: _decimal(value, data_type)
        case T.BooleanType():
            return _boolean
        case T.IntegralType():
            return _integer
        case T.FractionalType():
            return float
        case T.BinaryType():
            return lambda value: value.encode() if isinstance(value, str) else bytes(value)
        case T.ArrayType():
            return lambda value: [literal(one, data_type.elementType, "element") for one in value]
        case T.StructType():
            return lambda value: _struct(value, data_type)
        case _:
            return _text


def moment(value: Any) -> dt.datetime:
    """A moment from ISO text or a datetime; one without a zone is UTC."""
    parsed = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(value)
    return parsed.astimezone(dt.UTC) if parsed.tzinfo else parsed.replace(tzinfo=dt.UTC)


def _date(value: Any) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    return dt.date.fromisoformat(value)


def _decimal(value: Any, data_type: T.DecimalType) -> Decimal:
    if isinstance(value, float | bool):
        raise TypeError("a float has no exact value")
    return fitted_decimal(Decimal(value), data_type.precision, data_type.scale)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise TypeError("not a whole number")
    return int(value)


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise ValueError("neither true nor false")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _struct(value: Mapping[str, Any], data_type: T.StructType) -> dict[str, Any]:
    unknown = set(value) - set(data_type.names)
    if unknown:
        raise ValueError(f"it has no field {sorted(unknown)}")
    return {f.name: literal(value.get(f.name), f.dataType, f.name) for f in data_type.fields}


def _hint(data_type: T.DataType) -> str:
    if isinstance(data_type, T.TimestampType):
        return "Write a time as ISO text, such as 2026-10-01T08:00:00Z."
    if isinstance(data_type, T.DateType):
        return "Write a date as ISO text, such as 2026-10-01."
    if isinstance(data_type, T.DecimalType):
        return f'Write it as text with at most {data_type.scale} decimal places, such as "12.50".'
    return f"The contract declares the column as {data_type.simpleString()}."
