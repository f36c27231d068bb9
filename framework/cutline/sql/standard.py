"""Names, texts and statements in standard SQL, as SQLite and PostgreSQL read it."""

from __future__ import annotations

import re

_END = re.compile(r";\s*(--[^\n]*\s*)*\Z")


def quoted(name: str) -> str:
    """A name, whatever characters it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text value."""
    return "'" + text.replace("'", "''") + "'"


def without_semicolon(sql: str) -> str:
    """The statement without its semicolon, so that it can stand in brackets."""
    return _END.sub("", sql)
