"""A contract, compiled: all its checks as predicates on a row's struct column."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark import SparkContext
from pyspark.sql import Column, DataFrame

from cutline.engine.restore.checks.check import Check, unless
from cutline.engine.restore.checks.predicates import predicate
from cutline.engine.restore.checks.row_checks import row_predicates
from cutline.engine.restore.checks.unique import unique_checks
from cutline.errors import ConfigurationError
from cutline.translator.checks import ColumnCheck, checks_of_column, refuse_uncompilable
from cutline.translator.contract import SourceContract
from cutline.translator.unique import NO_DUPLICATES


def contract_checks(
    contract: type[SourceContract], changes: DataFrame, row: Column
) -> tuple[Check, ...]:
    """All checks of a contract on a row's struct column, in the order of declaration.

    `changes` come from `with_duplicate_flags`, and `row` is a struct column of theirs.

    Columns come first, each with `nullable` before its other checks; then what is unique; then row
    checks. A null breaks only `nullable`. ConfigurationError for a check that cannot be compiled.
    """
    refuse_uncompilable(contract)
    of_rows = row_predicates(changes.sparkSession, contract, row)
    return (*column_checks(contract, row), *unique_checks(contract), *of_rows)


def column_checks(contract: type[SourceContract], row: Column) -> tuple[Check, ...]:
    """The checks of single columns on any struct column of the contract's row."""
    return tuple(
        check
        for name, column in contract.columns().items()
        for check in _of_column(contract, name, column.nullable, row)
    )


def _of_column(
    contract: type[SourceContract], name: str, nullable: bool, row: Column
) -> Iterator[Check]:
    value, kind = row.getField(name), contract.columns()[name].dtype.type
    if not nullable:
        yield Check(f"contract:{name}:nullable", f"{name} is null", value.isNull())
    for check in checks_of_column(contract, name):
        if check.name == NO_DUPLICATES:
            continue
        _refuse_pattern(contract, check)
        holds, reason = predicate(value, kind, check)
        yield unless(check.rule, f"{name} {reason}", holds)


def _refuse_pattern(contract: type[SourceContract], check: ColumnCheck) -> None:
    """ConfigurationError for a pattern that Java refuses; most bad patterns are refused before."""
    pattern, spark = check.parameters.get("pattern"), SparkContext._active_spark_context
    if pattern is None or spark is None or spark._jvm is None:
        return
    try:
        spark._jvm.java.util.regex.Pattern.compile(pattern)
    except Exception as error:
        raise ConfigurationError(
            f"contract {contract.__name__}, column {check.column}: {pattern!r} is no pattern "
            "of Java's",
            next_step="Write it as java.util.regex.Pattern takes it.",
        ) from error
