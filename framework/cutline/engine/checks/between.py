"""Row checks, which look at several columns of one row."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from cutline.engine.checks.check import Check, unless
from cutline.errors import ConfigurationError
from cutline.translator.checks import RowCheck, row_checks
from cutline.translator.contract import SourceContract


def row_predicates(
    contract: type[SourceContract], changes: DataFrame, row: Column
) -> Iterator[Check]:
    """The contract's row checks on a struct column of the changes, in order of declaration."""
    for _, check in row_checks(contract):
        assert check is not None, "refuse_uncompilable lets only row checks pass"
        holds = check.holds(contract, row.getField)
        _refuse_other_than_predicates(contract, check, changes, holds)
        yield unless(check.rule, check.reason, holds)


def _refuse_other_than_predicates(
    contract: type[SourceContract], check: RowCheck, changes: DataFrame, holds: Column
) -> None:
    where = f"contract {contract.__name__}, row check {check.name}"
    next_step = "Return a predicate that tells of each row by its own columns."
    try:
        asked = changes.select("op", holds.alias("holds"))
    except AnalysisException as error:
        told = str(error).strip().splitlines()[0]
        raise ConfigurationError(
            f"{where} cannot be compiled: {told}", next_step=next_step
        ) from error
    if not isinstance(asked.schema["holds"].dataType, T.BooleanType):
        kind = asked.schema["holds"].dataType.simpleString()
        raise ConfigurationError(f"{where} returns {kind}, not boolean", next_step=next_step)
    plan = asked._jdf.queryExecution().analyzed()
    given = changes._jdf.queryExecution().analyzed()
    if not plan.deterministic() or not plan.child().sameResult(given):
        raise ConfigurationError(
            f"{where} cannot be compiled: it looks at other rows, or differs from run to run",
            next_step=next_step,
        )
