"""Names, texts and conditions in Spark SQL.

Expressions per column are written as SQL text: a table has many columns, and each Column object
costs several calls into the JVM before any row is read.
"""

from __future__ import annotations


def quoted(name: str) -> str:
    """A column's name in backticks, with any character in it."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text as an SQL literal, with any character in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def let(name: str, value: str, sql: str) -> str:
    """SQL in which `name` stands for a value, itself SQL, which is computed once."""
    return f"get(transform(array({value}), {name} -> {sql}), 0)"


def any_of(conditions: list[str]) -> str:
    """SQL for whether one of the conditions holds; false for an empty list."""
    return "(" + " OR ".join(conditions or ["false"]) + ")"
