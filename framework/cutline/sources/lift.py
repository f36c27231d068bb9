"""Lifting: typed values of an older shape become those of the next newer shape, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.examine import impurity
from cutline.engine.rules import as_column
from cutline.errors import ConfigurationError
from cutline.sources.defects import null_key, wrong_type
from cutline.sources.exact_cast import cast_value
from cutline.sources.used_tables import UsedTable
from cutline.spark.no_rows import no_rows
from cutline.sql.spark import quoted
from cutline.translator.contract import Older
from cutline.translator.shapes import lift_label, refuse_unknown_column
from cutline.wording import first_line

Names = Callable[[int, str], str]
"""The frame's column for the value of a column, by the number of the shape and the column's name.
"""


def with_lifted_values(frame: DataFrame, table: UsedTable, shape: str, names: Names) -> DataFrame:
    """The frame with the newest shape's values filled in for rows of older shapes.

    It comes with the values of each shape for rows of that shape (column `shape`), null for others.
    The result of a lift before its cast to the next shape's type is kept in `lift_result_column`.
    ConfigurationError, naming contract and lift, for a lift that cannot be applied.
    """
    for k in range(len(table.shapes) - 1, 0, -1):
        step = table.contract.older()[-k]
        results = _apply_lift(frame.sparkSession, table, step, k, names)
        older = F.col(shape) >= k
        frame = frame.withColumns(
            {
                lift_result_column(names, k - 1, n): F.when(older, value)
                for n, value in results.items()
            }
        )
        frame = frame.withColumns(
            {
                names(k - 1, n): F.expr(_exact_value(frame, shape, k, names, n, ddl))
                for n, ddl in table.shapes[k - 1].items()
            }
        )
    return frame


def lift_result_column(names: Names, k: int, name: str) -> str:
    """The column with a lift's result for a column of shape `k`; null for rows not lifted."""
    # In front, where nothing else is: a column `x_given` may stand beside `x`.
    return f"_cutline_lifted{names(k, name)}"


def lift_defects(table: UsedTable, shape: str, names: Names) -> list[str]:
    """SQL for each defect that lifting may cause, null for a row without it."""
    defects = []
    for k in range(len(table.shapes) - 1, 0, -1):
        for name in table.shapes[k - 1]:
            result_column, value = lift_result_column(names, k - 1, name), names(k - 1, name)
            wrong = wrong_type(name, quoted(result_column), quoted(value))
            defects.append(f"CASE WHEN {shape} >= {k} THEN {wrong} END")
    for name in table.contract.key():
        nothing = null_key(name, quoted(lift_result_column(names, 0, name)))
        defects.append(f"CASE WHEN {shape} > 0 THEN {nothing} END")
    return defects


def _exact_value(frame: DataFrame, shape: str, k: int, names: Names, name: str, ddl: str) -> str:
    result_column = lift_result_column(names, k - 1, name)
    cast = cast_value(quoted(result_column), frame.schema[result_column].dataType, ddl)
    return f"CASE WHEN {shape} >= {k} THEN {cast} ELSE {quoted(names(k - 1, name))} END"


class OlderRow:
    """A row of an older shape, for its lift: `row.amount` or `row["amount"]` is a Spark column."""

    def __init__(self, columns: Mapping[str, Column], where: str) -> None:
        self._columns, self._where = columns, where

    def __getattr__(self, name: str) -> Column:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Column:
        refuse_unknown_column(self._where, "the row has no column", name, self._columns)
        return self._columns[name]


def _apply_lift(
    spark: SparkSession, table: UsedTable, step: Older, k: int, names: Names
) -> dict[str, Column]:
    """The columns of the next newer shape by the lift, each once.

    ConfigurationError for a result that is not a mapping, for a column that the next shape lacks,
    and for a column that neither the lift nor the older row has.
    """
    where = lift_label(f"contract {table.contract.__name__}", step)
    shape_columns = {n: F.col(quoted(names(k, n))) for n in table.shapes[k]}
    results = step.lift(OlderRow(shape_columns, where))
    if not isinstance(results, Mapping):
        raise ConfigurationError(
            f"{where}: it gives {type(results).__name__}, and not a dict of columns",
            next_step="Return dict(column=…) with the columns that are new or moved.",
        )
    next_shape = table.shapes[k - 1]
    for name in results:
        refuse_unknown_column(where, "the next shape has no column", name, next_shape)
    for name in next_shape:
        if name not in results and name not in shape_columns:
            raise ConfigurationError(
                f"{where}: there is a gap: it does not give {name!r}, and the older row has no "
                "such column",
                next_step=f"Say what {name!r} is for such rows, as in dict({name}=…).",
            )
    columns = {n: as_column(value) for n, value in results.items()}
    _refuse_unfit(spark, columns, {names(k, n): d for n, d in table.shapes[k].items()}, where)
    return {n: columns[n] if n in columns else shape_columns[n] for n in next_shape}


def _refuse_unfit(
    spark: SparkSession, results: Mapping[str, Column], columns: Mapping[str, str], where: str
) -> None:
    """ConfigurationError for a result that needs more than the older row's columns.

    The results are analysed on an empty frame that has these columns alone.
    """
    schema = ", ".join(f"{quoted(n)} {ddl}" for n, ddl in columns.items())
    alone = no_rows(spark, schema)
    for name, value in results.items():
        try:
            reason = impurity(alone.select(value.alias("v")))
        except AnalysisException as error:
            raise ConfigurationError(
                f"{where}: what it gives for {name!r} cannot be computed from the older row: "
                + first_line(error),
                next_step="Use the columns of the row that the lift is given, and no others.",
            ) from error
        if reason is not None:
            raise ConfigurationError(
                f"{where}: what it gives for {name!r} uses {reason}",
                next_step="Use only columns of the older row and functions that depend on "
                "nothing else.",
            )
