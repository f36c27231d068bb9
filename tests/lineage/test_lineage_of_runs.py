"""Events of runs that are resumed, fail and are interrupted; and what fails no run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.project import load
from cutline.results import EXTRACT, StageResult
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.workspace import Workspace
from cutline_translators.retail.estate import write_project
from support.openlineage import events_of
from support.whole_runs import REGION

NOWHERE = "http://127.0.0.1:1/api"


def broken(workspace: Workspace) -> StageResult:
    raise ValueError("an odd number")


def interrupted(workspace: Workspace) -> StageResult:
    raise KeyboardInterrupt


def sound(workspace: Workspace) -> StageResult:
    return StageResult(rows_in=0, rows_out=0)


def test_a_run_that_is_resumed_is_the_same_run(spark: SparkSession, tmp_path: Path) -> None:
    """Lineage goes to a server that is gone, and into a file that cannot be written: it runs on."""
    write_project(tmp_path, 100, 7, 1)
    config = tmp_path / "cutline.yaml"
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    config.write_text(yaml.safe_dump(written | {"lineage": {"url": NOWHERE}}), encoding="utf-8")
    project = load(tmp_path, REGION)

    def attempt(*stages: Stage) -> None:
        run(project, "fulfilment", REGION, stages, (), ignore_events)

    with pytest.raises(RunFailed):
        attempt(Stage(EXTRACT, broken))
    with pytest.raises(KeyboardInterrupt):
        attempt(Stage(EXTRACT, interrupted))
    attempt(Stage(EXTRACT, sound), Stage("report", sound))
    unsent = tmp_path / "lineage-unsent.jsonl"
    events = events_of(unsent)
    job = f"fulfilment.{REGION}"
    assert [(e["eventType"], e["job"]["name"]) for e in events] == [
        ("START", job),
        ("START", f"{job}.extract"),
        ("FAIL", f"{job}.extract"),
        ("FAIL", job),
        ("START", job),
        ("START", f"{job}.extract"),
        ("ABORT", f"{job}.extract"),
        ("ABORT", job),
        ("START", job),
        ("START", f"{job}.extract"),
        ("COMPLETE", f"{job}.extract"),
        ("START", f"{job}.report"),
        ("COMPLETE", f"{job}.report"),
        ("COMPLETE", job),
    ]
    assert len({e["run"]["runId"] for e in events if e["job"]["name"] == job}) == 1
    assert len({e["run"]["runId"] for e in events if e["job"]["name"] != job}) == 2
    assert "an odd number" not in unsent.read_text(encoding="utf-8")
    # Complete by now, so there is nothing to tell.
    attempt(Stage(EXTRACT, sound), Stage("report", sound))
    assert len(events_of(unsent)) == len(events)


def test_what_cannot_be_written_is_logged_and_fails_nothing(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_project(tmp_path, 100, 7, 1)
    config = tmp_path / "cutline.yaml"
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    (tmp_path / "taken").write_text("a file where a folder should be", encoding="utf-8")
    lineage = {"lineage": {"file": "taken/lineage.jsonl"}}
    config.write_text(yaml.safe_dump(written | lineage), encoding="utf-8")
    stages = [Stage(EXTRACT, sound)]
    with caplog.at_level("WARNING", logger="cutline.run.observers"):
        run(load(tmp_path, REGION), "fulfilment", REGION, stages, (), ignore_events)
    warnings = [record for record in caplog.records if record.message == "run not observed"]
    assert len(warnings) == 4
    assert {record.error for record in warnings} == {"FileExistsError"}  # type: ignore[attr-defined]
