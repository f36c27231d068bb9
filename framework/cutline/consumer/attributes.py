"""The types of attributes: how a header's text, or a member of JSON, becomes a value."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from typing import Any

NAME = re.compile(r"[a-z0-9]+")
"""What an attribute may be called."""

_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.IGNORECASE | re.ASCII
)
_NUMBER = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)


def attribute_text(value: Any) -> str:
    """A text that is not empty and has no control characters, as CloudEvents asks."""
    if not isinstance(value, str):
        raise ValueError("is no text")
    if not value:
        raise ValueError("is empty")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        raise ValueError("has a control character")
    return value


def read_boolean(value: Any) -> bool:
    """`true` or `false`, as a text or as JSON's own; nothing else, such as `False`."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise ValueError("is neither true nor false")


def read_time(value: Any) -> dt.datetime:
    """An RFC 3339 time, in UTC; digits of a second behind the sixth are cut off."""
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError("is no RFC 3339 time")
    try:
        return dt.datetime.fromisoformat(value.upper()).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise ValueError("is no moment") from None


def read_epoch(value: Any) -> int:
    """The text of a whole number from 0 on. CloudEvents' integers have 32 bits, so it is a text."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise ValueError("is no whole number of at most 18 digits")
    return int(text)


def plain_text(value: Any) -> str:
    """An attribute that nobody here knows, as text: JSON's booleans and whole numbers as well."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return attribute_text(value)
