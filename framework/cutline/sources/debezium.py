"""Changes of PostgreSQL tables as Debezium tells them, as rows of a changes table.

The commit's position is the first of the two numbers in `source.sequence`. Where it is null, the
row's own place decides only if it lies behind the consistent point, because a commit comes after
its rows; otherwise the change cannot be placed and is a defect.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.positions import LSN_DIGITS, ORDINAL_DIGITS, lsn
from cutline.project.source import DebeziumChanges
from cutline.sources import json_text
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
from cutline.sources.typed import from_text
from cutline.sources.used import UsedTable
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
    after, before = _image("after", table), _image("before", table)
    whole = F.col(UNREADABLE).isNull()
    deletion = whole & (F.col("op") == DELETE)
    kept = whole & (F.col("op") != DELETE)
    has_after, has_before = F.col("after").isNotNull(), F.col("before").isNotNull()
    placed = rows.withColumns(
        {
            "_commit": _sequence_number(1),
            "_row": F.coalesce(_sequence_number(2), _padded(F.col("lsn"))),
        }
    )
    point = F.lit(f"{lsn(section.consistent_point):0{LSN_DIGITS}d}")
    late = F.coalesce(F.col("_row") >= point, F.lit(False))
    streamed = F.col("op") != SNAPSHOT
    defects = of_which(
        F.col(UNREADABLE),
        F.when(deletion & ~has_before, F.lit("no-before")),
        F.when(kept & ~has_after, F.lit("no-after")),
        F.when(streamed & F.col("_commit").isNull() & ~late, F.lit("unknown-commit")),
        F.when(streamed & F.col("committed").isNull(), F.lit("no-commit-time")),
        *(F.when(kept & has_after, d) for d in after.defects),
        *(F.when(deletion & has_before, d) for d in before.defects),
    )
    half_known = kept & F.coalesce(*before.defects).isNotNull()
    return (
        placed.select(
            F.lit(table.source).alias("source"),
            F.lit(table.name).alias("table"),
            F.when(deletion, before.key).when(whole, after.key).alias("key"),
            "op",
            F.when(whole & has_before & ~half_known, before.row).alias("before"),
            F.when(kept & has_after, after.row).alias("after"),
            F.concat_ws(
                ".",
                F.coalesce(F.col("_commit"), F.when(late, F.col("_row")), point),
                F.coalesce(F.col("_row"), F.lit("0" * LSN_DIGITS)),
                _ordinal(),
            ).alias("position"),
            "transaction",
            F.when(streamed, F.col("committed")).alias("source_time"),
            F.lit(extract_time).cast("timestamp").alias("extract_time"),
            defects.alias("defects"),
            F.make_valid_utf8("line").alias("_line"),
        )
        .withColumn("payload", F.when(F.size("defects") > 0, F.col("_line")))
        .drop("_line")
    )


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


@dataclass(frozen=True)
class _Image:
    row: Column
    key: Column
    defects: list[Column]


def _image(side: str, table: UsedTable) -> _Image:
    texts = {n: json_text.text(F.col(side), n) for n in table.columns}
    unknown = {n: texts[n] == F.lit(_UNAVAILABLE) for n in table.columns}
    values = {
        n: F.when(~F.coalesce(unknown[n], F.lit(False)), from_text(texts[n], ddl))
        for n, ddl in table.columns.items()
    }
    defects: list[Column] = []
    for name, text in texts.items():
        missing = json_text.node(F.col(side), name).isNull()
        defects.append(
            F.when(missing, F.lit(f"missing:{name}"))
            .when(unknown[name], F.lit(f"unavailable:{name}"))
            .otherwise(wrong_type(name, text, values[name]))
        )
    return _Image(
        F.struct(*(values[n].alias(n) for n in table.columns)),
        key_of(values, table),
        [*defects, *(null_key(n, texts[n]) for n in table.contract.key())],
    )


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
