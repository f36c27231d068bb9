"""SQL of a database taken apart: texts, quoted names and comments, and what is between them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

_REGION = re.compile(r"(?<![:\w]):region\b")


@dataclass(frozen=True)
class Dialect:
    """What a database takes for texts, names and words.

    `text` is the pattern of a text or a comment, in which blanks do not count; `quote` the
    character around a quoted name, doubled within it; `word` the pattern of a word. `literal`
    writes a text value.
    """

    text: str
    quote: str
    word: str
    literal: Callable[[str], str]

    def quoted(self, name: str) -> str:
        """A name, whatever characters it holds."""
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def with_region(self, sql: str, region: str) -> str:
        """The SQL with the parameter `:region` replaced by the region's name as a text.

        Texts, quoted names and comments stay as they are.
        """
        return "".join(
            part if is_quoted else _REGION.sub(lambda _: self.literal(region), part)
            for is_quoted, part in self._parts(sql, names=True)
        )

    def with_schema(self, sql: str, name: str, schema: str) -> str:
        """The SQL with `name.`, in front of a table or a column, replaced by `schema.` as given.

        The name may be quoted. Texts and comments stay as they are.
        """
        quote, plain = self.quote, re.escape(name)
        qualifier = re.compile(
            rf"(?<![\w.{quote}])(?:{quote}{plain}{quote}|{plain})\s*\.(?=\s*[{quote}\w])"
        )
        return "".join(
            part if is_quoted else qualifier.sub(lambda _: f"{schema}.", part)
            for is_quoted, part in self._parts(sql, names=False)
        )

    def words(self, sql: str) -> set[str]:
        """The words of the SQL in lower case, without those in texts, quoted names and comments."""
        parts = self._parts(sql, names=True)
        plain = " ".join(part for is_quoted, part in parts if not is_quoted)
        return {word.lower() for word in re.findall(self.word, plain)}

    def is_balanced(self, sql: str) -> bool:
        """Whether every bracket that the SQL closes is its own, and every one that it opens is
        closed.

        Brackets in texts, quoted names and comments are none.
        """
        depth = 0
        for is_quoted, part in self._parts(sql, names=True):
            for character in "" if is_quoted else part:
                depth += (character == "(") - (character == ")")
                if depth < 0:
                    return False
        return depth == 0

    @cached_property
    def _skipped(self) -> re.Pattern[str]:
        name = rf"{self.quote}(?:[^{self.quote}]|{self.quote}{self.quote})*{self.quote}"
        return re.compile(rf"(?P<text>{self.text})|(?P<name>{name})", re.VERBOSE | re.DOTALL)

    def _parts(self, sql: str, *, names: bool) -> list[tuple[bool, str]]:
        """The pieces of the SQL in order: texts and comments, with `names` also quoted names, and
        what is between them. The first of each pair says whether the piece is quoted.
        """
        parts, end = [], 0
        for match in self._skipped.finditer(sql):
            if names or match["text"] is not None:
                parts += [(False, sql[end : match.start()]), (True, match[0])]
                end = match.end()
        return [*parts, (False, sql[end:])]
