"""Transactions: complete, without gaps, and with an end, as far as a change file records them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import BEGIN, END, ROW, schema_and_table
from cutline.sources.changes.formats import first_ordinal
from cutline.sql.spark import literal
from cutline.tables.change import SNAPSHOT

_SHOWN = 10


def refuse_gaps(narrow: DataFrame, change_input: ChangeInput, schemas: Mapping[str, str]) -> None:
    """RunFailed, naming transaction, table and numbers, if a row of a transaction is missing.

    `schemas` has the schema of each table that is read, as its rows name it; tables without rows
    are not in it.
    """
    first = first_ordinal(change_input.section)
    rows = _streamed(narrow).where("ordinal IS NOT NULL")
    counts = rows.groupBy("transaction", "scope").agg(
        F.min("ordinal").alias("low"),
        F.max("ordinal").alias("high"),
        F.count_distinct("ordinal").alias("there"),
        F.min(F.struct("place", "table")).alias("first"),
    )
    with_events = counts.join(
        _declared_row_counts(narrow), ["transaction", "scope"], "left"
    ).withColumn("events", F.coalesce("events", F.col("high") - first + 1))
    is_wrong = (F.col("low") < first) | (F.col("there") != F.col("events"))
    gap = with_events.where(is_wrong).orderBy("first").first()
    if gap is None:
        _refuse_missing_tables(narrow, counts, change_input, schemas)
        return
    in_transaction = (F.col("transaction") == gap.transaction) & F.col("scope").eqNullSafe(
        gap.scope
    )
    present = rows.where(in_transaction).select("ordinal").distinct()
    wanted = narrow.sparkSession.range(first, first + gap.events).toDF("ordinal")
    missing = [r[0] for r in wanted.subtract(present).orderBy("ordinal").take(_SHOWN + 1)]
    numbers = ", ".join(map(str, missing[:_SHOWN])) + (", …" if len(missing) > _SHOWN else "")
    lacking = "the row numbered" if len(missing) == 1 else "the rows numbered"
    message = f"lacks {lacking} {numbers}" if missing else f"has more than {gap.events:,} rows"
    raise RunFailed(
        f"{change_input.key}: transaction {gap.transaction} of table {gap.first.table!r} "
        f"{message}: its rows are numbered from {first} to {first + gap.events - 1}",
        left_behind="Nothing was written.",
        next_step="Export the changes again: rows were lost on the way. If they are gone for good, "
        "take a new snapshot from after that transaction.",
    )


def _refuse_missing_tables(
    narrow: DataFrame, counts: DataFrame, change_input: ChangeInput, schemas: Mapping[str, str]
) -> None:
    """RunFailed if a transaction with rows has none of a table that is read and that it changed."""
    by_table = counts.where("scope IS NOT NULL")
    # Of a table without a row in the file only the name is known.
    of_read_tables = F.lit(False)
    for name, name_in_file in change_input.tables.items():
        schema = schemas.get(name)
        if schema is None:
            of_read_tables = of_read_tables | (F.substring_index("scope", ".", -1) == name_in_file)
        else:
            of_read_tables = of_read_tables | (
                F.col("scope") == F.expr(schema_and_table(literal(f"{schema}.{name_in_file}")))
            )
    missing = (
        _declared_row_counts(narrow)
        .where(of_read_tables & (F.col("events") > 0))
        .join(by_table.select("transaction").distinct(), "transaction", "left_semi")
        .join(by_table, ["transaction", "scope"], "left_anti")
        .orderBy("transaction", "scope")
        .first()
    )
    if missing is not None:
        raise RunFailed(
            f"{change_input.key}: transaction {missing.transaction} changed {missing.events:,} "
            f"rows of table {missing['scope']!r}, and none of them is there",
            left_behind="Nothing was written.",
            next_step="Give the changes of all tables that are read, up to the same moment; if the "
            "rows are gone for good, take a new snapshot from after that transaction.",
        )


def _declared_row_counts(narrow: DataFrame) -> DataFrame:
    """By transaction and table, the number of rows that the transaction's end declares."""
    return (
        narrow.where(F.col("kind") == END)
        .select("transaction", F.explode("events").alias("of"))
        .groupBy("transaction", F.col("of.table").alias("scope"))
        .agg(F.max("of.events").alias("events"))
    )


def unfinished_transactions(narrow: DataFrame, change_input: ChangeInput) -> DataFrame:
    """The ids of transactions without an end whose rows are the last of their tables.

    RunFailed for a transaction without an end if a transaction that ends follows its last row or
    its beginning.
    """
    rows = _streamed(narrow).where("transaction IS NOT NULL")
    ends = narrow.where(F.col("kind") == END).select("transaction").distinct()
    marked = rows.where("last").select("transaction").distinct()
    ended = ends.union(marked).distinct()
    finished = (
        rows.join(ended, "transaction", "left_semi")
        .groupBy("partition", "table")
        .agg(F.max("place").alias("behind"))
    )
    open_rows = (
        rows.join(ended, "transaction", "left_anti")
        .groupBy("transaction", "partition", "table")
        .agg(F.max(F.struct("place", "file", "number")).alias("at"))
    )
    interrupted = (
        open_rows.join(finished, ["partition", "table"])
        .where("behind > at.place")
        .orderBy("at")
        .first()
    )
    if interrupted is not None:
        _stop_without_end(
            change_input,
            interrupted["at"],
            f"transaction {interrupted.transaction} of table {interrupted.table!r}",
        )
    open_begins = narrow.where(F.col("kind") == BEGIN).join(ended, "transaction", "left_anti")
    last_ends = (
        narrow.where(F.col("kind") == END).groupBy("partition").agg(F.max("place").alias("behind"))
    )
    missing_end = (
        open_begins.join(last_ends, "partition").where("behind > place").orderBy("place").first()
    )
    if missing_end is not None:
        _stop_without_end(
            change_input, missing_end, f"transaction {missing_end.transaction}, which begins here,"
        )
    return open_rows.select("transaction").distinct()


def _stop_without_end(change_input: ChangeInput, place: Row, transaction: str) -> NoReturn:
    change_input.stop_at(
        place,
        f"{transaction} has no end, and others that have one follow",
        "Export the changes again: the end of the transaction was lost, and rows with it. If "
        "the boundaries have a file of their own, give it from the first change on.",
    )


def commits_by_transaction(narrow: DataFrame, change_input: ChangeInput) -> DataFrame:
    """One row per transaction: the LSN of its commit by its end, and the commit time, or null.

    RunFailed if one id has two LSNs: ids of 32 bits begin again after some four thousand million.
    """
    ends = (
        narrow.where((F.col("kind") == END) & F.col("lsn").isNotNull())
        .groupBy("transaction")
        .agg(
            F.min("lsn").alias("lsn"),
            F.max("lsn").alias("other"),
            F.max("committed").alias("committed"),
        )
    )
    ambiguous = ends.where("lsn <> other").first()
    if ambiguous is not None:
        raise RunFailed(
            f"{change_input.key}: transaction {ambiguous.transaction} was committed at "
            f"{ambiguous.lsn} and at {ambiguous.other}: one id stands for two",
            next_step="Give a file that begins after the ids began again.",
        )
    return ends.select("transaction", "lsn", "committed")


def _streamed(narrow: DataFrame) -> DataFrame:
    return narrow.where((F.col("kind") == ROW) & (F.col("op") != SNAPSHOT))
