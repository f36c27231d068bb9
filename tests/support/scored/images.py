"""What the legacy's log would hold, one image change a row, and the tables that Cutline reads."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cutline.cut import CutLines
from cutline.engine.translate import Changes
from cutline.positions import FIRST_DIGITS
from cutline.tables.change import CREATE, SNAPSHOT, UPDATE, changes
from cutline.translator import SourceContract
from support.changes import EXTRACTED, START, exported_at, position

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Image:
    """One row as it stood before and after one commit; `commit` counts from 1 over the system."""

    before: Row | None
    after: Row
    commit: int
    committed: dt.datetime


def final_rows(contract: type[SourceContract], images: Iterable[Image]) -> list[Row]:
    """The rows as they stand after these images, one a key."""
    rows: dict[tuple[Any, ...], Row] = {}
    for image in images:
        rows[tuple(image.after[name] for name in contract.key())] = image.after
    return list(rows.values())


def snapshot_alone(
    spark: SparkSession, contract: type[SourceContract], rows: Iterable[Row]
) -> Changes:
    """A table without a change file."""
    return Changes(_frame(spark, contract, [_snapshot_row(contract, row) for row in rows]))


def all_changes(
    spark: SparkSession, contract: type[SourceContract], images: Iterable[Image]
) -> Changes:
    """A change file that begins before the first row was written."""
    change_rows = [_change_row(contract, image) for image in images]
    return Changes(_frame(spark, contract, change_rows), CutLines(exported_at(START)))


def snapshot_and_changes(
    spark: SparkSession, contract: type[SourceContract], images: Sequence[Image], commits: int
) -> Changes:
    """A snapshot after so many commits, and the whole change file beside it."""
    shown = final_rows(contract, (image for image in images if image.commit <= commits))
    change_rows = [_snapshot_row(contract, row) for row in shown]
    change_rows += [_change_row(contract, image) for image in images]
    return Changes(
        _frame(spark, contract, change_rows), CutLines(exported_at(position(commits + 1)))
    )


def _snapshot_row(contract: type[SourceContract], row: Row) -> dict[str, Any]:
    return _row(contract, SNAPSHOT, None, row, START, None)


def _change_row(contract: type[SourceContract], image: Image) -> dict[str, Any]:
    op = CREATE if image.before is None else UPDATE
    place = position(image.commit)
    return _row(contract, op, image.before, image.after, place, image.committed)


def _row(
    contract: type[SourceContract],
    op: str,
    before: Row | None,
    after: Row,
    place: str,
    committed: dt.datetime | None,
) -> dict[str, Any]:
    return {
        "source": contract.source(),
        "table": contract.table(),
        "key": json.dumps([after[name] for name in contract.key()], separators=(",", ":")),
        "op": op,
        "before": before,
        "after": after,
        "position": place,
        "commit": None if op == SNAPSHOT else place[:FIRST_DIGITS],
        "source_time": committed,
        "extract_time": EXTRACTED,
        "defects": [],
    }


def _frame(
    spark: SparkSession, contract: type[SourceContract], rows: list[dict[str, Any]]
) -> DataFrame:
    ddl = changes(contract.source(), contract.table(), contract.ddl()).ddl
    schema = T._parse_datatype_string(ddl)
    assert isinstance(schema, T.StructType)
    table = pa.Table.from_pylist(rows, schema=to_arrow_schema(schema, timezone="UTC"))
    return spark.createDataFrame(table, schema=schema)
