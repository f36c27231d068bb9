"""The stages of a slice on files that grow: in one run, or run after run, each over the last."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import ORDER, StageResult, read_back
from cutline.sources.frozen import FrozenInputs, freeze_inputs
from cutline.stage import Stage
from cutline.tables.event import OF_THE_RUN
from cutline.translator import Translation
from cutline.workspace import BaseRun, Workspace

EXTRACT_TIME = dt.datetime(2026, 11, 2, tzinfo=dt.UTC)
NOT_COMPARED = {*OF_THE_RUN, "extract_time", "partition", "offset"}


class GrowingSlice:
    """A slice whose sources are logs alone, in files called after them."""

    def __init__(self, spark: SparkSession, folder: Path, translation: Translation) -> None:
        self.spark, self.folder, self.translation = spark, folder, translation
        self.notes: list[str] = []
        self.runs: list[BaseRun] = []
        self.positions: dict[str, str] = {}
        self.prefix = "run"

    def grow(self, logs: Mapping[str, Sequence[str]]) -> None:
        """The files hold these lines now."""
        for name, lines in logs.items():
            path = self.folder / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(lines), encoding="utf-8")

    def run(self, stages: Sequence[Stage]) -> BaseRun:
        """A run of some stages, over the last if there is one."""
        project = self.project()
        with self.frozen(project) as inputs:
            return self._run(stages, project, inputs)

    def frozen(self, project: LoadedProject) -> AbstractContextManager[FrozenInputs]:
        """The inputs of a run."""
        return freeze_inputs(project, self.translation, "all")

    def changes(self, source: str) -> dict[str, Any]:
        """The changes of a source in cutline.yaml."""
        path, snapshot = f"{source}.jsonl", {"policy": "in-log"}
        return {"kind": "wal2json", "path": path, "snapshot": snapshot}

    def context(self) -> dict[str, Any]:
        """What else the context has in cutline.yaml."""
        return {"cut": {"policy": "commit-timestamp", "at": "2030-01-01T00:00:00Z"}}

    def _run(
        self, stages: Sequence[Stage], project: LoadedProject, inputs: FrozenInputs
    ) -> BaseRun:
        region = "all"
        run_id = f"{self.prefix}{len(self.runs)}"
        done: dict[str, StageResult] = {}
        lake = Lake(f"{self.folder}/lake/{run_id}")
        for stage in stages:
            workspace = Workspace(
                run_id=run_id,
                region=region,
                project=project,
                context=self.translation.context,
                translation=self.translation,
                lake=lake,
                recorded_at=EXTRACT_TIME,
                positions=inputs.positions,
                done=dict(done),
                extract_times=dict.fromkeys(project.file.sources, EXTRACT_TIME),
                base=self.runs[-1] if self.runs else None,
                note=self.notes.append,
                frozen=inputs.files,
            )
            with lake.scratch_space(self.spark):
                done[stage.name] = read_back(stage.perform(workspace))
        self.runs.append(BaseRun(run_id, lake, done))
        self.positions = dict(inputs.positions)
        return self.runs[-1]

    def project(self) -> LoadedProject:
        """The project, as if it were read from cutline.yaml."""
        sources: dict[str, Any] = {}
        for contract in self.translation.contracts():
            source = sources.setdefault(
                contract.source(),
                {
                    "kind": "log",
                    "tables": {},
                    "changes": self.changes(contract.source()),
                },
            )
            source["tables"][contract.table()] = {}
        name = self.translation.context.name
        content = {
            "version": 1,
            "name": name,
            "topics": {"prefix": name},
            "sources": sources,
            "contexts": {
                name: {
                    "translation": {"use": self.translation.name, "major": self.translation.major},
                    **self.context(),
                }
            },
            "regions": {"all": {"everything": True}},
        }
        file = ProjectFile.model_validate(content)
        return LoadedProject(file, self.folder, self.folder / "cutline.yaml", None)


def differences(
    spark: SparkSession, run: BaseRun, whole: BaseRun, but: Collection[str] = ()
) -> dict[str, Any]:
    """By table, rows that only one of two runs has, as JSON; and by stage, books that differ.

    `but` are columns that are not compared.
    """
    wrong: dict[str, Any] = {}
    for stage in ORDER:
        if stage not in whole.done:
            continue
        for table in whole.done[stage].tables:
            if table.name == "certificate":
                continue
            mine, theirs = (_rows(spark, one, table.name, but) for one in (run, whole))
            if mine != theirs:
                wrong[table.name] = {"more": mine - theirs, "less": theirs - mine}
        books = [_books(one.done[stage]) for one in (run, whole)]
        if books[0] != books[1]:
            wrong[f"books of {stage}"] = books
    return wrong


def _rows(spark: SparkSession, run: BaseRun, name: str, but: Collection[str]) -> Counter[str]:
    frame: DataFrame = run.lake.read(spark, name)
    columns = [c for c in frame.columns if c not in {*NOT_COMPARED, *but}]
    rows = frame.select(F.to_json(F.struct(*columns)).alias("row")).collect()
    return Counter(row["row"] for row in rows)


def _books(result: StageResult) -> Any:
    left_out = {
        "tables",
        "input_digest",
        "made_from",
        "advanced_from",
        "files",
        "certificate",
        "redriven",
    }
    values = result.stored()
    values["facts"] = {n: v for n, v in values["facts"].items() if n not in left_out}
    for extract in values["facts"].get("extracts", {}).values():
        extract.pop("position", None)
        for inputs in extract["read"].values():
            for account in inputs:
                account.pop("place", None)
    values.pop("tables")
    return json.loads(json.dumps(values, sort_keys=True))
