"""Column types that read back the same from SQLite and PostgreSQL."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from sqlalchemy import DateTime, Dialect
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[dt.datetime]):
    """A moment: stored in UTC, read back in UTC with its zone. A time without zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        utc = value.astimezone(dt.UTC)
        # SQLite has no zones: it keeps the text of what it is given.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, _: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        moment: dt.datetime = value
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


def dumps(value: Any) -> str:
    """JSON text, keys sorted. NaN and infinity are refused: they are not JSON."""
    return json.dumps(value, sort_keys=True, allow_nan=False)


def as_json(value: Any) -> Any:
    """The value as it will be read back. TypeError or ValueError if it is no JSON."""
    return json.loads(dumps(value))


def plain(text: str) -> str:
    """The text without what a database cannot keep: NUL and lone surrogates become U+FFFD."""
    encodable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return encodable.replace("\x00", "\ufffd")
