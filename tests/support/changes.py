"""Literal source rows for tests: a few dicts become a changes table."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.cut import CutLines, CutPolicy, ExportedSnapshot
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import Changes
from cutline.positions import FIRST_DIGITS, PostgresPosition
from cutline.tables.change import SNAPSHOT, changes
from cutline.translator import SourceContract

EXTRACTED = dt.datetime(2026, 11, 1, 2, 0, tzinfo=dt.UTC)
START = "0" * 20 + "." + "0" * 20 + "." + "0" * 10

Row = Mapping[str, Any]
WHOLE = ChangeFeatures()


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
    key: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """A change committed at position `commit`, at ISO time `at`; `key` where no image tells it."""
    moment = dt.datetime.fromisoformat(at) if at else EXTRACTED + dt.timedelta(minutes=commit)
    return {
        "op": op,
        "before": before,
        "after": after,
        "position": position(commit),
        "key": key,
        "source_time": moment,
        "defects": [],
    }


def changes_table(
    spark: SparkSession,
    contract: type[SourceContract],
    rows: Sequence[Mapping[str, Any]],
    *,
    consistent_point: str | None = None,
    history: CutPolicy | None = None,
    line: CutPolicy | None = None,
    features: ChangeFeatures = WHOLE,
) -> Changes:
    """The changes table of a contract, from `snapshot` and `change` rows; `history` ends it.

    The snapshot ends at `consistent_point`, or at `line`.
    """
    names = list(contract.columns())
    table = changes(contract.source(), contract.table(), contract.ddl())

    def image(row: Row | None) -> dict[str, Any] | None:
        return None if row is None else {name: row.get(name) for name in names}

    def key(row: Mapping[str, Any]) -> str:
        image = row.get("after") or row.get("before") or {}
        values = row.get("key") or [image.get(k) for k in contract.key()]
        return json.dumps(values, separators=(",", ":"), default=str)

    def logged(row: Mapping[str, Any]) -> bool:
        return bool(row.get("logged", row["op"] != SNAPSHOT))

    change_rows = [
        (
            contract.source(),
            contract.table(),
            key(row),
            row.get("old_key"),
            row["op"],
            image(row.get("before")),
            image(row.get("after")),
            row.get("unknown"),
            row["position"],
            row.get("commit", None if row["op"] == SNAPSHOT else row["position"][:FIRST_DIGITS]),
            row.get("transaction"),
            row.get("partition", 0) if logged(row) else None,
            row.get("offset", place) if logged(row) else None,
            row.get("generation", 0) if row["op"] == SNAPSHOT else None,
            row.get("source_time"),
            EXTRACTED,
            row["defects"],
            None,
        )
        for place, row in enumerate(rows)
    ]
    if consistent_point is not None:
        line = exported_at(consistent_point)
    return Changes(spark.createDataFrame(change_rows, table.ddl), CutLines(line, history), features)


def exported_at(point: str) -> ExportedSnapshot:
    """The cut at the commit of a position."""
    return ExportedSnapshot(PostgresPosition(int(point[:FIRST_DIGITS])), point)
