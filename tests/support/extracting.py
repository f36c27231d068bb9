"""Runs the extract stage on a small project, and gives back what it wrote."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline.context import Context
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import StageResult
from cutline.sources import digest_sources
from cutline.stages.extract import run_extract
from cutline.translator import Translator
from cutline.translator.contract import SourceContract
from cutline.workspace import Workspace

SHOP = Context(name="shop", doc="A shop.", aggregates=())
EXTRACT_TIME = dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC)


@dataclass(frozen=True)
class FakeTranslation:
    """Stands for a translation: contracts and a context are all that an extract asks of one.

    A certificate asks for its translators too, and it has none.
    """

    wanted: tuple[type[SourceContract], ...]
    context: Context = SHOP
    translators: tuple[type[Translator], ...] = ()

    def contracts(self) -> tuple[type[SourceContract], ...]:
        return self.wanted


@dataclass(frozen=True)
class Extract:
    """One project in a folder, with the contracts that are read."""

    folder: Path
    sources: dict[str, Any]
    contracts: Sequence[type[SourceContract]]
    live: tuple[str, ...] = ()

    @property
    def translation(self) -> Any:
        return FakeTranslation(tuple(self.contracts))

    @property
    def project(self) -> LoadedProject:
        content = {
            "version": 1,
            "name": "shop",
            "topics": {"prefix": "shop"},
            "sources": self.sources,
            "contexts": {
                "shop": {
                    "translation": {"use": "shop", "major": 1},
                    "cut": {"policy": "commit-timestamp", "at": "2026-11-01T06:00:00Z"},
                    "live": {"aggregates": list(self.live)},
                }
            },
            "regions": {"eu": {}, "us": {}, "all": {"everything": True}},
        }
        return LoadedProject(
            ProjectFile.model_validate(content), self.folder, self.folder / "cutline.yaml", None
        )

    def positions(self, region: str = "eu") -> dict[str, str]:
        return digest_sources(self.project, self.translation, region)

    def run(self, spark: Any, region: str = "eu", **overrides: Any) -> Extracted:
        """Perform the stage for a region; `overrides` replace fields of the workspace."""
        lake = Lake(str(self.folder / "lake" / region))
        workspace_fields: dict[str, Any] = {
            "run_id": "run",
            "region": region,
            "project": self.project,
            "context": self.translation.context,
            "translation": self.translation,
            "lake": lake,
            "recorded_at": EXTRACT_TIME,
            "positions": {},
            "done": {},
            "extract_times": dict.fromkeys(self.sources, EXTRACT_TIME),
        } | overrides
        workspace_fields["positions"] = workspace_fields["positions"] or self.positions(region)
        with lake.scratch_space(spark):
            result = run_extract(Workspace(**workspace_fields))
        return Extracted(spark, lake, result)


@dataclass(frozen=True)
class Extracted:
    """What the stage wrote."""

    spark: Any
    lake: Lake
    result: StageResult

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Rows of `changes_<table>`, these columns or SQL expressions, sorted."""
        frame = self.lake.read(self.spark, f"changes_{table}").selectExpr(*columns)
        return sorted((tuple(row) for row in frame.collect()), key=repr)


def database(path: Path, script: str, rows: dict[str, list[tuple[Any, ...]]] | None = None) -> Path:
    """A SQLite database made by a script, with literal rows by table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
        for table, values in (rows or {}).items():
            marks = ", ".join("?" for _ in values[0])
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    connection.close()
    return path


def write(path: Path, content: str | bytes) -> Path:
    """A file with this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def change(
    op: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    *,
    commit: int | None = 1000,
    row: int = 900,
    table: str = "orders",
    at: str = "2026-11-01T03:00:00+00:00",
    **more: Any,
) -> str:
    """One line of a Debezium file; `more` is laid over the payload."""
    moment = dt.datetime.fromisoformat(at)
    payload = {
        "before": before,
        "after": after,
        "source": {
            "db": "erp",
            "schema": "public",
            "table": table,
            "txId": 77,
            "lsn": row,
            "sequence": json.dumps([None if commit is None else str(commit), str(row)]),
            "ts_ms": int(moment.timestamp() * 1000),
        },
        "op": op,
    } | more
    return json.dumps(payload)
