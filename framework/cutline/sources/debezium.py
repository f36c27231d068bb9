"""Changes of PostgreSQL tables as Debezium tells them, as rows of a changes table.

The commit's position is the first of the two numbers in `source.sequence`. A commit comes after
its rows, so where that number is null or less than the row's own, it is an earlier transaction's
and this one's is not known. The row's own place then decides if it lies behind the consistent
point; otherwise the change cannot be placed and is a defect, rather than taken for visible.
"""

from __future__ import annotations

import datetime as dt

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.positions import LSN_DIGITS, ORDINAL_DIGITS, lsn
from cutline.sources.change_file import MESSAGE, ChangeFile
from cutline.sources.defects import null_key, wrong_type
from cutline.sources.lift import lift_defects, lifted
from cutline.sources.predicate import sliced
from cutline.sources.rows import (
    NO_DEFECTS,
    NOT_IN_ENCODING,
    UNREADABLE,
    moment,
    with_key,
)
from cutline.sources.shapes import Telling
from cutline.sources.sql_text import literal, quoted
from cutline.sources.typed import from_text
from cutline.sources.used import UsedTable
from cutline.spark import json_text
from cutline.tables.change import DELETE, SNAPSHOT

_UNAVAILABLE = "__debezium_unavailable_value"
_SEQUENCE = r'^\s*\[\s*(?:null|"?([0-9]{1,20})"?)\s*,\s*(?:null|"?([0-9]{1,20})"?)\s*\]\s*$'
_ENVELOPE = (
    "line",
    "op",
    "commit",
    "late",
    "position",
    "transaction",
    "committed",
    "before",
    "after",
)
_SIDES = ("before", "after")


def changes_of(
    file: ChangeFile, table: UsedTable, columns: tuple[str, ...], point: str, region: str
) -> DataFrame:
    """One row per change of the table whose row is in the slice, with what `changed_rows` needs.

    `columns` are those of the source's table; the predicate sees them as text, as they are in
    `after`, for a deletion in `before`. A change without a row belongs to every slice. `point` is
    the snapshot's consistent point.
    """
    mine = file.lines.where(
        (F.col("table") == table.database_name) & (F.col("op") != MESSAGE)
    ).withColumns({side: _object(side) for side in _SIDES})
    mine = _placed(mine, f"'{lsn(point):0{LSN_DIGITS}d}'")
    image = "coalesce(after, before)"
    envelope: tuple[str, ...] = _ENVELOPE
    unknown = "CAST(NULL AS string)"
    if table.has_older:
        mine = _with_shapes(mine, table)
        envelope = (*envelope, *(_shape(side) for side in _SIDES))
        unknown = f"CASE WHEN after IS NOT NULL THEN {_strange('after')}"
        unknown += f" ELSE {_strange('before')} END"
    names = dict.fromkeys((*columns, *table.read_columns))
    seen = mine.selectExpr(
        *(f"{json_text.text_sql(image, n)} AS {quoted(n)}" for n in names),
        *(f"{quoted(c)} AS {_kept(c)}" for c in envelope),
        f"CASE WHEN NOT valid THEN '{NOT_IN_ENCODING}' WHEN {image} IS NULL THEN 'no-image'"
        f" ELSE {unknown} END AS {UNREADABLE}",
    )
    rows = sliced(seen, table, region, {})
    return rows.selectExpr(*(f"{_kept(c)} AS {quoted(c)}" for c in envelope), UNREADABLE)


def changed_rows(rows: DataFrame, table: UsedTable, extract_time: dt.datetime) -> DataFrame:
    """The rows of `changes_of` as rows of the table's changes.

    The defects are those of `after`, for a deletion of `before`. A `before` with a defect beside a
    readable `after` is null: unknown, rather than half known.
    """
    read = _shown(rows, table)
    for side in ("after", "before"):
        read = _typed(read, side, table)
    after, before = _defects("after", table), _defects("before", table)
    found = ", ".join(
        [
            UNREADABLE,
            "CASE WHEN whole AND deletes AND before IS NULL THEN 'no-before' END",
            "CASE WHEN whole AND NOT deletes AND after IS NULL THEN 'no-after' END",
            "CASE WHEN streamed AND commit IS NULL AND NOT late THEN 'unknown-commit' END",
            "CASE WHEN streamed AND committed IS NULL THEN 'no-commit-time' END",
            *(f"CASE WHEN after_shown THEN {d} END" for d in after),
            *(f"CASE WHEN before_shown AND deletes THEN {d} END" for d in before),
        ]
    )
    judged = read.selectExpr(
        "*",
        f"CASE WHEN coalesce({found}) IS NULL THEN {NO_DEFECTS}"
        f" ELSE array_compact(array({found})) END AS defects",
        f"before_shown AND (deletes OR coalesce({', '.join(before)}) IS NULL) AS before_known",
    )
    return judged.selectExpr(
        f"{literal(table.source)} AS source",
        f"{literal(table.name)} AS `table`",
        "CASE WHEN deletes THEN before_key ELSE after_key END AS key",
        "op",
        f"CASE WHEN before_known THEN {_row('before', table)} END AS before",
        f"CASE WHEN after_shown THEN {_row('after', table)} END AS after",
        "position",
        "transaction",
        "CASE WHEN streamed THEN committed END AS source_time",
        f"{moment(extract_time)} AS extract_time",
        "defects",
        "CASE WHEN size(defects) > 0 THEN make_valid_utf8(line) END AS payload",
    )


def _placed(rows: DataFrame, point: str) -> DataFrame:
    """The rows with their places in the log: the commit's, and their own."""
    told = rows.selectExpr(
        "*",
        f"{_sequence_number(1)} AS told",
        f"coalesce({_sequence_number(2)}, {_padded('lsn')}) AS row",
    ).selectExpr(
        "*",
        "CASE WHEN told >= coalesce(row, told) THEN told END AS commit",
        f"coalesce(row >= {point}, false) AS late",
    )
    return told.selectExpr(
        "*",
        f"concat_ws('.', coalesce(commit, CASE WHEN late THEN row END, {point}),"
        f" coalesce(row, '{0:0{LSN_DIGITS}d}'), {_ORDINAL}) AS position",
    )


def _with_shapes(rows: DataFrame, table: UsedTable) -> DataFrame:
    """The rows with the shape of each image, and of an image that has none, why."""
    by = table.told_by
    read = {f"{side}_keys": json_text.keys_sql(side) for side in _SIDES}
    if by is not None:
        read |= {f"{side}_time": json_text.text_sql(side, by) for side in _SIDES}
    told = rows.selectExpr("*", *(f"{sql} AS {name}" for name, sql in read.items()))
    found = []
    for side in _SIDES:
        time = None if by is None else from_text(f"{side}_time", table.time_ddl)
        telling = Telling(table, f"{side}_keys", "position", time, left_out=False)
        found.append(f"{telling.told} AS {side}_told")
    parts = (
        sql
        for side in _SIDES
        for sql in (
            f"{side}_told.shape AS {_shape(side)}",
            f"{side}_told.unknown AS {_strange(side)}",
        )
    )
    return told.selectExpr("*", *found).selectExpr("*", *parts)


def _shape(side: str) -> str:
    """The column with the number of an image's shape, for a table with older shapes."""
    return f"{side}_shape"


def _strange(side: str) -> str:
    return f"{side}_strange"


def _shown(rows: DataFrame, table: UsedTable) -> DataFrame:
    """The rows with what their operation says of their images."""
    told = rows.selectExpr(
        "*",
        f"{UNREADABLE} IS NULL AS whole",
        f"op = '{DELETE}' AS deletes",
        f"op <> '{SNAPSHOT}' AS streamed",
    )
    known = "before_shape IS NOT NULL" if table.has_older else "true"
    return told.selectExpr(
        "*",
        "whole AND NOT deletes AND after IS NOT NULL AS after_shown",
        f"whole AND before IS NOT NULL AND {known} AS before_shown",
    )


def _typed(rows: DataFrame, side: str, table: UsedTable) -> DataFrame:
    """The rows with the text and the value of every column of one image, and its key.

    They become columns of their own, in two steps: an expression that is used often would
    otherwise be computed as often. Null where the image is not shown.
    """
    image = f"CASE WHEN {side}_shown THEN {side} END"
    names = table.read_columns
    texts = [f"{json_text.text_sql(image, n)} AS {_text(side, n)}" for n in names]
    there = [f"{json_text.node_sql(image, n)} IS NOT NULL AS {_there(side, n)}" for n in names]
    values = [
        f"CASE WHEN NOT {_unavailable(side, n)}{_and_of_shape(side, table, k)}"
        f" THEN {from_text(_text(side, n), ddl)} END AS {quoted(_value(side, n, k))}"
        for k, columns in enumerate(table.shapes)
        for n, ddl in columns.items()
    ]
    typed = rows.selectExpr("*", *texts, *there).selectExpr("*", *values)
    if table.has_older:
        typed = lifted(typed, table, _shape(side), lambda k, n: _value(side, n, k))
    return with_key(typed, f"{side}_key", {n: _value(side, n) for n in table.columns}, table)


def _defects(side: str, table: UsedTable) -> list[str]:
    """SQL for each defect that an image may have, null where it has not."""
    defects = []
    for k, columns in enumerate(table.shapes):
        other = f"WHEN {_shape(side)} <> {k} THEN NULL " if table.has_older else ""
        for name in columns:
            wrong = wrong_type(name, _text(side, name), quoted(_value(side, name, k)))
            defects.append(
                f"CASE {other}WHEN NOT {_there(side, name)} THEN {literal(f'missing:{name}')}"
                f" WHEN {_unavailable(side, name)} THEN {literal(f'unavailable:{name}')}"
                f" ELSE {wrong} END"
            )
    nulls = [null_key(n, _text(side, n)) for n in table.contract.key()]
    if not table.has_older:
        return defects + nulls
    newest = [f"CASE WHEN {_shape(side)} = 0 THEN {null} END" for null in nulls]
    lifting = lift_defects(table, _shape(side), lambda k, n: _value(side, n, k))
    return defects + newest + lifting


def _and_of_shape(side: str, table: UsedTable, k: int) -> str:
    return f" AND {_shape(side)} = {k}" if table.has_older else ""


def _row(side: str, table: UsedTable) -> str:
    values = (f"{quoted(_value(side, n))} AS {quoted(n)}" for n in table.columns)
    return f"struct({', '.join(values)})"


def _value(side: str, name: str, k: int = 0) -> str:
    """The name of the column with the typed value that an image of shape `k` has."""
    return f"_{side}_value{k or ''}_{name}"


def _text(side: str, name: str) -> str:
    return quoted(f"_{side}_text_{name}")


def _there(side: str, name: str) -> str:
    return quoted(f"_{side}_has_{name}")


def _unavailable(side: str, name: str) -> str:
    return f"coalesce({_text(side, name)} = '{_UNAVAILABLE}', false)"


def _kept(name: str) -> str:
    """What a column of the envelope is called beside the row's own."""
    return quoted(f"_cutline_{name}")


def _sequence_number(place: int) -> str:
    """One number of `source.sequence`, padded; null where it is null or the text is none."""
    return _padded(f"nullif(regexp_extract(sequence, r'{_SEQUENCE}', {place}), '')")


def _padded(number: str) -> str:
    return f"CASE WHEN {number} RLIKE '^[0-9]{{1,20}}$' THEN lpad({number}, {LSN_DIGITS}, '0') END"


# The row's number in its transaction where the connector gives it, else its line's.
_ORDINAL = (
    f"lpad(CASE WHEN `order` RLIKE '^[0-9]{{1,{ORDINAL_DIGITS}}}$' THEN `order`"
    f" ELSE CAST(place AS string) END, {ORDINAL_DIGITS}, '0')"
)


def _object(side: str) -> Column:
    return F.when(json_text.is_object(F.col(side)), F.col(side))
