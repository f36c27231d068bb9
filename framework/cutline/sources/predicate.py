"""The rows of a slice, by the table's `region` predicate, as Spark SQL over the rows as read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources.rows import MISENCODED, UNKNOWN_SHAPE, UNREADABLE
from cutline.sources.used_tables import UsedTable, mentions
from cutline.spark.condition import refusal_of_condition
from cutline.sql.spark import quoted

_VIEWS = threading.Lock()  # views are the session's, and two sources may have a table of one name

TablesByName = Mapping[str, Callable[[], DataFrame]]


def filter_slice(
    frame: DataFrame, table: UsedTable, region: str, other_tables: TablesByName
) -> DataFrame:
    """The rows of `frame` for which the table's predicate holds.

    The predicate sees the rows under the table's name, `:region`, and in subqueries the
    `other_tables` that it mentions. A row belongs to every slice, so that it is not lost, if the
    predicate cannot be decided for it: the row is unreadable, or a column that the predicate
    mentions is not in the file's encoding. A row of an unknown shape is decided if it has a value
    in each column that the predicate mentions. ConfigurationError, naming table and predicate, for
    a predicate that Spark does not understand or that uses anything but columns of these tables.
    """
    if table.predicate is None:
        return frame
    spark = frame.sparkSession
    try:
        columns, names = frame.columns, {table.name, *other_tables}
        reason = refusal_of_condition(spark, table.predicate, columns, names)
    except ParseException as error:
        raise predicate_error(table, str(error)) from error
    if reason is not None:
        raise predicate_error(table, reason)
    views = {n: rows() for n, rows in other_tables.items() if mentions(table.predicate, n)}
    views[table.name] = frame.withColumn("_cutline_stays", _is_undecidable(frame, table.predicate))
    # The line end keeps a comment in the predicate from reaching the bracket.
    condition = f"_cutline_stays OR (\n{table.predicate}\n)"
    sql = f"SELECT * FROM `{table.name}` WHERE {condition}"  # noqa: S608 - the project's own SQL
    with _VIEWS:
        try:
            for name, view in views.items():
                view.createOrReplaceTempView(name)
            return spark.sql(sql, args={"region": region}).drop("_cutline_stays")
        except (AnalysisException, ParseException) as error:
            raise predicate_error(table, str(error)) from error
        finally:
            for name in views:
                spark.catalog.dropTempView(name)


def predicate_error(table: UsedTable, reason: str) -> ConfigurationError:
    """The error for a predicate that is not SQL or names something that does not exist."""
    return ConfigurationError(
        f"{table.config_key}.region: the predicate {table.predicate!r} cannot be applied: "
        + reason.strip().splitlines()[0],
        next_step="Correct the predicate; it sees the table's columns and :region.",
    )


def _is_undecidable(frame: DataFrame, predicate: str) -> Column:
    undecidable = F.lit(False)
    mentioned = [n for n in frame.columns if mentions(predicate, n)]
    if UNREADABLE in frame.columns:
        # A row of no shape may show all that the predicate asks for.
        shown = F.lit(True)
        for name in mentioned:
            shown = shown & F.col(quoted(name)).isNotNull()
        decidable = F.startswith(UNREADABLE, F.lit(UNKNOWN_SHAPE)) & shown
        undecidable = undecidable | (F.col(UNREADABLE).isNotNull() & ~decidable)
    if MISENCODED in frame.columns:
        names = F.array(*map(F.lit, mentioned)).cast("array<string>")
        undecidable = undecidable | F.arrays_overlap(MISENCODED, names)
    return undecidable
