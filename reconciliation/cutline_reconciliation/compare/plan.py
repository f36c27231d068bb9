"""The plan of a comparison: key, compared columns and their rules, before any row is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline_reconciliation.compare.columns.numbers import digits
from cutline_reconciliation.compare.columns.pair import ColumnPair, column_pair
from cutline_reconciliation.compare.rules import ColumnRules, Family, Rules

_EXACT = {"tolerance": None, "relative": None, "minor_units": 0}
"""The rules of a kind of columns without tolerances, which a key has not."""


@dataclass(frozen=True)
class ComparisonPlan:
    """The key and the compared columns with their rules."""

    key: tuple[ColumnPair, ...]
    columns: tuple[ColumnPair, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]


def plan_comparison(
    left: DataFrame,
    right: DataFrame,
    key: Sequence[str],
    rules: Rules,
    marked: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> ComparisonPlan:
    """The plan for two frames whose columns have the same names.

    `marked` are the kinds of values by column of marked texts. ConfigurationError, naming it, for a
    key or a rule's column that is not there, or for types that cannot be compared.
    """
    refuse_key(left, right, key)
    shared = [c for c in left.columns if c in right.columns]
    for name in rules.columns:
        if name not in shared:
            raise ConfigurationError(
                f"rules speak of column {name}, which is not on both sides."
                + did_you_mean(name, shared),
                next_step=f"Both sides have: {', '.join(shared)}.",
            )

    def build(make: Callable[..., ColumnPair], name: str, rules: Rules) -> ColumnPair:
        kinds = left.schema[name].dataType, right.schema[name].dataType
        return make(name, *kinds, rules_of(name, *kinds, rules), marked.get(name, ()))

    exact = {kind: own.model_copy(update=_EXACT) for kind, own in rules.types.items()}
    key_rules = rules.model_copy(update={"types": exact})

    return ComparisonPlan(
        tuple(build(key_pair, name, key_rules) for name in key),
        tuple(build(column_pair, c, rules) for c in shared if c not in key),
        tuple(c for c in left.columns if c not in shared),
        tuple(c for c in right.columns if c not in shared),
    )


def refuse_key(left: DataFrame, right: DataFrame, key: Sequence[str]) -> None:
    """ConfigurationError for a key that is empty, names a column twice, or is missing on a side."""
    if not key:
        raise ConfigurationError("a comparison needs at least one key column")
    if len(set(key)) < len(key):
        raise ConfigurationError(f"a key column is named twice: {', '.join(key)}")
    refuse_absent(left, right, key)


def refuse_absent(left: DataFrame, right: DataFrame, columns: Iterable[str]) -> None:
    """ConfigurationError, naming side and column, for a column that is missing on a side."""
    for name in columns:
        for side, frame in (("left", left), ("right", right)):
            if name not in frame.columns:
                raise ConfigurationError(
                    f"column {name} is not on the {side} side." + did_you_mean(name, frame.columns),
                    next_step=f"It has: {', '.join(frame.columns)}.",
                )


def key_pair(
    name: str,
    left: T.DataType,
    right: T.DataType,
    rules: ColumnRules | None = None,
    marked: Collection[str] = (),
) -> ColumnPair:
    """A column of the key, of marked texts of these kinds, if any.

    ConfigurationError, naming it, if it cannot be one.
    """
    try:
        pair = column_pair(name, left, right, rules, marked)
    except ConfigurationError as error:
        raise ConfigurationError(f"key {error.what}", next_step=error.next_step) from error
    if pair.tolerances:
        raise ConfigurationError(
            f"key column {name} has a tolerance: what is near is not one key",
            next_step="Round or truncate it instead.",
        )
    return pair


def rules_of(name: str, left: T.DataType, right: T.DataType, rules: Rules) -> ColumnRules | None:
    """The rules of a column: its own, over those of the family of both sides' types."""
    families: set[Family | None] = {_family(left), _family(right)}
    if families == {"integer", "decimal"}:
        families = {"decimal"}
    default = (
        next((rules.types.get(f) for f in families if f), None) if len(families) == 1 else None
    )
    column_rules = rules.columns.get(name)
    return default if column_rules is None else column_rules.over(default)


def _family(kind: T.DataType) -> Family | None:
    if isinstance(kind, T.DecimalType):
        return "decimal"
    if digits(kind) is not None:
        return "integer"
    families: dict[type[T.DataType], Family] = {
        T.FloatType: "floating",
        T.DoubleType: "floating",
        T.StringType: "text",
        T.DateType: "date",
        T.TimestampType: "timestamp",
        T.TimestampNTZType: "timestamp",
    }
    return families.get(type(kind))
