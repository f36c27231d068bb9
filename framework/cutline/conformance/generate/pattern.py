"""Texts that match a regular expression, for the simple expressions that contracts have."""

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


def text_matching(pattern: str, rng: random.Random) -> str | None:
    """A random text that matches the pattern from its start; null where none could be made."""
    try:
        text = "".join(_text_of_node(op, value, rng) for op, value in parser.parse(pattern))
    except (KeyError, ValueError, re.error):
        return None
    return text if re.match(pattern, text) else None


def _text_of_node(op: Any, value: Any, rng: random.Random) -> str:
    """A text for one node of the parsed pattern; KeyError for nodes that are not supported."""
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "ANY":
        return rng.choice(_ANY)
    if name == "IN":
        return _character_of(value, rng)
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = value
        times = rng.randint(low, min(high, low + 2))
        return "".join(_text_of_node(o, v, rng) for _ in range(times) for o, v in inner)
    if name == "SUBPATTERN":
        return "".join(_text_of_node(o, v, rng) for o, v in value[-1])
    if name == "BRANCH":
        return "".join(_text_of_node(o, v, rng) for o, v in rng.choice(value[1]))
    if name == "AT":
        return ""
    raise KeyError(name)


def _character_of(choices: Any, rng: random.Random) -> str:
    """A character of a class such as `[A-Z_]`."""
    op, value = rng.choice(choices)
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "RANGE":
        return chr(rng.randint(*value))
    return rng.choice(_CATEGORIES[str(value)])
