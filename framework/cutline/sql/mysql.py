"""SQL of MariaDB and MySQL: names and texts, and statements taken apart.

Texts are read as under an empty `sql_mode`: a backslash begins an escape, and double quotes are
those of a text.
"""

from __future__ import annotations

from cutline.sql.dialect import Dialect

_TEXT = r"""
    '(?:[^'\\]|''|\\.)*'
  | "(?:[^"\\]|""|\\.)*"
  | --(?=\s)[^\n]*
  | \#[^\n]*
  | /\*.*?\*/
"""


def literal(text: str) -> str:
    """A text value."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


DIALECT = Dialect(text=_TEXT, quote="`", word=r"@?[^\W\d]\w*", literal=literal)
"""The name of a variable is a word that begins with its `@`."""

quoted = DIALECT.quoted
