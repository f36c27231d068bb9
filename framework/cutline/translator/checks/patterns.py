"""Patterns that mean what they seem to, and that no value can make run for ever.

They are Java's, in pandera.pyspark as in Spark. Java's matcher calls itself once per turn of a
repeated group: a value of two thousand characters ends the whole process. A possessive repetition,
`(?:…)*+`, runs in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_TURNS = 100
"""How often a group may be repeated without being possessive."""

_PYTHON_ONLY = re.compile(r"\(\?(?:P[<=>]|\()")
_COUNTED = re.compile(r"\{(\d*)(,?)(\d*)\}")


def refused(pattern: object, *, anchored: bool) -> str | None:
    """Why a pattern is not taken; null where it is. `anchored` ones match from the start."""
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
    """The pattern as pandera anchors it: with `^` before it, unless it is there."""
    return pattern if pattern.startswith("^") else f"^{pattern}"


def _runs_away(pattern: str, at: int) -> bool:
    """Whether what stands behind a group repeats it often, and not possessively."""
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
    """The characters `(`, `)` and `|` that are operators, with depth and place.

    Escaped ones, and those in classes, are texts.
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
