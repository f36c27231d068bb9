"""The writers' database as two sources: snapshots are taken in the middle, topics are read at the end.

A run takes both when it begins. Here the database goes on in between, as it does while the snapshot of a
large one is read; all else are the stages of a run.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.api.stages import STAGES
from cutline.lake.lake import Lake
from cutline.positions import PgSnapshot
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import StageResult, read_back
from cutline.sources import digests_of, read_inputs
from cutline.sources.frozen import live_inputs, with_captured_cuts
from cutline.sources.frozen.snapshots import LiveSnapshot
from cutline.sources.postgres import Moment, OpenedSource
from cutline.sources.postgres.table_read import TableRead
from cutline.sources.used_tables import UsedTable, used_sources
from cutline.workspace import Workspace
from support.servers.debezium import Connector
from support.under_load.expected import History, Subject, as_texts
from support.under_load.warehouse import WAREHOUSE

VISIBLE, EXPORTED = "transaction-visibility", "exported-snapshot"
"""The exact ways in which a snapshot of PostgreSQL meets its changes."""

SALES, SHELVES = "sales", "shelves"
"""The sources: one of the orders, one of the stock."""

_TABLES = {SALES: "orders", SHELVES: "stock"}
_CHUNK_ROWS = {SALES: 20, SHELVES: 3}


@dataclass
class ReadSnapshot(OpenedSource):
    """A snapshot that was read, and whose database may have gone away since."""

    reads: list[TableRead] = field(default_factory=list)

    def read(self, tables: tuple[UsedTable, ...], region: str, scratch: str) -> list[TableRead]:
        return self.reads


class LoadedSources:
    """Both sources, each with a policy of its own; their topics are those of one connector.

    `full` says whether changes tell their rows before.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        policies: Mapping[str, str],
        connector: Connector,
        *,
        full: bool,
    ) -> None:
        self.spark, self.folder = spark, folder
        self.project = _project(folder, policies, connector, full=full)
        self.lake = Lake(f"{folder}/lake")
        self._positions = digests_of(read_inputs(self.project, WAREHOUSE, "all"))
        self._handles: dict[str, object] = {}

    def read_snapshot(self, source: str) -> PgSnapshot:
        """Takes the snapshot of a source and reads it, whatever is written meanwhile; what it shows."""
        used = next(u for u in used_sources(self.project, WAREHOUSE, "all") if u.name == source)
        snapshot = LiveSnapshot(used)
        with snapshot.freeze() as (position, opened):
            reads = opened.read(used.tables, "all", f"{self.folder}/chunks-{source}")
        assert len(reads[0].chunks) > 1
        self._positions[snapshot.name] = position
        self._handles[snapshot.name] = ReadSnapshot(
            opened.name, opened.section, opened.snapshot, opened.slot, reads=reads
        )
        return PgSnapshot.parse(Moment.parse(position).visible)

    def finish(self) -> None:
        """Reads the topics as they are now, and goes through all stages up to the states."""
        done: dict[str, StageResult] = {}
        with contextlib.ExitStack() as stack:
            for moving in live_inputs(self.project, WAREHOUSE, "all"):
                if moving.name not in self._positions:
                    self._positions[moving.name], _ = stack.enter_context(moving.freeze())
            now = dt.datetime.now(dt.UTC)
            for stage in STAGES[:4]:
                workspace = Workspace(
                    run_id="lake",
                    region="all",
                    project=with_captured_cuts(self.project, self._positions),
                    context=WAREHOUSE.context,
                    translation=WAREHOUSE,
                    lake=self.lake,
                    recorded_at=now,
                    positions=self._positions,
                    done=dict(done),
                    extract_times=dict.fromkeys(_TABLES, now),
                    handles=self._handles,
                )
                with self.lake.scratch_space(self.spark):
                    done[stage.name] = read_back(stage.perform(workspace))

    def history(self) -> History:
        """What the timeline announces."""
        events: History = {}
        for row in sorted(self._rows("timeline"), key=lambda row: int(row["ordinal"])):
            subject = events.setdefault((row["aggregate"], row["subject"]), [])
            subject.append((row["type"], as_texts(json.loads(row["data"]))))
        return events

    def states(self) -> dict[Subject, dict[str, str]]:
        """Every subject's state, without how many events say so and when they were."""
        return {
            (aggregate.name, row["subject"]): as_texts(
                {name: row.get(name) for name in aggregate.state}
            )
            for aggregate in WAREHOUSE.context.aggregates
            for row in self._rows(f"state_{aggregate.name}")
        }

    def ends(self) -> Counter[str]:
        """How many rows came to each end, by rule where they are put aside."""
        return Counter(f"{row['disposition']}: {row['rule']}" for row in self._rows("dispositions"))

    def certificate(self) -> dict[str, set[str]]:
        """What became of each obligation, of whichever source."""
        statuses: dict[str, set[str]] = {}
        for row in self._rows("certificate"):
            statuses.setdefault(row["obligation"], set()).add(row["status"])
        return statuses

    def _rows(self, table: str) -> list[dict[str, Any]]:
        frame = self.spark.read.parquet(self.lake.path(table))
        rows = frame.select(F.to_json(F.struct("*"))).collect()
        return [json.loads(row[0], parse_float=Decimal) for row in rows]


def _project(
    folder: Path, policies: Mapping[str, str], connector: Connector, *, full: bool
) -> LoadedProject:
    tomorrow = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    content = {
        "version": 1,
        "name": "warehouse",
        "topics": {"prefix": "warehouse"},
        "sources": {name: _source(name, policies[name], connector, full=full) for name in _TABLES},
        "contexts": {
            "warehouse": {
                "translation": {"use": WAREHOUSE.name, "major": 1},
                "cut": {"policy": "commit-timestamp", "at": tomorrow.isoformat()},
            }
        },
        "regions": {"all": {"everything": True}},
    }
    file = ProjectFile.model_validate(content)
    return LoadedProject(file, folder, folder / "cutline.yaml", "all")


def _source(name: str, policy: str, connector: Connector, *, full: bool) -> dict[str, Any]:
    table = _TABLES[name]
    return {
        "kind": "postgresql",
        "url": connector.server.url(connector.database),
        "slot": connector.name,
        "limits": {"chunk_rows": _CHUNK_ROWS[name]},
        "tables": {table: {}},
        "changes": {
            "kind": "debezium",
            "topic": connector.topic(table),
            "transactions": connector.transactions,
            "replica_identity": "full" if full else "default",
            "kafka": {"bootstrap": connector.worker.broker.bootstrap},
            "snapshot": {"policy": policy},
        },
    }
