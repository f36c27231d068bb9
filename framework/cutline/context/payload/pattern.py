"""Patterns that pydantic (Rust), Spark (Java) and JSON Schema (ECMAScript) read the same.

The engines differ in more than one would think: `\\d` knows all digits of the world in Rust and ten
in Java, `$` also matches before a last line break in Java, `a++` is another thing in each, `[a&&b]`
and `(?i)` as well. And Java backtracks: groups that repeat without end can take for ever on a long
text. So a pattern is read here by the one grammar that all of them share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ALLOWED = (
    "characters, classes such as [A-Z0-9_] and [^\\n], groups (…) and (?:…), alternatives |, "
    "^ and $, the quantifiers * + ? {n} {n,} {n,m} on a character or class, groups repeated at "
    "most 100 times that hold no * or +, and a backslash before punctuation or t, n, r, f. "
    "Instead of \\d write [0-9], of \\w [A-Za-z0-9_], of a dot [^\\n]"
)

_SPECIAL = set("\\.+*?()|[]{}^$")
_ESCAPED = _SPECIAL | set("/tnrf")
_ESCAPED_IN_CLASS = _ESCAPED | {"-"}
_LARGEST_GROUP_COUNT = 100
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})\??", re.ASCII)
_ENDLESS = 10**9


def pattern_fault(pattern: str) -> str | None:
    """The part of a pattern that the three engines read differently; null if there is none."""
    reader = _PatternReader(pattern)
    try:
        reader.alternatives()
        if reader.at < len(pattern):
            raise _NotPortable("a ) without its (")
    except _NotPortable as fault:
        return str(fault)
    return None


def java_pattern(pattern: str) -> str:
    """An allowed pattern for Spark, where `\\z` and not `$` is the end of the text."""
    parts: list[str] = []
    in_class = escaped = False
    for character in pattern:
        if character == "$" and not in_class and not escaped:
            parts.append(r"\z")
            continue
        parts.append(character)
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            in_class = character == "[" or (in_class and character != "]")
    return "".join(parts)


class _NotPortable(Exception):
    """A part of a pattern that the three engines read differently."""


@dataclass
class _PatternReader:
    """Reads a pattern from left to right; each method says whether what it read is endless."""

    text: str
    at: int = 0

    def alternatives(self) -> bool:
        endless = self._sequence()
        while self._next() == "|":
            self.at += 1
            endless = self._sequence() or endless
        return endless

    def _sequence(self) -> bool:
        endless = False
        while self._next() not in ("", "|", ")"):
            endless = self._repeated() or endless
        return endless

    def _repeated(self) -> bool:
        start = self._next()
        endless = self._atom(start)
        quantifier = _QUANTIFIER.match(self.text, self.at)
        if quantifier is None:
            return endless
        if start in ("^", "$"):
            raise _NotPortable(f"{start}{quantifier.group()}")
        self.at = quantifier.end()
        most = _largest_count(quantifier)
        if start == "(" and most > 1 and (most > _LARGEST_GROUP_COUNT or endless):
            raise _NotPortable(f"a group that repeats {quantifier.group()}")
        if _QUANTIFIER.match(self.text, self.at):
            raise _NotPortable(f"{quantifier.group()}{self.text[self.at]}")
        return endless or most == _ENDLESS

    def _atom(self, start: str) -> bool:
        self.at += 1
        if start == "(":
            return self._group()
        if start == "[":
            self._class()
        elif start == "\\":
            self._escaped(_ESCAPED)
        elif start in _SPECIAL - {"^", "$"} or not _plain(start):
            raise _NotPortable(repr(start).strip("'"))
        return False

    def _group(self) -> bool:
        if self._next() == "?":
            if not self.text.startswith("?:", self.at):
                raise _NotPortable(f"({self.text[self.at : self.at + 2]}")
            self.at += 2
        endless = self.alternatives()
        if self._next() != ")":
            raise _NotPortable("a ( without its )")
        self.at += 1
        return endless

    def _class(self) -> None:
        if self._next() == "^":
            self.at += 1
        first = self.at
        while self._next() != "]" or self.at == first:
            low = self._member()
            if self._next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._member()
                if "-" in (low, high) or high < low:
                    raise _NotPortable(f"the range {low}-{high}")
        self.at += 1

    def _member(self) -> str:
        character = self._next()
        ahead = self.text[self.at : self.at + 2]
        if character in ("", "[", "]") or ahead in ("&&", "--", "~~"):
            raise _NotPortable("[ without its ]" if not character else f"{ahead} in a class")
        self.at += 1
        if character == "\\":
            return self._escaped(_ESCAPED_IN_CLASS)
        if not _plain(character):
            raise _NotPortable(repr(character).strip("'"))
        return character

    def _escaped(self, allowed: set[str]) -> str:
        character = self._next()
        if character not in allowed or not character:
            raise _NotPortable(f"\\{character}")
        self.at += 1
        return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(character, character)

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]


def _largest_count(quantifier: re.Match[str]) -> int:
    """The largest number of repetitions that a quantifier allows."""
    least, comma, most = quantifier.groups()
    if least is None:
        return 1 if quantifier.group().startswith("?") else _ENDLESS
    if comma is None:
        return int(least)
    return int(most) if most else _ENDLESS


def _plain(character: str) -> bool:
    return character.isprintable() and not "\ud800" <= character <= "\udfff"
