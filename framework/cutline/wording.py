"""Counts in sentences, and texts that are safe for a terminal."""

from __future__ import annotations

from typing import Any

from cutline.secrets import as_written


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "source row"), counted(12345, "source row")
    ('1 source row', '12,345 source rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def first_line(error: Exception) -> str:
    """The first line of what an error says; its type where it says nothing.

    Spark's errors of syntax begin with an empty line.
    """
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def printable_lines(text: str) -> str:
    """Text of one line or several without control characters; secrets as in the project's file."""
    return "\n".join(printable(line) for line in as_written(text).split("\n"))


def printable(value: Any) -> str:
    """A value as one line of text without control characters; secrets as in the project's file."""
    text = "null" if value is None else as_written(str(value))
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
