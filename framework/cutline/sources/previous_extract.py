"""Deletions that a snapshot cannot show: rows of the extract before that this one lacks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources.row_counts import observe_rows
from cutline.sources.used_tables import UsedSource
from cutline.tables.change import DELETE


def before_this(source: UsedSource) -> UsedSource | None:
    """The source as the extract before this one shows it, within what this one scanned; or null."""
    previous = source.section.previous
    if previous is None:
        return None
    alone = {"path": previous, "previous": None, "changes": None}
    section = source.section.model_copy(update=alone)
    tables = tuple(
        replace(table, predicate=_both(table.predicate, table.section.scanned))
        for table in source.tables
    )
    return UsedSource(source.name, section, tables)


@contextlib.contextmanager
def in_the_extract_before(source: UsedSource) -> Iterator[None]:
    """Says of what is wrong that it is wrong with the extract before, and which key names that."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(
            f"sources.{source.name}.previous: in the extract before, {error.what}",
            left_behind=error.left_behind,
            next_step=error.next_step,
        ) from error


def gone(now: DataFrame, before: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """Two changes for each row of `before` whose key `now` lacks, and how many rows those are.

    Both are changes of a snapshot. The first is the row as it was there, the second its deletion as
    of this snapshot, with neither time nor transaction: nobody knows when it came about. Rows that
    cannot be read are passed over: the extract before has told of them.
    """
    readable = before.where((F.size("defects") == 0) & F.col("key").isNotNull())
    lost = readable.join(now.select("key"), "key", "left_anti").select(*before.columns)
    rows, count = observe_rows(lost)
    both = rows.select("*", F.explode(F.array(F.lit(False), F.lit(True))).alias("_ended"))
    ended, nothing = F.col("_ended"), F.lit(None).cast(before.schema["after"].dataType)
    changes = both.withColumns(
        {
            "op": F.when(ended, F.lit(DELETE)).otherwise(F.col("op")),
            "before": F.when(ended, F.col("after")),
            "after": F.when(ended, nothing).otherwise(F.col("after")),
            "generation": F.when(ended, F.lit(None)).otherwise(F.col("generation")).cast("int"),
        }
    )
    return changes.select(*before.columns), lambda: 2 * count()


def _both(one: str | None, other: str | None) -> str | None:
    told = [f"({text})" for text in (one, other) if text is not None]
    return " AND ".join(told) or None
