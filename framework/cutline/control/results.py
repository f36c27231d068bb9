"""A stage's result as JSON, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from cutline.control.columns import as_json
from cutline.stage import StageResult, TableWritten


def to_json(result: StageResult) -> dict[str, Any]:
    """The result as JSON values; `facts` must be JSON already."""
    return {
        "rows_in": result.rows_in,
        "rows_out": result.rows_out,
        "tables": [dataclasses.asdict(table) for table in result.tables],
        "counts": {book: dict(entries) for book, entries in result.counts.items()},
        "facts": as_json(dict(result.facts)),
    }


def as_read_back(result: StageResult) -> StageResult:
    """The result as another process reads it: a continued run sees what an unbroken one does."""
    return from_json(as_json(to_json(result)))


def from_json(stored: Mapping[str, Any]) -> StageResult:
    """The result again. Tuples in `facts` come back as lists."""
    return StageResult(
        rows_in=stored["rows_in"],
        rows_out=stored["rows_out"],
        tables=tuple(TableWritten(**table) for table in stored["tables"]),
        counts=stored["counts"],
        facts=stored["facts"],
    )
