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
from cutline.project.source import DebeziumChanges
from cutline.sources.change_file import MESSAGE, ChangeFile
from cutline.sources.predicate import sliced
from cutline.sources.rows import (
    NOT_IN_ENCODING,
    UNREADABLE,
    key_of,
    null_key,
    of_which,
    wrong_type,
)
from cutline.sources.typed import from_text, quoted
from cutline.sources.used import UsedTable
from cutline.spark import json_text
from cutline.tables.change import DELETE, SNAPSHOT

_UNAVAILABLE = "__debezium_unavailable_value"
_SEQUENCE = r'^\s*\[\s*(?:null|"?([0-9]{1,20})"?)\s*,\s*(?:null|"?([0-9]{1,20})"?)\s*\]\s*$'


def changes_of(
    file: ChangeFile,
    table: UsedTable,
    columns: tuple[str, ...],
    region: str,
) -> DataFrame:
    """One row per change of the table whose row is in the slice, with what `changed_rows` needs.

    `columns` are those of the source's table; the predicate sees them as text, as they are in
    `after`, for a deletion in `before`. A change without a row belongs to every slice.
    """
    mine = file.lines.where(
        (F.col("table") == table.database_name) & (F.col("op") != MESSAGE)
    ).withColumns({side: _object(side) for side in ("before", "after")})
    image = F.coalesce(F.col("after"), F.col("before"))
    names = dict.fromkeys((*columns, *table.columns))
    seen = mine.select(
        *(json_text.text(image, n).alias(n) for n in names),
        *(F.col(c).alias(f"_cutline_{c}") for c in _ENVELOPE),
        F.when(~F.col("valid"), F.lit(NOT_IN_ENCODING))
        .when(image.isNull(), F.lit("no-image"))
        .alias(UNREADABLE),
    )
    rows = sliced(seen, table, region, {})
    return rows.select(*(F.col(f"_cutline_{c}").alias(c) for c in _ENVELOPE), UNREADABLE)


def changed_rows(
    rows: DataFrame, table: UsedTable, section: DebeziumChanges, extract_time: dt.datetime
) -> DataFrame:
    """The rows of `changes_of` as rows of the table's changes.

    The defects are those of `after`, for a deletion of `before`. A `before` with a defect beside a
    readable `after` is null: unknown, rather than half known.
    """
    point = F.lit(f"{lsn(section.consistent_point):0{LSN_DIGITS}d}")
    whole, deletes = F.col(UNREADABLE).isNull(), F.col("op") == DELETE
    shown = {"after": whole & ~deletes & F.col("after").isNotNull()}
    shown["before"] = whole & F.col("before").isNotNull()
    placed = rows.withColumns(
        {
            "_told": _sequence_number(1),
            "_row": F.coalesce(_sequence_number(2), _padded(F.col("lsn"))),
            "_after_shown": shown["after"],
            "_before_shown": shown["before"],
        }
    ).withColumns(
        {
            "_commit": F.when(F.col("_told") >= F.coalesce("_row", "_told"), F.col("_told")),
            "_late": F.coalesce(F.col("_row") >= point, F.lit(False)),
        }
    )
    read = _typed(_typed(placed, "after", table), "before", table)
    streamed = F.col("op") != SNAPSHOT
    defects = of_which(
        F.col(UNREADABLE),
        F.when(whole & deletes & F.col("before").isNull(), F.lit("no-before")),
        F.when(whole & ~deletes & F.col("after").isNull(), F.lit("no-after")),
        F.when(streamed & F.col("_commit").isNull() & ~F.col("_late"), F.lit("unknown-commit")),
        F.when(streamed & F.col("committed").isNull(), F.lit("no-commit-time")),
        *(F.when(F.col("_after_shown"), d) for d in _defects("after", table)),
        *(F.when(F.col("_before_shown") & deletes, d) for d in _defects("before", table)),
    )
    half_known = ~deletes & F.coalesce(*_defects("before", table)).isNotNull()
    keys = {s: key_of(_values(s, table), table) for s in ("after", "before")}
    return read.withColumn("defects", defects).select(
        F.lit(table.source).alias("source"),
        F.lit(table.name).alias("table"),
        F.when(deletes, keys["before"]).otherwise(keys["after"]).alias("key"),
        "op",
        F.when(F.col("_before_shown") & ~half_known, _row("before", table)).alias("before"),
        F.when(F.col("_after_shown"), _row("after", table)).alias("after"),
        F.concat_ws(
            ".",
            F.coalesce(F.col("_commit"), F.when(F.col("_late"), F.col("_row")), point),
            F.coalesce(F.col("_row"), F.lit("0" * LSN_DIGITS)),
            _ordinal(),
        ).alias("position"),
        "transaction",
        F.when(streamed, F.col("committed")).alias("source_time"),
        F.lit(extract_time).cast("timestamp").alias("extract_time"),
        "defects",
        F.when(F.size("defects") > 0, F.make_valid_utf8("line")).alias("payload"),
    )


def _typed(rows: DataFrame, side: str, table: UsedTable) -> DataFrame:
    """The rows with the text and the value of every column of one image.

    They become columns of their own, in two steps: an expression that is used often would
    otherwise be computed as often. Null where the image is not shown.
    """
    image = F.when(F.col(f"_{side}_shown"), F.col(side))
    texts = {f"_{side}_text_{n}": json_text.text(image, n) for n in table.columns}
    there = {f"_{side}_has_{n}": json_text.node(image, n).isNotNull() for n in table.columns}
    values = {
        f"_{side}_value_{n}": F.when(~_unavailable(side, n), from_text(_text(side, n), ddl))
        for n, ddl in table.columns.items()
    }
    return rows.withColumns(texts | there).withColumns(values)


def _defects(side: str, table: UsedTable) -> list[Column]:
    defects: list[Column] = []
    values = _values(side, table)
    for name in table.columns:
        defects.append(
            F.when(~F.col(quoted(f"_{side}_has_{name}")), F.lit(f"missing:{name}"))
            .when(_unavailable(side, name), F.lit(f"unavailable:{name}"))
            .otherwise(wrong_type(name, _text(side, name), values[name]))
        )
    return defects + [null_key(n, _text(side, n)) for n in table.contract.key()]


def _values(side: str, table: UsedTable) -> dict[str, Column]:
    return {n: F.col(quoted(f"_{side}_value_{n}")) for n in table.columns}


def _row(side: str, table: UsedTable) -> Column:
    return F.struct(*(v.alias(n) for n, v in _values(side, table).items()))


def _text(side: str, name: str) -> Column:
    return F.col(quoted(f"_{side}_text_{name}"))


def _unavailable(side: str, name: str) -> Column:
    return F.coalesce(_text(side, name) == F.lit(_UNAVAILABLE), F.lit(False))


def _sequence_number(place: int) -> Column:
    """One number of `source.sequence`, padded; null where it is null or the text is none."""
    found = F.regexp_extract("sequence", _SEQUENCE, place)
    return _padded(F.when(found != "", found))


def _padded(number: Column) -> Column:
    return F.when(number.rlike("^[0-9]{1,20}$"), F.lpad(number, LSN_DIGITS, "0"))


def _ordinal() -> Column:
    """The row's number in its transaction where the connector gives it, else its line's."""
    told = F.when(F.col("order").rlike(f"^[0-9]{{1,{ORDINAL_DIGITS}}}$"), F.col("order"))
    return F.lpad(F.coalesce(told, F.col("place").cast("string")), ORDINAL_DIGITS, "0")


def _object(side: str) -> Column:
    return F.when(json_text.is_object(F.col(side)), F.col(side))


_ENVELOPE = (
    "line",
    "place",
    "op",
    "sequence",
    "lsn",
    "transaction",
    "order",
    "committed",
    "before",
    "after",
)
