"""Positions as SQL: the same text that `cutline.positions` renders, from the numbers of a row."""

from __future__ import annotations

from cutline.positions import FIRST_DIGITS, ORDINAL_DIGITS, SECOND_DIGITS, LogKind, log_of

_WIDTHS = (FIRST_DIGITS, SECOND_DIGITS, ORDINAL_DIGITS)
ZERO = "'0'"

CORE_WIDTH = FIRST_DIGITS + 1 + SECOND_DIGITS
"""The width of a position without its last number, which breaks ties."""


def position(first: str, second: str, third: str, base: int = 10) -> str:
    """SQL for a position from three numbers, texts in SQL; null where one of them is no number."""
    numbers = zip((first, second, third), _WIDTHS, (base, base, 10), strict=True)
    parts = (zero_padded(number, width, own) for number, width, own in numbers)
    return "concat(" + ", '.', ".join(parts) + ")"


def commit_part(log: LogKind, position: str) -> str:
    """SQL for the part of a position that all rows of its commit share."""
    width = FIRST_DIGITS if log_of(log).commit_parts == 1 else CORE_WIDTH
    return f"left({position}, {width})"


def zero_padded(number: str, width: int, base: int = 10) -> str:
    """SQL for a number's text at a fixed width; null for text that is no number or too long."""
    digits = "0-9" if base == 10 else "0-9a-f"
    bare = f"ltrim('0', lower({number}))"
    fits = f"{number} IS NOT NULL AND {bare} RLIKE '^[{digits}]{{0,{width}}}$'"
    return f"CASE WHEN {fits} AND {number} <> '' THEN lpad({bare}, {width}, '0') END"


TOPIC_POSITION = position(
    "CAST(partition AS string)", "CAST(offset AS string)", "CAST(item AS string)"
)
"""SQL for the position of a row in its topic, for sources without positions of their own."""
