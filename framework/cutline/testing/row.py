"""Literal rows of a legacy table: a test names only the columns it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.testing.literals import literal
from cutline.translator import SourceContract


@dataclass(frozen=True)
class Row:
    """One image of a row: its contract, and the columns that were named; the others are null."""

    contract: type[SourceContract]
    named: Mapping[str, Any]

    def but(self, mapping: Mapping[str, Any] | None = None, /, **columns: Any) -> Row:
        """The same row with other values in the columns named here."""
        return row(self.contract, {**self.named, **(mapping or {}), **columns})

    @property
    def values(self) -> dict[str, Any]:
        """Every column of the contract with its value."""
        return {name: self.named.get(name) for name in self.contract.columns()}

    @property
    def key(self) -> str:
        """The values of the key columns as a JSON array, for people."""
        return json.dumps([self.named.get(k) for k in self.contract.key()], default=str)

    def __str__(self) -> str:
        return ", ".join(f"{name}={_value_text(value)}" for name, value in self.named.items())


def row(
    contract: type[SourceContract] | Row,
    mapping: Mapping[str, Any] | None = None,
    /,
    **columns: Any,
) -> Row:
    """A row of a contract's table: `row(ErpOrder, order_no="1", released_at="2026-10-01T08:00Z")`.

    Columns that are not named are null. A mapping gives columns whose names are no Python names. Of
    a Row, it is that row with these columns. ConfigurationError for a column that the contract does
    not have, and for a value that the column cannot hold.
    """
    if isinstance(contract, Row):
        return contract.but(mapping, **columns)
    types = types_of(contract)
    named = {**(mapping or {}), **columns}
    for name in named:
        if name not in types:
            raise ConfigurationError(
                f"a row of {contract.__name__}: there is no column {name!r}."
                f"{did_you_mean(name, types)}",
                next_step=f"Its columns are: {', '.join(types)}.",
            )
    where = f"a row of {contract.__name__}, column "
    return Row(contract, {n: literal(v, types[n], where + n) for n, v in named.items()})


@lru_cache(maxsize=512)
def types_of(contract: type[SourceContract]) -> dict[str, T.DataType]:
    """The Spark type of each column of a contract, in the order of declaration."""
    return {name: column.dtype.type for name, column in contract.columns().items()}


def _value_text(value: Any) -> str:
    return repr(value) if isinstance(value, str | None) else str(value)
