"""Declarations of a contract that the engine cannot compile are refused when it is used."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.checks.check_types import first_incomparable, usable_keywords
from cutline.translator.checks.column_checks import ColumnCheck, checks_of_column
from cutline.translator.checks.literals import literal_fault
from cutline.translator.checks.patterns import pattern_fault
from cutline.translator.checks.row_check import refuse_unknown_columns, row_checks
from cutline.translator.determinism import refuse_nondeterminism
from cutline.translator.unique import NO_DUPLICATES, unique_columns

if TYPE_CHECKING:
    from cutline.translator.contract import SourceContract

_FRAME_OPTIONS = ("coerce", "dtype", "strict", "ordered", "unique_column_names")
_COMPARABLE = (T.AtomicType, T.ByteType, T.ShortType, T.IntegerType, T.LongType)


@functools.cache
def refuse_uncompilable(contract: type[SourceContract]) -> None:
    """ConfigurationError for the first check that cannot be judged row by row.

    It names contract, column and check, and says what can be used instead. No session is needed.
    """
    where = f"contract {contract.__name__}"
    for option in _FRAME_OPTIONS:
        if getattr(contract.to_schema(), option):
            raise ConfigurationError(
                f"{where}: Config.{option} says how a whole frame looks, not what a row must be",
                next_step="Leave it out: rows are read by the contract's columns, exactly.",
            )
    for name, column in contract.columns().items():
        _refuse_options(f"{where}, column {name}", column)
        _refuse_incomparable(f"{where}, column {name}", column.dtype.type)
        for check in checks_of_column(contract, name):
            if check.name != NO_DUPLICATES:
                _refuse_check(f"{where}, column {name}", check, column.dtype.type)
    _refuse_unique(contract, where)
    _refuse_frame_checks(contract, where)


def _refuse_options(where: str, column: Any) -> None:
    for option, unless in (("coerce", False), ("regex", False), ("required", True)):
        if getattr(column, option) is not unless:
            raise ConfigurationError(
                f"{where}: {option}={not unless} cannot be compiled",
                next_step="Each column of a contract is read under its name, by its type; "
                "`nullable` says that its value may be missing.",
            )


def _refuse_incomparable(where: str, data_type: T.DataType) -> None:
    """Images are compared with each other, which Spark cannot do with maps and variants."""
    incomparable = first_incomparable(data_type)
    if incomparable is not None:
        raise ConfigurationError(
            f"{where} ({data_type.simpleString()}): values of type {incomparable.simpleString()} "
            "cannot be compared, so no change of them is seen",
            next_step="Declare its JSON text (StringType), or an array of structs.",
        )


def _refuse_check(where: str, check: ColumnCheck, data_type: T.DataType) -> None:
    check_type = check.check_type
    if check_type is None or not isinstance(data_type, check_type.types):
        label = check_type.keyword if check_type else check.name
        on = f" on {data_type.simpleString()}" if check_type else ""
        raise ConfigurationError(
            f"{where}: the check {label!r} cannot be compiled{on}",
            next_step=f"Use one of: {', '.join(usable_keywords(data_type))}; "
            "or a `@row_check` method.",
        )
    pandera = check.pandera
    if pandera.raise_warning or not pandera.ignore_na or pandera.n_failure_cases is not None:
        raise ConfigurationError(
            f"{where}: the check {check_type.keyword!r} has an option that would be ignored",
            next_step="A row breaks its contract or does not, and a null breaks only "
            "`nullable`: leave out raise_warning, ignore_na and n_failure_cases.",
        )
    fault = _parameter_fault(check, data_type)
    if fault is not None:
        raise ConfigurationError(
            f"{where} ({data_type.simpleString()}): the check {check_type.keyword!r} does not fit: "
            f"{fault}",
            next_step="Write it with a value of the column's type.",
        )


def _parameter_fault(check: ColumnCheck, data_type: T.DataType) -> str | None:
    if check.name in ("str_matches", "str_contains"):
        return pattern_fault(check.parameters["pattern"], anchored=check.name == "str_matches")
    if check.name == "str_length":
        lengths = [n for n in check.parameters.values() if n is not None]
        wrong = [n for n in lengths if not isinstance(n, int) or isinstance(n, bool) or n < 0]
        return f"{wrong[0]!r} is no length" if wrong else None
    if check.name in ("isin", "notin"):
        if isinstance(next(iter(check.pandera.statistics.values())), str):
            return "a text stands for its characters there; write a list"
        if not check.values():
            return "the list is empty"
        if None in check.values():
            return "null is no value; `nullable` says whether it may be missing"
    return literal_fault(check.values(), data_type)


def _refuse_unique(contract: type[SourceContract], where: str) -> None:
    columns = contract.columns()
    for unique in unique_columns(contract):
        for name in unique.columns:
            if name not in columns:
                raise ConfigurationError(
                    f"{where}: Config.unique names a column {name!r} that is not there."
                    f"{did_you_mean(name, columns)}",
                    next_step=f"Its columns are: {', '.join(columns)}.",
                )
            if not isinstance(columns[name].dtype.type, _COMPARABLE):
                raise ConfigurationError(
                    f"{where}, column {name}: the check 'unique' cannot be compiled on "
                    f"{columns[name].dtype.type.simpleString()}"
                )


def _refuse_frame_checks(contract: type[SourceContract], where: str) -> None:
    for name, check in row_checks(contract):
        if check is None:
            raise ConfigurationError(
                f"{where}: the check {name!r} of the frame cannot be compiled",
                next_step="Mark a method `(cls, row) -> Column` with `@row_check`: it says what "
                "must hold for each row, such as `row.released_at >= row.placed_at`.",
            )
        refuse_unknown_columns(contract, check)
        refuse_nondeterminism(check.predicate, f"{where}, row check {check.name}", contract)
