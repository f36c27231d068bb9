"""The slice's rows, by the table's `region` predicate, as Spark SQL over the rows as read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources.rows import BAD, UNKNOWN, UNREADABLE
from cutline.sources.sql_text import quoted
from cutline.sources.used_tables import UsedTable, mentions
from cutline.spark.condition import refusal_of_condition

_VIEWS = threading.Lock()  # views are the session's, and two sources may have a table of one name

OthersByName = Mapping[str, Callable[[], DataFrame]]


def sliced(frame: DataFrame, table: UsedTable, region: str, others: OthersByName) -> DataFrame:
    """The rows of `frame` for which the table's predicate holds.

    The predicate sees the rows under the table's name, `:region`, and in subqueries the `others`
    that it mentions. A row that cannot be read, or whose bytes in a column that the predicate
    speaks of cannot, has no region: it belongs to every slice, so that it is not lost; so does one
    of an unknown shape, unless it has a value in each column that the predicate speaks of. Raises
    ConfigurationError naming table and predicate if Spark does not understand it, or if it asks for
    anything but columns of these tables.
    """
    if table.predicate is None:
        return frame
    spark = frame.sparkSession
    try:
        why = refusal_of_condition(spark, table.predicate, frame.columns, {table.name, *others})
    except ParseException as error:
        raise wrong_predicate(table, str(error)) from error
    if why is not None:
        raise wrong_predicate(table, why)
    seen = {n: other() for n, other in others.items() if mentions(table.predicate, n)}
    seen[table.name] = frame.withColumn("_cutline_stays", _stays(frame, table.predicate))
    # The line end keeps a comment in the predicate from reaching the bracket.
    condition = f"_cutline_stays OR (\n{table.predicate}\n)"
    sql = f"SELECT * FROM `{table.name}` WHERE {condition}"  # noqa: S608 - the project's own SQL
    with _VIEWS:
        try:
            for name, view in seen.items():
                view.createOrReplaceTempView(name)
            return spark.sql(sql, args={"region": region}).drop("_cutline_stays")
        except (AnalysisException, ParseException) as error:
            raise wrong_predicate(table, str(error)) from error
        finally:
            for name in seen:
                spark.catalog.dropTempView(name)


def wrong_predicate(table: UsedTable, why: str) -> ConfigurationError:
    """The error for a predicate that is not SQL or names what is not there."""
    return ConfigurationError(
        f"{table.key_in_file}.region: the predicate {table.predicate!r} cannot be applied: "
        + why.strip().splitlines()[0],
        next_step="Correct the predicate; it sees the table's columns and :region.",
    )


def _stays(frame: DataFrame, predicate: str) -> Column:
    stays = F.lit(False)
    spoken = [n for n in frame.columns if mentions(predicate, n)]
    if UNREADABLE in frame.columns:
        # A row of no shape may show all that the predicate asks for.
        shown = F.lit(True)
        for name in spoken:
            shown = shown & F.col(quoted(name)).isNotNull()
        judged = F.startswith(UNREADABLE, F.lit(UNKNOWN)) & shown
        stays = stays | (F.col(UNREADABLE).isNotNull() & ~judged)
    if BAD in frame.columns:
        names = F.array(*map(F.lit, spoken)).cast("array<string>")
        stays = stays | F.arrays_overlap(BAD, names)
    return stays
