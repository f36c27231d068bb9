"""The changes of one table that belong to the slice, with the envelope of each."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.project.changes import Changes
from cutline.sources.changes.change_file import ChangeFile
from cutline.sources.changes.formats import before_is_key, may_be_left_out, may_lack_columns
from cutline.sources.changes.modes import modes_of
from cutline.sources.changes.renames import RENAMED
from cutline.sources.changes.unavailable import is_unavailable
from cutline.sources.changes.values import column_text, column_value
from cutline.sources.predicate import filter_slice
from cutline.sources.rows import NOT_IN_ENCODING, UNKNOWN_SHAPE, UNREADABLE
from cutline.sources.shapes import ShapeSql
from cutline.sources.used_tables import UsedTable, mentions
from cutline.spark import json_text
from cutline.sql.spark import any_of, quoted
from cutline.tables.change import DELETE, SNAPSHOT

SIDES = ("before", "after")
KEY_CHANGE_PART, UNFINISHED = "part", "unfinished"
"""Columns: the part of a row in a key change (see renames); whether its transaction has no end."""

_PREFIX = "_cutline_"
_ENVELOPE = (
    *("line", "own", "op", "commit", "partition", "offset", "position", "transaction", "committed"),
    *("key", "partial", "before", "after", KEY_CHANGE_PART, UNFINISHED),
)


def table_rows(file: ChangeFile, table: UsedTable, columns: tuple[str, ...]) -> DataFrame:
    """One row per change of the table, ready for `slice_rows`.

    `columns` are those of the source's table. They are text, from `after` or, for a deletion, from
    `before`; a predicate sees them. The columns that `log_changes` needs follow, with a prefix.
    """
    rows = _rows_with_commits(file, table)
    envelope: tuple[str, ...] = _ENVELOPE
    unknown_shape = "CAST(NULL AS string)"
    if table.has_older:
        rows = _with_shapes(rows, table, file.section)
        envelope = (*envelope, *(shape_column(side) for side in SIDES))
        unknown_shape = f"CASE WHEN after IS NOT NULL THEN {_unknown_shape_column('after')}"
        unknown_shape += f" ELSE {_unknown_shape_column('before')} END"
    names = tuple(dict.fromkeys((*columns, *table.read_columns)))
    nothing = f"op <> '{DELETE}' AND after IS NULL AND before IS NULL"
    unreadable = (
        f"CASE WHEN NOT valid THEN '{NOT_IN_ENCODING}'"
        f" WHEN unreadable IS NOT NULL THEN unreadable WHEN {nothing} THEN 'no-image'"
        f" ELSE {unknown_shape} END"
    )
    modes = modes_of(file.section, table.database_name)
    image = "coalesce(after, before, key)"
    texts = {n: column_text(image, n, modes) for n in names}
    mentioned = [n for n in names if table.predicate and mentions(table.predicate, n)]
    unknown = any_of(
        [
            f"NOT {_shows_all_columns(file)}",
            *(is_unavailable(texts[n], file.section) for n in mentioned),
        ]
    )
    return rows.selectExpr(
        *(
            f"CASE WHEN NOT {is_unavailable(t, file.section)} THEN {t} END AS {quoted(n)}"
            for n, t in texts.items()
        ),
        *(f"{quoted(c)} AS {_envelope_column(c)}" for c in envelope),
        f"{unreadable} AS {_envelope_column(UNREADABLE)}",
        f"coalesce({unreadable}, CASE WHEN {unknown} THEN '{UNKNOWN_SHAPE}' END) AS {UNREADABLE}",
    )


def slice_rows(changes: DataFrame, table: UsedTable, region: str) -> DataFrame:
    """The rows of `table_rows` that belong to the slice, with the columns that `log_changes` needs.

    A change without any image belongs to every slice, and so does one whose value is not known in a
    column that the predicate mentions.
    """
    rows = filter_slice(changes, table, region, {})
    columns = [c for c in rows.columns if c.startswith(_PREFIX)]
    return rows.selectExpr(*(f"{quoted(c)} AS {quoted(c.removeprefix(_PREFIX))}" for c in columns))


def shape_column(side: str) -> str:
    """The column with the number of an image's shape, for a table with older shapes."""
    return f"{side}_shape"


def _shows_all_columns(file: ChangeFile) -> str:
    """SQL for whether a row has all of its columns, unless a value is marked as not known."""
    deleted = "false" if before_is_key(file.section) else "before IS NOT NULL"
    return f"CASE WHEN op = '{DELETE}' THEN {deleted} ELSE NOT partial END"


def _rows_with_commits(file: ChangeFile, table: UsedTable) -> DataFrame:
    """The table's rows with their commits; a created row of a key change has the deleted row's
    image.
    """
    rows = file.rows.where(F.col("table") == table.database_name)
    rows = _with_commit(rows, file)
    if file.unfinished is None:
        rows = rows.withColumn(UNFINISHED, F.lit(False))
    else:
        unfinished = file.unfinished.withColumn(UNFINISHED, F.lit(True))
        is_unfinished = (F.col("op") != SNAPSHOT) & F.coalesce(UNFINISHED, F.lit(False))
        rows = rows.join(unfinished, "transaction", "left").withColumn(UNFINISHED, is_unfinished)
    if file.halves is None:
        return rows.withColumn(KEY_CHANGE_PART, F.lit(None).cast("string"))
    renamed = F.col(KEY_CHANGE_PART).eqNullSafe(RENAMED)
    return rows.join(file.halves, ["file", "number"], "left").withColumns(
        {
            "before": F.when(renamed, F.try_parse_json("image")).otherwise(F.col("before")),
            "op": F.when(renamed, F.lit("u")).otherwise(F.col("op")),
        }
    )


def _with_commit(rows: DataFrame, file: ChangeFile) -> DataFrame:
    """The rows with their commit, from their position or from the end of their transaction."""
    if file.last_places is not None:
        with_last_place = rows.join(file.last_places, "transaction", "left")
        return with_last_place.withColumn(
            "commit", F.coalesce("last_place", F.expr(file.commit_sql))
        )
    if file.commits is None:
        return rows.withColumn("commit", F.expr(file.commit_sql))
    ends = file.commits.withColumnsRenamed({"lsn": "ended", "committed": "ended_at"})
    streamed = F.col("op") != SNAPSHOT
    with_ends = rows.join(ends, "transaction", "left")
    return with_ends.withColumns(
        {
            "commit": F.when(streamed, F.col("ended")),
            "committed": F.when(streamed, F.coalesce("committed", "ended_at")).otherwise(
                F.col("committed")
            ),
            "position": F.when(streamed, F.expr("concat(ended, substr(position, 21))")).otherwise(
                F.col("position")
            ),
        }
    )


def _with_shapes(rows: DataFrame, table: UsedTable, section: Changes) -> DataFrame:
    """The rows with the shape of each image, and the defect of an image of no shape."""
    by, modes = table.shape_time_column, modes_of(section, table.database_name)
    inputs = {f"{side}_keys": json_text.keys_sql(side) for side in SIDES}
    if by is not None:
        inputs |= {f"{side}_time": column_text(side, by, modes) for side in SIDES}
    with_names = rows.selectExpr("*", *(f"{sql} AS {name}" for name, sql in inputs.items()))
    shape_structs = []
    for side in SIDES:
        time = by and column_value(side, by, f"{side}_time", table.shape_time_ddl, modes)
        shape_sql = ShapeSql(
            table,
            f"{side}_keys",
            "position",
            time,
            nulls_omitted=may_lack_columns(section, side),
            partial="partial" if side == "after" else "false",
            left_out=_left_out_of_updates(table, section),
        )
        shape_structs.append(f"{shape_sql.sql} AS {side}_shape_struct")
    parts = (
        sql
        for side in SIDES
        for sql in (
            f"{side}_shape_struct.shape AS {shape_column(side)}",
            f"{side}_shape_struct.unknown AS {_unknown_shape_column(side)}",
        )
    )
    return with_names.selectExpr("*", *shape_structs).selectExpr("*", *parts)


def _left_out_of_updates(table: UsedTable, section: Changes) -> set[str]:
    """The columns of any shape that updates may leave out."""
    types = [item for shape in table.shapes for item in shape.items()]
    return {name for name, ddl in types if may_be_left_out(section, ddl)}


def _unknown_shape_column(side: str) -> str:
    return f"{side}_strange"


def _envelope_column(name: str) -> str:
    """The name of an envelope's column beside the row's own columns."""
    return quoted(f"{_PREFIX}{name}")
