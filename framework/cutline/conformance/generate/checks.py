"""A contract's checks on one value, in Python, so that what is generated keeps them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

_Holds = Callable[[Any, dict[str, Any]], bool]

_HOLDS: dict[str, _Holds] = {
    "isin": lambda v, s: v in s["allowed_values"],
    "notin": lambda v, s: v not in s["forbidden_values"],
    "equal_to": lambda v, s: v == s["value"],
    "not_equal_to": lambda v, s: v != s["value"],
    "greater_than": lambda v, s: v > s["min_value"],
    "greater_than_or_equal_to": lambda v, s: v >= s["min_value"],
    "less_than": lambda v, s: v < s["max_value"],
    "less_than_or_equal_to": lambda v, s: v <= s["max_value"],
    "in_range": lambda v, s: s["min_value"] <= v <= s["max_value"],
    "str_matches": lambda v, s: re.match(text_of(s["pattern"]), v) is not None,
    "str_contains": lambda v, s: re.search(text_of(s["pattern"]), v) is not None,
    "str_startswith": lambda v, s: v.startswith(s["string"]),
    "str_endswith": lambda v, s: v.endswith(s["string"]),
    "str_length": lambda v, s: _length_fits(len(v), s.get("min_value"), s.get("max_value")),
}


def passes(value: Any, checks: Iterable[Any]) -> bool:
    """Whether a value keeps the checks that are known here; what does not compare, does not."""
    try:
        return all(_HOLDS[c.name](value, dict(c.statistics)) for c in checks if c.name in _HOLDS)
    except TypeError:
        return False


def _length_fits(length: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= length) and (high is None or length <= high)


def bounds(checks: Iterable[Any]) -> list[Any]:
    """The values that checks name: allowed ones, limits."""
    named: list[Any] = []
    for check in checks:
        told = dict(check.statistics)
        named += list(told.get("allowed_values", ()))
        named += [told[n] for n in ("value", "min_value", "max_value") if told.get(n) is not None]
    return named


def text_of(pattern: Any) -> str:
    """A pattern as text, whether it was compiled or not."""
    return str(getattr(pattern, "pattern", pattern))
