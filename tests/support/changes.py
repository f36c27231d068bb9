"""Literal source rows for tests: a few dicts become a changes table."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import Changes
from cutline.tables.change import changes
from cutline.translator import SourceContract

EXTRACTED = dt.datetime(2026, 11, 1, 2, 0, tzinfo=dt.UTC)
START = "0" * 20 + "." + "0" * 20 + "." + "0" * 10

Row = Mapping[str, Any]


def position(commit: int, ordinal: int = 0) -> str:
    """A position that sorts by commit, then ordinal."""
    return f"{commit:020d}.{ordinal:020d}.{0:010d}"


def snapshot(row: Row, *, defects: Sequence[str] = ()) -> dict[str, Any]:
    """A snapshot row."""
    return {"op": "r", "after": row, "position": START, "defects": list(defects)}


def change(
    op: str,
    commit: int,
    *,
    before: Row | None = None,
    after: Row | None = None,
    at: str | None = None,
) -> dict[str, Any]:
    """A change committed at position `commit`, at ISO time `at`."""
    moment = dt.datetime.fromisoformat(at) if at else EXTRACTED + dt.timedelta(minutes=commit)
    return {
        "op": op,
        "before": before,
        "after": after,
        "position": position(commit),
        "source_time": moment,
        "defects": [],
    }


def given(
    spark: SparkSession,
    contract: type[SourceContract],
    rows: Sequence[Mapping[str, Any]],
    *,
    consistent_point: str | None = None,
) -> Changes:
    """The changes table of a contract, from `snapshot` and `change` rows."""
    names = list(contract.columns())
    table = changes(contract.source(), contract.table(), contract.ddl())

    def image(row: Row | None) -> dict[str, Any] | None:
        return None if row is None else {name: row.get(name) for name in names}

    def key(row: Row) -> str:
        return json.dumps([row.get(k) for k in contract.key()], separators=(",", ":"), default=str)

    made = [
        (
            contract.source(),
            contract.table(),
            key(row.get("after") or row["before"]),
            row["op"],
            image(row.get("before")),
            image(row.get("after")),
            row["position"],
            None,
            row.get("source_time"),
            EXTRACTED,
            row["defects"],
            None,
        )
        for row in rows
    ]
    return Changes(spark.createDataFrame(made, table.ddl), consistent_point)
