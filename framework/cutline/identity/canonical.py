"""Canonical JSON: one text per value, on every machine.

Keys are sorted and strings escaped as in RFC 8785. Unlike there, an integer is written with all its
digits. Values without a JSON type are texts: decimals without exponent at their own scale,
timestamps in UTC with microseconds, dates as YYYY-MM-DD.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any


def canonical_json(value: Any) -> str:
    """The canonical JSON text of None, bool, int, str, Decimal, datetime, date, sequence, mapping.

    TypeError for anything else: a float, which has no exact text, or a datetime without a zone.
    ValueError for a decimal that is no number and for a lone surrogate.

    >>> canonical_json({"b": 1, "a": [None, True, "x"]})
    '{"a":[null,true,"x"],"b":1}'
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Mapping):
        inner = (f"{quoted(k)}:{canonical_json(value[k])}" for k in sorted(value, key=key_order))
        return "{" + ",".join(inner) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    return quoted(_text(value))


def quoted(text: str) -> str:
    """A JSON string: only the quote, the backslash and control characters are escaped."""
    text.encode()  # a lone surrogate has no UTF-8, so no key could be made of it
    return json.dumps(text, ensure_ascii=False)


def key_order(name: str) -> bytes:
    """The sort key of an object's keys: their UTF-16 code units."""
    return name.encode("utf-16-be")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no number and has no canonical text")
        # Java's decimals, which Spark writes, know no negative zero.
        return format(value if value else value.copy_abs(), "f")
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            raise TypeError(f"{value!r} has no zone, so it is no moment")
        utc = value.astimezone(dt.UTC).replace(tzinfo=None)
        return utc.isoformat(timespec="microseconds") + "Z"
    if isinstance(value, dt.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no canonical JSON text: {value!r}")
