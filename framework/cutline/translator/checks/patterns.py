"""Regular expressions that a check may use: Java's, without endless backtracking.

pandera.pyspark and Spark hand them to Java. Java's matcher calls itself once per turn of a
repeated group: a value of two thousand characters ends the whole process. A possessive repetition,
`(?:…)*+`, runs in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_TURNS = 100
"""The largest number of repetitions of a group that need not be possessive."""

_PYTHON_ONLY = re.compile(r"\(\?(?:P[<=>]|\()")
_COUNTED = re.compile(r"\{(\d*)(,?)(\d*)\}")


def pattern_fault(pattern: object, *, anchored: bool) -> str | None:
    """Why a pattern is refused; null if it is not. `anchored`: it matches from the start."""
    if not isinstance(pattern, str):
        return "write the pattern as a text, with flags such as (?i) in it"
    if _PYTHON_ONLY.search(pattern):
        return f"{pattern!r} uses what only Python's patterns know"
    tokens = list(_tokens(pattern))
    if anchored and any(t == "|" and depth == 0 for t, depth, _ in tokens):
        return (
            f"{pattern!r} has alternatives of which pandera anchors only the first; "
            "put them in a group, (?:…|…)"
        )
    if any(t == ")" and _runs_away(pattern, at + 1) for t, _, at in tokens):
        return (
            f"{pattern!r} repeats a group, which ends the process on a long value; write the "
            f"repetition possessive, such as (?:…)*+, or at most {MOST_TURNS} times"
        )
    return None


def from_start(pattern: str) -> str:
    """The pattern as pandera anchors it: with a leading `^`."""
    return pattern if pattern.startswith("^") else f"^{pattern}"


def _runs_away(pattern: str, at: int) -> bool:
    """Whether the group that ends before `at` is repeated often and not possessively."""
    sign = pattern[at : at + 1]
    end = at + 1
    if sign == "{" and (counted := _COUNTED.match(pattern, at)):
        least, comma, most = counted.groups()
        turns = most or ("" if comma else least)
        if turns and int(turns) <= MOST_TURNS:
            return False
        end = counted.end()
    elif sign not in ("*", "+"):
        return False
    return pattern[end : end + 1] != "+"


def _tokens(pattern: str) -> Iterator[tuple[str, int, int]]:
    """The operators `(`, `)` and `|` of a pattern: the character, its depth and its index.

    Escaped ones, and those in character classes, are ordinary characters.
    """
    depth, in_class, at = 0, False, 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
            # A bracket that comes first in a class is a member of it.
            at += len("^]") if pattern.startswith("^]", at + 1) else pattern[at + 1 : at + 2] == "]"
        elif sign in "()|":
            depth -= sign == ")"
            yield sign, depth, at
            depth += sign == "("
        at += 1
