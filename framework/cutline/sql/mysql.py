"""SQL of MariaDB and MySQL: names and texts, and statements taken apart.

Texts are read as under an empty `sql_mode`: a backslash begins an escape, and double quotes are
those of a text.
"""

from __future__ import annotations

import re

_TEXT = r"""
    '(?:[^'\\]|''|\\.)*'
  | "(?:[^"\\]|""|\\.)*"
  | --(?=\s)[^\n]*
  | \#[^\n]*
  | /\*.*?\*/
"""
_NAME = r"`(?:[^`]|``)*`"
_SKIPPED = re.compile(rf"(?P<text>{_TEXT})|(?P<name>{_NAME})", re.VERBOSE | re.DOTALL)
_REGION = re.compile(r"(?<![:\w]):region\b")
_WORD = re.compile(r"@?[^\W\d]\w*")


def quoted(name: str) -> str:
    """A name, whatever characters it holds."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text value."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def with_region(sql: str, region: str) -> str:
    """The SQL with the parameter `:region` replaced by the region's name as a text.

    Texts, quoted names and comments stay as they are.
    """
    return "".join(
        part if is_quoted else _REGION.sub(lambda _: literal(region), part)
        for is_quoted, part in _parts(sql, names=True)
    )


def with_schema(sql: str, name: str, schema: str) -> str:
    """The SQL with `name.`, in front of a table or a column, replaced by `schema.` as given.

    The name may be quoted. Texts and comments stay as they are.
    """
    spelling = rf"(?:`{re.escape(name)}`|{re.escape(name)})"
    qualifier = re.compile(rf"(?<![\w.`]){spelling}\s*\.(?=\s*[`\w])")
    return "".join(
        part if is_quoted else qualifier.sub(lambda _: f"{schema}.", part)
        for is_quoted, part in _parts(sql, names=False)
    )


def words(sql: str) -> set[str]:
    """The words of the SQL in lower case, without those in texts, quoted names and comments; the
    name of a variable begins with its `@`.
    """
    plain = " ".join(part for is_quoted, part in _parts(sql, names=True) if not is_quoted)
    return {word.lower() for word in _WORD.findall(plain)}


def is_balanced(sql: str) -> bool:
    """Whether every bracket that the SQL closes is its own, and every one that it opens is closed.

    Brackets in texts, quoted names and comments are none.
    """
    depth = 0
    for is_quoted, part in _parts(sql, names=True):
        for character in "" if is_quoted else part:
            depth += (character == "(") - (character == ")")
            if depth < 0:
                return False
    return depth == 0


def _parts(sql: str, *, names: bool) -> list[tuple[bool, str]]:
    """The pieces of the SQL in order: texts and comments, with `names` also quoted names, and what
    is between them. The first of each pair says whether the piece is quoted.
    """
    parts, end = [], 0
    for match in _SKIPPED.finditer(sql):
        if names or match["text"] is not None:
            parts += [(False, sql[end : match.start()]), (True, match[0])]
            end = match.end()
    return [*parts, (False, sql[end:])]
