"""Values of rows on their way into a database, and sums by which rows are compared."""

from __future__ import annotations

import datetime as dt
import json
import math
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from sqlalchemy import types as sql_types

_BITS = 64


class AsGiven(sql_types.UserDefinedType[Any]):
    """A column of SQLite that keeps numbers as they come, whole ones to the last digit, and texts,
    as one does that it has no name for."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """How it is declared: what is NUMERIC to SQLite may be anything."""
        return "NUMERIC"


class NoValue(ValueError):
    """A value that a column cannot have; the text says why."""


def plain_type(kind: sql_types.TypeEngine[Any]) -> sql_types.TypeEngine[Any]:
    """The type by which SQLite keeps and gives values as they are, whatever a column is called."""
    if isinstance(kind, sql_types.Integer | sql_types.Boolean):
        return sql_types.Integer()
    if isinstance(kind, sql_types.Float):
        return sql_types.Float()
    if isinstance(kind, sql_types.Numeric | sql_types.NullType):
        return AsGiven()
    if isinstance(kind, sql_types.LargeBinary):
        return sql_types.LargeBinary()
    return sql_types.Text()


def bound_type(kind: sql_types.TypeEngine[Any]) -> sql_types.TypeEngine[Any]:
    """The type by which values are written as they are: null in a column of JSON is the
    database's."""
    return type(kind)(none_as_null=True) if isinstance(kind, sql_types.JSON) else kind


def value_for(value: Any, kind: sql_types.TypeEngine[Any]) -> Any:
    """A value of a query of Spark as a column of that type takes it. NoValue where it cannot."""
    if value is None:
        return None
    if isinstance(kind, AsGiven):
        return _as_given(value)
    if isinstance(kind, sql_types.JSON):
        return _document(value)
    wanted = _python_type(kind)
    if wanted is None:
        return value
    if wanted is Decimal or wanted is float or wanted is int:
        return _number(value, wanted)
    if wanted is str:
        written = _text(value)
        if isinstance(kind, sql_types.CHAR) and kind.length:
            # PostgreSQL gives what is of a fixed length filled up.
            return written.ljust(kind.length)
        return written
    if wanted is dt.datetime:
        return _moment(value, zoned=bool(getattr(kind, "timezone", False)))
    if wanted is dt.date and isinstance(value, dt.datetime):
        if value.time() != dt.time():
            raise NoValue(f"{value.isoformat()} is no date")
        return value.date()
    if wanted is uuid.UUID and isinstance(value, str):
        try:
            return uuid.UUID(value)
        except ValueError:
            raise NoValue(f"{value!r} is no UUID") from None
    if not isinstance(value, wanted):
        raise NoValue(f"{value!r} is no {wanted.__name__}")
    return value


def _python_type(kind: sql_types.TypeEngine[Any]) -> type | None:
    try:
        return kind.python_type
    except NotImplementedError:
        return None


def _number(value: Any, wanted: type) -> Any:
    if not isinstance(value, int | float | Decimal):
        raise NoValue(f"{value!r} is no number")
    if wanted is not int:
        return wanted(str(value)) if wanted is Decimal else float(value)
    if (isinstance(value, float) and not math.isfinite(value)) or int(value) != value:
        raise NoValue(f"{value} is no whole number")
    return _whole(int(value))


def _document(value: Any) -> Any:
    """A value for a column of JSON; of a text what it says."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise NoValue(f"{value!r} is no JSON: {error}") from None


def _as_given(value: Any) -> Any:
    if not isinstance(value, int | float | Decimal):
        return value if isinstance(value, bytes) else _text(value)
    if not math.isfinite(value) or value != int(value):
        return float(value)
    return _whole(int(value))


def _whole(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise NoValue(f"{value} is too large")
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dt.datetime):
        return _moment(value, zoned=False).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bool | bytes):
        raise NoValue(f"{value!r} is no text")
    return str(value)


def _moment(value: Any, *, zoned: bool) -> dt.datetime:
    if not isinstance(value, dt.datetime):
        raise NoValue(f"{value!r} is no time")
    return in_utc(value) if zoned else in_utc(value).replace(tzinfo=None)


def in_utc(moment: dt.datetime) -> dt.datetime:
    """The moment in UTC; one without a zone is."""
    return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def canonical(value: Any) -> str:
    """A text that equal values share, and others do not."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return f"n{int(value)}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"n{value}"
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value)).normalize()
        return f"n{number + 0:f}"
    if isinstance(value, dt.datetime):
        return f"t{_moment(value, zoned=True).isoformat()}"
    if isinstance(value, dict):
        parts = sorted((name, canonical(part)) for name, part in value.items())
        return f"d{json.dumps(parts)}"
    if isinstance(value, list):
        return f"l{json.dumps([canonical(part) for part in value])}"
    if isinstance(value, memoryview | bytes | bytearray):
        return f"b{bytes(value).hex()}"
    return f"s{value}"


@dataclass
class RowSum:
    """How many rows there are, and sums over them in any order: over the values of each column, and
    over whole rows, in which values that were exchanged between two rows do not match."""

    rows: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    whole: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        texts = {name: canonical(value) for name, value in row.items()}
        self.rows += 1
        for name, text in texts.items():
            self.columns[name] = (self.columns.get(name, 0) + _hash(text)) % 2**_BITS
        line = "".join(f"{len(text)}:{text}" for _, text in sorted(texts.items()))
        self.whole = (self.whole + _hash(line)) % 2**_BITS

    def checksums(self) -> dict[str, str]:
        """By column the sum over its values, in hexadecimal digits."""
        return {name: f"{number:016x}" for name, number in sorted(self.columns.items())}

    def differing(self, total: RowSum) -> list[str]:
        """The columns whose values are others."""
        names = sorted({*self.columns, *total.columns})
        return [name for name in names if self.columns.get(name) != total.columns.get(name)]


def sum_of(rows: Iterable[Mapping[str, Any]]) -> RowSum:
    """The sums over rows."""
    total = RowSum()
    for row in rows:
        total.add(row)
    return total


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=_BITS // 8).digest(), "big")
