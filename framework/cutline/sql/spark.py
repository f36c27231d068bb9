"""Names, texts and conditions in Spark SQL.

Expressions per column are written as SQL text: a table has many columns, and each Column object
costs several calls into the JVM before any row is read.
"""

from __future__ import annotations


def quoted(name: str) -> str:
    """A column's name in backticks, with any character in it."""
    return "`" + name.replace("`", "``") + "`"


def in_small_letters(name: str) -> str:
    """A name of small letters, another one for each name: with `^` before each that was a capital.

    Spark takes two columns for one whose names differ in upper and lower case only.
    """
    return "".join(f"^{letter.lower()}" if letter.isupper() else letter for letter in name)


def literal(text: str) -> str:
    """A text as an SQL literal, with any character in it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def let(name: str, value: str, sql: str) -> str:
    """SQL in which `name` stands for a value, itself SQL, which is computed once."""
    return f"get(transform(array({value}), {name} -> {sql}), 0)"


def any_of(conditions: list[str]) -> str:
    """SQL for whether one of the conditions holds; false for an empty list."""
    return "(" + " OR ".join(conditions or ["false"]) + ")"
