"""A table of a source that has no database: every image of a row in its change file."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.source import LogSource
from cutline.sources.changes import ChangeInput, open_change_file
from cutline.sources.changes.modes import modes_of
from cutline.sources.changes.unavailable import is_unavailable
from cutline.sources.changes.values import column_text
from cutline.sources.inspect import change_files, transaction_files
from cutline.sources.kafka import topic_input_now
from cutline.sources.predicate import filter_slice
from cutline.sources.rows import NOT_IN_ENCODING, UNREADABLE
from cutline.sources.used_tables import UsedSource, UsedTable
from cutline.spark import json_text
from cutline.sql.spark import quoted
from cutline.tables.change import CREATE, SNAPSHOT

MOST_FIELDS = 10_000
"""The most different fields that the rows of one table may have."""
IS_NEW_ROW = "_cutline_arrives"
"""Column: whether the image is of a row that was inserted or read by a snapshot, so that its key is
new.
"""


def log_images(
    spark: SparkSession, project: LoadedProject, table: UsedTable, region: str, scratch: str
) -> tuple[tuple[str, ...], DataFrame]:
    """The names of the table's columns, and one row per image of a row after a change.

    The columns are those of all images, sorted by name. Each value is text, null where the image
    lacks it or the connector marks it as not known. UNREADABLE and IS_NEW_ROW follow. Raises what a
    run raises for an unreadable file, and ConfigurationError for a file without any image of the
    table.
    """
    section = project.file.sources[table.source]
    assert isinstance(section, LogSource)
    source = UsedSource(table.source, section, (table,))
    names = {table.name: table.database_name}
    file = open_change_file(spark, _change_input(project, source, names), f"{scratch}/changes")
    key = file.place
    rows = file.rows.where((F.col("table") == table.database_name) & F.col("after").isNotNull())
    columns = _image_columns(rows)
    if len(columns) > MOST_FIELDS:
        raise ConfigurationError(
            f"{key}: the rows of table {table.database_name!r} have more than "
            f"{MOST_FIELDS:,} different fields, too many for columns",
            next_step="Export the fields that vary as values of one field.",
        )
    if not columns:
        raise ConfigurationError(
            f"{key} tells of no row of table {table.database_name!r}",
            next_step=f"Give sources.{table.source}.tables.{table.name}.name as the records have "
            "it, or another file.",
        )
    return columns, filter_slice(_text_rows(rows, columns, section, table), table, region, {})


def _change_input(project: LoadedProject, source: UsedSource, names: dict[str, str]) -> ChangeInput:
    changes = source.section.changes
    assert changes is not None
    topics = topic_input_now(project, source.name, source.section)
    if topics is not None:
        return ChangeInput(
            topics.key, changes, topics.slots, topics.change_slots, names, topics=topics
        )
    files = change_files(project, source)
    key = f"sources.{source.name}.changes.path"
    everything = [*files, *transaction_files(project, source)]
    return ChangeInput(key, changes, everything, len(files), names)


def _image_columns(rows: DataFrame) -> tuple[str, ...]:
    """The names of all fields; one more than MOST_FIELDS if there are more."""
    keys = rows.select(F.explode(F.expr(json_text.keys_sql("after"))).alias("name"))
    return tuple(sorted(row["name"] for row in keys.distinct().limit(MOST_FIELDS + 1).collect()))


def _text_rows(
    rows: DataFrame, columns: tuple[str, ...], section: LogSource, table: UsedTable
) -> DataFrame:
    changes = section.changes
    modes = modes_of(changes, table.database_name)
    texts = {name: column_text("after", name, modes) for name in columns}
    return rows.selectExpr(
        *(
            f"CASE WHEN NOT {is_unavailable(t, changes)} THEN {t} END AS {quoted(n)}"
            for n, t in texts.items()
        ),
        f"CASE WHEN NOT valid THEN '{NOT_IN_ENCODING}' END AS {UNREADABLE}",
        f"op IN ('{CREATE}', '{SNAPSHOT}') AS {IS_NEW_ROW}",
    )
