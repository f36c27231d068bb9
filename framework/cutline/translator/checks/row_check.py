"""Checks between the columns of one row, which pandera knows as checks of a frame."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandera.pyspark as pa
from pyspark.sql import Column, DataFrame

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.row_paths import visit_row_paths

if TYPE_CHECKING:
    from cutline.translator.contract import SourceContract

Predicate = Callable[[Any, "ContractRow"], Column]


class ContractRow:
    """A row of a contract: `row.status` is that column's value."""

    def __init__(
        self, contract: type[SourceContract], check: str, value: Callable[[str], Column]
    ) -> None:
        self._contract, self._check, self._value = contract, check, value

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse_unknown_column(self._contract, self._check, name)
        return self._value(name)


@dataclass(frozen=True)
class RowCheck:
    """A row-wise check of a contract: its method's name, its docstring, and the method."""

    name: str
    reason: str
    predicate: Predicate

    @property
    def rule(self) -> str:
        """The name under which rows that break it are quarantined."""
        return f"contract:{self.name}"

    def holds(self, contract: type[SourceContract], value: Callable[[str], Column]) -> Column:
        """The predicate on a row whose columns `value` returns by name; null where a value is."""
        condition = self.predicate(contract, ContractRow(contract, self.name, value))
        if not isinstance(condition, Column):
            raise ConfigurationError(
                f"contract {contract.__name__}, row check {self.name} returned "
                f"{type(condition).__name__}; it must return a predicate on the row's columns"
            )
        return condition


def row_check(method: Predicate) -> Any:
    """Marks a method of a contract as what must hold for each row: `(cls, row) -> Column`.

    `row.status` is a column; the docstring says what is wrong with a row that breaks it. A row for
    which the predicate is null, because a value is, does not break it. pandera runs it as a frame
    check, the engine as a predicate in its one pass.
    """
    reason = " ".join((inspect.getdoc(method) or "").split()).rstrip(".")
    if not reason:
        raise ConfigurationError(
            f"row check {method.__qualname__} has no docstring",
            next_step="Say in it what is wrong with a row that breaks the check.",
        )
    check = RowCheck(method.__name__, reason, method)

    @functools.wraps(method)
    def for_pandera(cls: Any, frame: DataFrame) -> bool:
        broken = ~check.holds(cls, lambda name: frame[f"`{name}`"])
        return bool(frame.filter(broken).limit(1).count() == 0)

    for_pandera.row_check = check  # type: ignore[attr-defined]
    return pa.dataframe_check(for_pandera)


def row_checks(contract: type[SourceContract]) -> Iterator[tuple[str, RowCheck | None]]:
    """The frame checks of a contract by name; null for one that is not row-wise."""
    methods = [m for c in reversed(contract.__mro__) for m in vars(c).values()]
    marked = [getattr(getattr(m, "__func__", None), "row_check", None) for m in methods]
    by_name = {check.name: check for check in marked if check is not None}
    for check in contract.to_schema().checks:
        yield str(check.name), by_name.get(check.name)


def refuse_unknown_columns(contract: type[SourceContract], check: RowCheck) -> None:
    """ConfigurationError for `row.<name>` of a column that is not there; reads, does not run."""
    visit_row_paths(
        check.predicate,
        contract,
        lambda path: _refuse_unknown_column(contract, check.name, path[0]),
    )


def _refuse_unknown_column(contract: type[SourceContract], check: str, name: str) -> None:
    columns = tuple(contract.columns())
    if name not in columns:
        raise ConfigurationError(
            f"contract {contract.__name__}, row check {check}: there is no column {name!r}."
            f"{did_you_mean(name, columns)}",
            next_step=f"Its columns are: {', '.join(columns)}.",
        )
