"""Changes of a table as rows of its changes table, each image typed by the contract."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import DataFrame

from cutline.project.changes import Changes
from cutline.sources.changes.deliveries import may_redeliver
from cutline.sources.changes.formats import absent_is_null, before_is_key, may_lack_columns
from cutline.sources.changes.modes import Modes, modes_of
from cutline.sources.changes.renames import HALF
from cutline.sources.changes.table_changes import KEY_CHANGE_PART, SIDES, UNFINISHED, shape_column
from cutline.sources.changes.unavailable import is_unavailable
from cutline.sources.changes.values import column_text, column_value
from cutline.sources.defects import null_key, wrong_type
from cutline.sources.exact_cast import cast_text
from cutline.sources.lift import lift_defects, with_lifted_values
from cutline.sources.rows import NO_DEFECTS, UNREADABLE, timestamp_sql, with_key
from cutline.sources.used_tables import UsedTable
from cutline.spark import json_text
from cutline.sql.spark import any_of, literal, quoted
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE


def log_changes(
    rows: DataFrame, table: UsedTable, section: Changes, extract_time: dt.datetime
) -> DataFrame:
    """The rows of `slice_rows` as rows of the table's changes table.

    The defects are those of `after`; of a deletion, those of `before`. A `before` that lacks a
    column, or has a defect beside a readable `after`, is null: unknown rather than incomplete. A
    deletion of which only the key is known has no defect. The columns deliveries.DELIVERY follow
    where a change may be redelivered.
    """
    modes = modes_of(section, table.database_name)
    typed = _with_image_flags(rows, table)
    for side in SIDES:
        typed = _with_typed_image(typed, side, table, section, modes)
    typed = _with_record_key(typed, table, modes)
    after, before = (_image_defects(side, table, section) for side in ("after", "before"))
    unknown = {side: _unknown_columns(side, table, section) for side in SIDES}
    defects = ", ".join(
        [
            # Defects of missing surroundings come first: counts by rule use the first defect.
            f"CASE WHEN {KEY_CHANGE_PART} = '{HALF}' THEN 'half-a-key-change' END",
            f"CASE WHEN {UNFINISHED} THEN 'transaction-unfinished' END",
            UNREADABLE,
            "CASE WHEN whole AND deletes AND before IS NULL AND record_key IS NULL"
            " THEN 'no-image' END",
            "CASE WHEN whole AND NOT deletes AND after IS NULL THEN 'no-after' END",
            f"CASE WHEN streamed AND position IS NULL AND NOT {UNFINISHED} THEN 'no-position' END",
            "CASE WHEN streamed AND committed IS NULL THEN 'no-commit-time' END",
            *(f"CASE WHEN after_shown THEN {d} END" for d in after),
            *(f"CASE WHEN before_shown AND deletes THEN {d} END" for d in before),
        ]
    )
    key_only = f"{before_is_key(section)} AND op IN ('{UPDATE}', '{DELETE}')"
    missing = any_of([*unknown["before"].values(), *_columns_missing_before(table, section)])
    sound = f"(deletes OR coalesce({', '.join(before)}) IS NULL)"
    with_defects = typed.selectExpr(
        "*",
        f"CASE WHEN coalesce({defects}) IS NULL THEN {NO_DEFECTS}"
        f" ELSE array_compact(array({defects})) END AS defects",
        f"before_shown AND NOT ({key_only}) AND NOT {missing} AND {sound} AS before_known",
        f"{_unknown_names(unknown['after'])} AS unknown",
    )
    delivery = (
        "own",
        *(
            f"CASE WHEN {side} IS NOT NULL THEN xxhash64(CAST({side} AS string)) END AS {side}_hash"
            for side in SIDES
        ),
        "make_valid_utf8(line) AS text",
    )
    key_before = "coalesce(before_key, record_key)"
    key_after = "coalesce(after_key, record_key, before_key)"
    return with_defects.selectExpr(
        f"{literal(table.source)} AS source",
        f"{literal(table.name)} AS `table`",
        f"CASE WHEN deletes THEN {key_before} ELSE {key_after} END AS key",
        f"CASE WHEN op = '{UPDATE}' AND before_key <> after_key THEN before_key END AS old_key",
        "op",
        f"CASE WHEN before_known THEN {_struct_sql('before', table)} END AS before",
        f"CASE WHEN after_shown THEN {_struct_sql('after', table)} END AS after",
        "CASE WHEN after_shown THEN unknown END AS unknown",
        "position",
        "commit",
        "transaction",
        "partition",
        "offset",
        "CAST(NULL AS int) AS generation",
        "CASE WHEN streamed THEN committed END AS source_time",
        # The connector read a row of its own snapshot when it says, not when the file was taken.
        f"CASE WHEN streamed OR committed IS NULL THEN {timestamp_sql(extract_time)}"
        " ELSE committed END AS extract_time",
        "defects",
        "CASE WHEN size(defects) > 0 THEN make_valid_utf8(line) END AS payload",
        *(delivery if may_redeliver(section) else ()),
    )


def _with_image_flags(rows: DataFrame, table: UsedTable) -> DataFrame:
    """The rows with the operation's consequences for their images, as columns of true and false."""
    flagged = rows.selectExpr(
        "*",
        f"{UNREADABLE} IS NULL AS whole",
        f"op = '{DELETE}' AS deletes",
        f"op <> '{SNAPSHOT}' AS streamed",
    )
    has_shape = "before_shape IS NOT NULL" if table.has_older else "true"
    return flagged.selectExpr(
        "*",
        "whole AND NOT deletes AND after IS NOT NULL AS after_shown",
        f"whole AND before IS NOT NULL AND {has_shape} AS before_shown",
    )


def _with_typed_image(
    rows: DataFrame, side: str, table: UsedTable, section: Changes, modes: Modes
) -> DataFrame:
    """The rows with the text and the value of every column of one image, and its key.

    Text and value become columns, in two steps: an expression that is used often would otherwise be
    computed as often. Null where the image is not shown.
    """
    image = f"CASE WHEN {side}_shown THEN {side} END"
    names = table.read_columns
    texts = [f"{column_text(image, n, modes)} AS {_text_column(side, n)}" for n in names]
    presence = [
        f"{json_text.node_sql(image, n)} IS NOT NULL AS {_presence_column(side, n)}" for n in names
    ]
    values = [
        f"CASE WHEN NOT {is_unavailable(_text_column(side, n), section)}"
        f"{_and_if_shape(side, table, k)}"
        f" THEN {column_value(image, n, _text_column(side, n), ddl, modes)} END"
        f" AS {quoted(_value_column(side, n, k))}"
        for k, columns in enumerate(table.shapes)
        for n, ddl in columns.items()
    ]
    typed = rows.selectExpr("*", *texts, *presence).selectExpr("*", *values)
    if table.has_older:
        typed = with_lifted_values(
            typed, table, shape_column(side), lambda k, n: _value_column(side, n, k)
        )
    return with_key(typed, f"{side}_key", {n: _value_column(side, n) for n in table.columns}, table)


def _with_record_key(rows: DataFrame, table: UsedTable, modes: Modes) -> DataFrame:
    """The rows with the record's own key, for rows without an image that has the key."""
    texts = {n: column_text("key", n, modes) for n in table.contract.key()}
    values = [
        f"CASE WHEN NOT after_shown THEN {cast_text(text, table.columns[n])} END"
        f" AS {quoted(_value_column('record', n))}"
        for n, text in texts.items()
    ]
    typed = rows.selectExpr("*", *values)
    return with_key(
        typed, "record_key", {n: _value_column("record", n) for n in table.contract.key()}, table
    )


def _unknown_columns(side: str, table: UsedTable, section: Changes) -> dict[str, str]:
    """By column, SQL for whether an image of the newest shape leaves the column unknown."""
    newest = f" AND {shape_column(side)} = 0" if table.has_older else ""
    absent = "false"
    if side == "after":
        absent = "partial"
    elif not absent_is_null(section, side):
        absent = "true"
    return {
        n: f"({side}_shown{newest} AND"
        f" ({is_unavailable(_text_column(side, n), section)}"
        f" OR ({absent} AND NOT {_presence_column(side, n)})))"
        for n in table.columns
    }


def _columns_missing_before(table: UsedTable, section: Changes) -> list[str]:
    """SQL for each column that an image before of an older shape may lack: it is unknown, not null.

    What was lifted without it is no row of the newest shape.
    """
    if absent_is_null(section, "before") or not may_lack_columns(section, "before"):
        return []
    return [
        f"(before_shown AND {shape_column('before')} = {k} AND NOT {_presence_column('before', n)})"
        for k, columns in enumerate(table.shapes)
        for n in columns
        if k
    ]


def _unknown_names(unknown: dict[str, str]) -> str:
    """SQL for the names of the unknown columns; null if there are none."""
    names = ", ".join(f"CASE WHEN {sql} THEN {literal(n)} END" for n, sql in unknown.items())
    return f"CASE WHEN {any_of(list(unknown.values()))} THEN array_compact(array({names})) END"


def _image_defects(side: str, table: UsedTable, section: Changes) -> list[str]:
    """SQL for each defect that an image may have, null for a row without it."""
    defects = []
    for k, columns in enumerate(table.shapes):
        other_shape = f"WHEN {shape_column(side)} <> {k} THEN NULL " if table.has_older else ""
        for name in columns:
            wrong = wrong_type(name, _text_column(side, name), quoted(_value_column(side, name, k)))
            unknown = f"WHEN {is_unavailable(_text_column(side, name), section)} THEN NULL"
            if k:
                # A value that an older shape does not have cannot be lifted.
                unknown = unknown.replace("NULL", literal(f"unavailable:{name}"))
            missing = _missing_case(side, name, section, k)
            defects.append(f"CASE {other_shape}{missing}{unknown} ELSE {wrong} END")
    nulls = [null_key(n, _text_column(side, n)) for n in table.contract.key()]
    if side == "before":
        nulls = [f"CASE WHEN record_key IS NULL THEN {null} END" for null in nulls]
    if not table.has_older:
        return defects + nulls
    newest = [f"CASE WHEN {shape_column(side)} = 0 THEN {null} END" for null in nulls]
    lifting = lift_defects(table, shape_column(side), lambda k, n: _value_column(side, n, k))
    return defects + newest + lifting


def _missing_case(side: str, name: str, section: Changes, k: int) -> str:
    """A WHEN for a column that an image of shape `k` lacks; empty where that only leaves the
    column unknown, or says that it is null.
    """
    if side == "before":
        return ""
    absent = f"NOT {_presence_column(side, name)}"
    # A value that is not told cannot be lifted.
    unavailable = f"WHEN partial AND {absent} THEN {literal(f'unavailable:{name}')} " if k else ""
    if absent_is_null(section, side):
        return unavailable
    return f"{unavailable}WHEN NOT partial AND {absent} THEN {literal(f'missing:{name}')} "


def _and_if_shape(side: str, table: UsedTable, k: int) -> str:
    return f" AND {shape_column(side)} = {k}" if table.has_older else ""


def _struct_sql(side: str, table: UsedTable) -> str:
    values = (f"{quoted(_value_column(side, n))} AS {quoted(n)}" for n in table.columns)
    return f"struct({', '.join(values)})"


def _value_column(side: str, name: str, k: int = 0) -> str:
    """The name of the column with the typed value of an image of shape `k`."""
    return f"_{side}_value{k or ''}_{name}"


def _text_column(side: str, name: str) -> str:
    return quoted(f"_{side}_text_{name}")


def _presence_column(side: str, name: str) -> str:
    return quoted(f"_{side}_has_{name}")
