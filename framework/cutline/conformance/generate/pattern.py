"""Texts that match a pattern, for the simple patterns that contracts have."""

from __future__ import annotations

import random
import re
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcXYZ_09",
    "CATEGORY_SPACE": " ",
}
_ANY = "aZ9-"


def matching(pattern: str, rng: random.Random) -> str | None:
    """A text that matches the pattern from its start; null where none could be made."""
    try:
        made = "".join(_made(op, value, rng) for op, value in parser.parse(pattern))
    except (KeyError, ValueError, re.error):
        return None
    return made if re.match(pattern, made) else None


def _made(op: Any, value: Any, rng: random.Random) -> str:
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "ANY":
        return rng.choice(_ANY)
    if name == "IN":
        return _one_of(value, rng)
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = value
        times = rng.randint(low, min(high, low + 2))
        return "".join(_made(o, v, rng) for _ in range(times) for o, v in inner)
    if name == "SUBPATTERN":
        return "".join(_made(o, v, rng) for o, v in value[-1])
    if name == "BRANCH":
        return "".join(_made(o, v, rng) for o, v in rng.choice(value[1]))
    if name == "AT":
        return ""
    raise KeyError(name)


def _one_of(choices: Any, rng: random.Random) -> str:
    op, value = rng.choice(choices)
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "RANGE":
        return chr(rng.randint(*value))
    return rng.choice(_CATEGORIES[str(value)])
