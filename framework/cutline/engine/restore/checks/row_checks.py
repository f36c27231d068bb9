"""Row checks, which look at several columns of one row."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.engine.examine import impurity
from cutline.engine.restore.checks.check import Check, unless
from cutline.errors import ConfigurationError
from cutline.spark.no_rows import no_rows
from cutline.translator.checks import RowCheck, row_checks
from cutline.translator.contract import SourceContract
from cutline.wording import first_line


def row_predicates(
    spark: SparkSession, contract: type[SourceContract], row: Column
) -> Iterator[Check]:
    """The contract's row checks on a struct column of its row, in order of declaration."""
    for _, check in row_checks(contract):
        assert check is not None, "refuse_uncompilable lets only row checks pass"
        _refuse_non_predicate(spark, contract, check)
        yield unless(check.rule, check.reason, check.holds(contract, row.getField))


def _refuse_non_predicate(
    spark: SparkSession, contract: type[SourceContract], check: RowCheck
) -> None:
    where = f"contract {contract.__name__}, row check {check.name}"
    next_step = "Return a predicate that tells of each row by its own columns."
    alone = no_rows(spark, f"row {contract.ddl()}")
    try:
        selected = alone.select(check.holds(contract, F.col("row").getField).alias("holds"))
    except AnalysisException as error:
        message = first_line(error)
        raise ConfigurationError(
            f"{where} cannot be compiled: {message}", next_step=next_step
        ) from error
    if (why := impurity(selected)) is not None:
        raise ConfigurationError(f"{where} uses {why}", next_step=next_step)
    if not isinstance(selected.schema["holds"].dataType, T.BooleanType):
        kind = selected.schema["holds"].dataType.simpleString()
        raise ConfigurationError(f"{where} returns {kind}, not boolean", next_step=next_step)
