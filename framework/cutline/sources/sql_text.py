"""Names and texts as they stand in SQL.

Expressions per column are written as SQL text: a table has many columns, and each Column object
costs several calls into the JVM before any row is read.
"""

from __future__ import annotations


def quoted(name: str) -> str:
    """A column's name, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text, whatever is in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def any_of(conditions: list[str]) -> str:
    """Whether one of the conditions holds; false for none at all."""
    return "(" + " OR ".join(conditions or ["false"]) + ")"
