"""The built-in checks, each as a predicate on a value and the reason of one that fails it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.engine.restore.checks.literals import literal
from cutline.translator.checks import ColumnCheck
from cutline.translator.checks.patterns import from_start


@dataclass(frozen=True)
class _CheckedValue:
    """A value, its type, and the check's parameters: as given, and as exact literals."""

    value: Column
    kind: T.DataType
    check: ColumnCheck

    def __getitem__(self, name: str) -> Any:
        return self.check.parameters[name]

    def get(self, name: str) -> Any:
        return self.check.parameters.get(name)

    def exactly(self, name: str) -> Column:
        return literal(self[name], self.kind)

    def listed(self) -> Column:
        """Whether the value is one of the check's list."""
        return self.value.isin(*(literal(v, self.kind) for v in self.check.values()))


def predicate(value: Column, kind: T.DataType, check: ColumnCheck) -> tuple[Column, str]:
    """The predicate, null for a null value, and the reason of a value for which it is false."""
    return _PREDICATES[check.name](_CheckedValue(value, kind, check))


def _range(a: _CheckedValue) -> tuple[Column, str]:
    low, high = a.exactly("min_value"), a.exactly("max_value")
    above = a.value >= low if a["include_min"] else a.value > low
    below = a.value <= high if a["include_max"] else a.value < high
    opening, closing = "[" if a["include_min"] else "(", "]" if a["include_max"] else ")"
    reason = f"is not within {opening}{a['min_value']}, {a['max_value']}{closing}"
    return above & below, reason


def _length(a: _CheckedValue) -> tuple[Column, str]:
    """Lengths count characters (code points), not bytes."""
    length = F.length(a.value)
    exact, least, most = (a.get(n) for n in ("exact_value", "min_value", "max_value"))
    if exact is not None:
        return length == exact, f"is not {exact} characters long"
    if most is None:
        return length >= least, f"is shorter than {least} characters"
    if least is None:
        return length <= most, f"is longer than {most} characters"
    return length.between(least, most), f"is not {least} to {most} characters long"


def _matches(a: _CheckedValue) -> tuple[Column, str]:
    return a.value.rlike(from_start(a["pattern"])), f"does not match {a['pattern']}"


_PREDICATES: Mapping[str, Callable[[_CheckedValue], tuple[Column, str]]] = {
    "equal_to": lambda a: (a.value == a.exactly("value"), f"is not {a['value']}"),
    "not_equal_to": lambda a: (a.value != a.exactly("value"), f"is {a['value']}"),
    "greater_than": lambda a: (a.value > a.exactly("min_value"), f"is not above {a['min_value']}"),
    "greater_than_or_equal_to": lambda a: (
        a.value >= a.exactly("min_value"),
        f"is below {a['min_value']}",
    ),
    "less_than": lambda a: (a.value < a.exactly("max_value"), f"is not below {a['max_value']}"),
    "less_than_or_equal_to": lambda a: (
        a.value <= a.exactly("max_value"),
        f"is above {a['max_value']}",
    ),
    "in_range": _range,
    "isin": lambda a: (a.listed(), "is none of the allowed values"),
    "notin": lambda a: (~a.listed(), "is a forbidden value"),
    "str_matches": _matches,
    "str_contains": lambda a: (a.value.rlike(a["pattern"]), f"has no match of {a['pattern']}"),
    "str_startswith": lambda a: (
        a.value.startswith(a["string"]),
        f"does not start with {a['string']}",
    ),
    "str_endswith": lambda a: (a.value.endswith(a["string"]), f"does not end with {a['string']}"),
    "str_length": _length,
}
