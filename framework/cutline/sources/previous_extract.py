"""Deletions found by comparing a snapshot with the previous extract."""

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


def previous_extract(source: UsedSource) -> UsedSource | None:
    """The source as the previous extract shows it, limited to the rows that this one scanned; or
    null.
    """
    previous = source.section.previous
    if previous is None:
        return None
    alone = {"path": previous, "previous": None, "changes": None}
    section = source.section.model_copy(update=alone)
    tables = tuple(
        replace(table, predicate=_conjunction(table.predicate, table.section.scanned))
        for table in source.tables
    )
    return UsedSource(source.name, section, tables)


@contextlib.contextmanager
def errors_of_previous_extract(source: UsedSource) -> Iterator[None]:
    """A context in which a ConfigurationError is raised as one of the previous extract, with its
    key.
    """
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(
            f"sources.{source.name}.previous: in the extract before, {error.what}",
            left_behind=error.left_behind,
            next_step=error.next_step,
        ) from error


def deleted_between_extracts(
    current: DataFrame, previous: DataFrame
) -> tuple[DataFrame, Callable[[], int]]:
    """Two changes for each row of `previous` whose key `current` lacks, and a count of the changes.

    Both are changes of a snapshot. The first is the row as `previous` has it; the second is its
    deletion as of this snapshot, without time and transaction, because these are not known. Rows of
    `previous` that have defects or no key are left out: its own run has reported them.
    """
    readable = previous.where((F.size("defects") == 0) & F.col("key").isNotNull())
    deleted = readable.join(current.select("key"), "key", "left_anti").select(*previous.columns)
    rows, count = observe_rows(deleted)
    twice = rows.select("*", F.explode(F.array(F.lit(False), F.lit(True))).alias("_ended"))
    is_deletion, nothing = F.col("_ended"), F.lit(None).cast(previous.schema["after"].dataType)
    changes = twice.withColumns(
        {
            "op": F.when(is_deletion, F.lit(DELETE)).otherwise(F.col("op")),
            "before": F.when(is_deletion, F.col("after")),
            "after": F.when(is_deletion, nothing).otherwise(F.col("after")),
            "generation": F.when(is_deletion, F.lit(None))
            .otherwise(F.col("generation"))
            .cast("int"),
        }
    )
    return changes.select(*previous.columns), lambda: 2 * count()


def _conjunction(left: str | None, right: str | None) -> str | None:
    conditions = [f"({text})" for text in (left, right) if text is not None]
    return " AND ".join(conditions) or None
