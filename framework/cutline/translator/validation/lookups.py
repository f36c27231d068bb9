"""What is refused when a translator is defined: lookups that cannot join, unknown names."""

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
    """ConfigurationError for a lookup whose columns are not there or cannot be compared.

    So for one that hides a column of the row.
    """
    part, primary = next(iter(translator.parts.items()))
    own = primary.contract.columns()
    for name, lookup in translator.lookups.items():
        told = f"{where}, lookup {name}"
        known(told, "column", (*lookup.on, *([lookup.as_of] if lookup.as_of else [])), own)
        if part == SELF and name in own:
            raise ConfigurationError(f"{told}: it hides the column of the same name")
        _refuse_uneven(told, lookup, own)
        _refuse_timeless(told, lookup, own)


def known(where: str, what: str, names: Iterable[str], there: Iterable[str]) -> None:
    """ConfigurationError for the first of `names` that is not among what is there."""
    listed = list(there)
    for name in names:
        if name not in listed:
            raise ConfigurationError(
                f"{where}: there is no {what} {name!r}.{did_you_mean(name, listed)}",
                next_step=f"There is: {', '.join(listed) or 'none'}.",
            )


def _refuse_uneven(told: str, lookup: Lookup, own: dict[str, Any]) -> None:
    looked = lookup.contract.columns()
    for one, other in zip(lookup.on, lookup.by, strict=True):
        if _kind(own[one]) != _kind(looked[other]):
            raise ConfigurationError(
                f"{told}: {one} is {spark_ddl(own[one])}, but {other} of "
                f"{lookup.contract.__name__} is {spark_ddl(looked[other])}",
                next_step="Declare both alike: compared as they are, the first text that is no "
                "number would stop the run.",
            )


def _refuse_timeless(told: str, lookup: Lookup, own: dict[str, Any]) -> None:
    looked = lookup.contract.columns()
    times = [looked[name] for name in lookup.valid or ()]
    for column in [*times, *([own[lookup.as_of]] if lookup.as_of else [])]:
        if _kind(column) != "time":
            raise ConfigurationError(
                f"{told}: {column.name} is {spark_ddl(column)}; `as_of` and `valid` must be dates "
                "or timestamps"
            )


def _kind(column: Any) -> str:
    """What a column's type can be compared with."""
    ddl = spark_ddl(column)
    word = ddl.partition("(")[0]
    return "number" if word in _NUMBERS else "time" if word in _TIMES else ddl
