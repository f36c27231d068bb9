"""A contract's checks on one value, evaluated in Python, so that generated values pass them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

_Check = Callable[[Any, dict[str, Any]], bool]

_CHECKS: dict[str, _Check] = {
    "isin": lambda v, s: v in s["allowed_values"],
    "notin": lambda v, s: v not in s["forbidden_values"],
    "equal_to": lambda v, s: v == s["value"],
    "not_equal_to": lambda v, s: v != s["value"],
    "greater_than": lambda v, s: v > s["min_value"],
    "greater_than_or_equal_to": lambda v, s: v >= s["min_value"],
    "less_than": lambda v, s: v < s["max_value"],
    "less_than_or_equal_to": lambda v, s: v <= s["max_value"],
    "in_range": lambda v, s: s["min_value"] <= v <= s["max_value"],
    "str_matches": lambda v, s: re.match(pattern_text(s["pattern"]), v) is not None,
    "str_contains": lambda v, s: re.search(pattern_text(s["pattern"]), v) is not None,
    "str_startswith": lambda v, s: v.startswith(s["string"]),
    "str_endswith": lambda v, s: v.endswith(s["string"]),
    "str_length": lambda v, s: _length_fits(len(v), s.get("min_value"), s.get("max_value")),
}
"""By name of a pandera check, its evaluation on a value `v` with the check's statistics `s`."""


def passes_checks(value: Any, checks: Iterable[Any]) -> bool:
    """Whether a value passes the checks that are known here; false if it cannot be compared."""
    try:
        return all(_CHECKS[c.name](value, dict(c.statistics)) for c in checks if c.name in _CHECKS)
    except TypeError:
        return False


def _length_fits(length: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= length) and (high is None or length <= high)


def check_values(checks: Iterable[Any]) -> list[Any]:
    """The allowed values and the limits that checks have as arguments."""
    values: list[Any] = []
    for check in checks:
        statistics = dict(check.statistics)
        values += list(statistics.get("allowed_values", ()))
        limits = (statistics.get(name) for name in ("value", "min_value", "max_value"))
        values += [limit for limit in limits if limit is not None]
    return values


def pattern_text(pattern: Any) -> str:
    """The text of a regular expression, compiled or not."""
    return str(getattr(pattern, "pattern", pattern))
