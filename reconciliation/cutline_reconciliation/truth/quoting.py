"""Names and texts in SQLite's SQL."""

from __future__ import annotations


def name(text: str) -> str:
    """A name, whatever characters it holds."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text value."""
    return "'" + text.replace("'", "''") + "'"
