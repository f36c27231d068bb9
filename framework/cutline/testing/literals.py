"""Literal values: what a test writes, as the value a column holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql import types as T

from cutline.errors import ConfigurationError


def literal(given: Any, kind: T.DataType, where: str) -> Any:
    """The value of a column of that type; null stays null.

    Times are ISO text (`2026-10-01T08:00Z`; without a zone it is UTC), dates ISO text, decimals
    text or whole numbers, for a float has no exact value. ConfigurationError, beginning with
    `where`, for anything that the column cannot hold as it stands.
    """
    if given is None:
        return None
    try:
        return _reader(kind)(given)
    except (ValueError, TypeError, InvalidOperation) as error:
        raise ConfigurationError(
            f"{where}: {given!r} is no {kind.simpleString()}",
            next_step=_hint(kind),
        ) from error


def _reader(kind: T.DataType) -> Callable[[Any], Any]:
    match kind:
        case T.TimestampType():
            return moment
        case T.TimestampNTZType():
            return lambda given: moment(given).replace(tzinfo=None)
        case T.DateType():
            return _date
        case T.DecimalType():
            return lambda given: _decimal(given, kind)
        case T.BooleanType():
            return _boolean
        case T.IntegralType():
            return _whole
        case T.FractionalType():
            return float
        case T.BinaryType():
            return lambda given: given.encode() if isinstance(given, str) else bytes(given)
        case T.ArrayType():
            return lambda given: [literal(one, kind.elementType, "element") for one in given]
        case T.StructType():
            return lambda given: _struct(given, kind)
        case _:
            return _text


def moment(given: Any) -> dt.datetime:
    """A moment from ISO text or a datetime; one without a zone is UTC."""
    found = given if isinstance(given, dt.datetime) else dt.datetime.fromisoformat(given)
    return found.astimezone(dt.UTC) if found.tzinfo else found.replace(tzinfo=dt.UTC)


def _date(given: Any) -> dt.date:
    if isinstance(given, dt.date) and not isinstance(given, dt.datetime):
        return given
    return dt.date.fromisoformat(given)


def _decimal(given: Any, kind: T.DecimalType) -> Decimal:
    if isinstance(given, float | bool):
        raise TypeError("a float has no exact value")
    found = Decimal(given)
    fitted = found.quantize(Decimal(1).scaleb(-kind.scale))
    if fitted != found or len(fitted.as_tuple().digits) > kind.precision:
        raise ValueError("it does not fit")
    return fitted


def _whole(given: Any) -> int:
    if isinstance(given, bool) or (isinstance(given, float) and not given.is_integer()):
        raise TypeError("not a whole number")
    return int(given)


def _boolean(given: Any) -> bool:
    if isinstance(given, bool):
        return given
    if given in ("true", "false"):
        return bool(given == "true")
    raise ValueError("neither true nor false")


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError("not a text")
    return given


def _struct(given: Mapping[str, Any], kind: T.StructType) -> dict[str, Any]:
    unknown = set(given) - set(kind.names)
    if unknown:
        raise ValueError(f"it has no field {sorted(unknown)}")
    return {f.name: literal(given.get(f.name), f.dataType, f.name) for f in kind.fields}


def _hint(kind: T.DataType) -> str:
    if isinstance(kind, T.TimestampType):
        return "Write a time as ISO text, such as 2026-10-01T08:00:00Z."
    if isinstance(kind, T.DateType):
        return "Write a date as ISO text, such as 2026-10-01."
    if isinstance(kind, T.DecimalType):
        return f'Write it as text with at most {kind.scale} decimal places, such as "12.50".'
    return f"The contract declares the column as {kind.simpleString()}."
