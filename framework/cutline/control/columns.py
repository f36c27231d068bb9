"""Column types that read back the same from SQLite and PostgreSQL."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from sqlalchemy import JSON, DateTime, Dialect
from sqlalchemy.types import TypeDecorator

T = TypeVar("T")


@dataclass(frozen=True)
class UnreadableValue:
    """What a column holds that is no value of its type, and why. No error where it is fetched, as
    that would not say which row it is of."""

    holds: Any
    why: str


class _Read(TypeDecorator[T]):
    """A type whose values are `UnreadableValue` where the database holds something else."""

    __abstract__ = True

    unreadable: ClassVar[str]
    """Why a value is none of the type."""

    def result_processor(self, dialect: Dialect, coltype: Any) -> Callable[[Any], Any] | None:
        process = super().result_processor(dialect, coltype)
        if process is None:
            return None

        def read(value: Any) -> Any:
            if isinstance(value, UnreadableValue):
                # The driver could not read it.
                return value
            try:
                return process(value)
            except (ValueError, TypeError, AttributeError, RecursionError):
                return UnreadableValue(value, self.unreadable)

        return read


class UtcTime(_Read[dt.datetime]):
    """A moment: stored in UTC, read back in UTC with its zone. A time without zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True
    unreadable = "which is no time"

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        utc = value.astimezone(dt.UTC)
        # SQLite has no zones: it keeps the text of what it is given.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, _: Dialect) -> Any:
        if value is None or isinstance(value, UnreadableValue):
            return value
        moment: dt.datetime = value
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


class Document(_Read[Any]):
    """A JSON value; None is NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True
    unreadable = "which is no JSON"


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
