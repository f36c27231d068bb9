"""Contract checks, from pandera models to Spark predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.translator.contract import SourceContract


@dataclass(frozen=True)
class Check:
    """One check of one column: `breaks` holds for a row that fails it, and is never null."""

    rule: str
    reason: str
    breaks: Column


def contract_checks(contract: type[SourceContract], row: Column) -> list[Check]:
    """All checks of a contract on a row's struct column, in the order of declaration.

    A null breaks only `nullable`. ConfigurationError for a check that cannot be compiled.
    """
    return [
        check
        for name, column in contract.columns().items()
        for check in _of(contract, name, column, row)
    ]


def _of(contract: type[SourceContract], name: str, column: Any, row: Column) -> Iterator[Check]:
    value = row.getField(name)
    if not column.nullable:
        yield Check(f"contract:{name}:nullable", f"{name} is null", value.isNull())
    if column.unique:
        raise _cannot(contract, name, "unique")
    for check in column.checks:
        compiled = _COMPILED.get(check.name)
        if compiled is None:
            raise _cannot(contract, name, check.name)
        holds, told = compiled(value, dict(check.statistics))
        breaks = value.isNotNull() & ~F.coalesce(holds, F.lit(False))
        yield Check(f"contract:{name}:{_SHORT[check.name]}", f"{name} {told}", breaks)


def _cannot(contract: type[SourceContract], column: str, check: str) -> ConfigurationError:
    return ConfigurationError(
        f"contract {contract.__name__}, column {column}: the check {check!r} cannot be compiled",
        next_step=f"Use one of: {', '.join(sorted(_SHORT.values()))}. Keys are unique anyway.",
    )


_Compiled = Callable[[Column, dict[str, Any]], tuple[Column, str]]

_COMPILED: dict[str, _Compiled] = {
    "isin": lambda v, s: (v.isin(list(s["allowed_values"])), "is none of the allowed values"),
    "notin": lambda v, s: (~v.isin(list(s["forbidden_values"])), "is a forbidden value"),
    "equal_to": lambda v, s: (v == F.lit(s["value"]), f"is not {s['value']}"),
    "not_equal_to": lambda v, s: (v != F.lit(s["value"]), f"is {s['value']}"),
    "greater_than": lambda v, s: (v > F.lit(s["min_value"]), f"is not above {s['min_value']}"),
    "greater_than_or_equal_to": lambda v, s: (
        v >= F.lit(s["min_value"]),
        f"is below {s['min_value']}",
    ),
    "less_than": lambda v, s: (v < F.lit(s["max_value"]), f"is not below {s['max_value']}"),
    "less_than_or_equal_to": lambda v, s: (
        v <= F.lit(s["max_value"]),
        f"is above {s['max_value']}",
    ),
    "str_matches": lambda v, s: (
        v.rlike(f"^(?:{_pattern(s['pattern'])})"),
        f"does not match {_pattern(s['pattern'])}",
    ),
    "str_startswith": lambda v, s: (
        v.startswith(s["string"]),
        f"does not start with {s['string']}",
    ),
    "str_endswith": lambda v, s: (v.endswith(s["string"]), f"does not end with {s['string']}"),
}

_SHORT = {
    "isin": "isin",
    "notin": "notin",
    "equal_to": "eq",
    "not_equal_to": "ne",
    "greater_than": "gt",
    "greater_than_or_equal_to": "ge",
    "less_than": "lt",
    "less_than_or_equal_to": "le",
    "str_matches": "matches",
    "str_startswith": "startswith",
    "str_endswith": "endswith",
}


def _pattern(pattern: Any) -> str:
    return str(getattr(pattern, "pattern", pattern))
