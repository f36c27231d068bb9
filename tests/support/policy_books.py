"""The system's books and its answers, through Python's own sqlite3 and json."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from cutline_translators.policy_admin.truth import TRUTH

REGIONS = ("north", "south")


def rows_of(path: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f"SELECT * FROM {table}")]


def changes_of(folder: Path) -> list[dict[str, Any]]:
    """The change file, document by document."""
    text = (folder / "extract/changes/pas.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def attached(folder: Path) -> sqlite3.Connection:
    """The system as it stands at the cut, as `pas`."""
    database = sqlite3.connect(":memory:")
    database.execute(f"ATTACH '{folder / 'legacy/pas.db'}' AS pas")
    return database


def answer(database: sqlite3.Connection, name: str, region: str) -> list[tuple[Any, ...]]:
    """Its answer for a region, sorted."""
    sql = TRUTH.aggregates.get(name) or TRUTH.outcomes[name]
    return sorted(database.execute(sql, {"region": region}).fetchall())
