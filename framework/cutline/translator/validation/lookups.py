"""Lookups that cannot be joined are refused when a translator is defined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.column import spark_ddl
from cutline.translator.names import SELF
from cutline.translator.part import Lookup
from cutline.translator.validation.protocol import DeclaredTranslator

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")
_TIMES = ("date", "timestamp", "timestamp_ntz")


def refuse_lookups(translator: DeclaredTranslator, where: str) -> None:
    """ConfigurationError for a lookup with unknown columns or columns of different types.

    A lookup with the name of a column of the row is refused as well.
    """
    part, primary = next(iter(translator.parts.items()))
    own_columns = primary.contract.columns()
    for name, lookup in translator.lookups.items():
        label = f"{where}, lookup {name}"
        refuse_unknown_names(
            label, "column", (*lookup.on, *([lookup.as_of] if lookup.as_of else [])), own_columns
        )
        if part == SELF and name in own_columns:
            raise ConfigurationError(f"{label}: it hides the column of the same name")
        _refuse_incomparable(label, lookup, own_columns)
        _refuse_non_times(label, lookup, own_columns)


def refuse_unknown_names(
    where: str, noun: str, names: Iterable[str], available: Iterable[str]
) -> None:
    """ConfigurationError for the first of `names` that is not among what is there."""
    listed = list(available)
    for name in names:
        if name not in listed:
            raise ConfigurationError(
                f"{where}: there is no {noun} {name!r}.{did_you_mean(name, listed)}",
                next_step=f"There is: {', '.join(listed) or 'none'}.",
            )


def _refuse_incomparable(label: str, lookup: Lookup, own_columns: dict[str, Any]) -> None:
    looked_up_columns = lookup.contract.columns()
    for own_name, looked_up_name in zip(lookup.on, lookup.by, strict=True):
        if _comparable_type(own_columns[own_name]) != _comparable_type(
            looked_up_columns[looked_up_name]
        ):
            raise ConfigurationError(
                f"{label}: {own_name} is {spark_ddl(own_columns[own_name])}, but "
                f"{looked_up_name} of {lookup.contract.__name__} is "
                f"{spark_ddl(looked_up_columns[looked_up_name])}",
                next_step="Declare both alike: compared as they are, the first text that is no "
                "number would stop the run.",
            )


def _refuse_non_times(label: str, lookup: Lookup, own_columns: dict[str, Any]) -> None:
    looked_up_columns = lookup.contract.columns()
    times = [looked_up_columns[name] for name in lookup.valid or ()]
    for column in [*times, *([own_columns[lookup.as_of]] if lookup.as_of else [])]:
        if _comparable_type(column) != "time":
            raise ConfigurationError(
                f"{label}: {column.name} is {spark_ddl(column)}; `as_of` and `valid` must be dates "
                "or timestamps"
            )


def _comparable_type(column: Any) -> str:
    """The class of types that a column can be compared with: `number`, `time` or its own type."""
    ddl = spark_ddl(column)
    word = ddl.partition("(")[0]
    return "number" if word in _NUMBERS else "time" if word in _TIMES else ddl
