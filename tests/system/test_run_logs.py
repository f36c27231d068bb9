"""What a run logs: what an operator wants to know, and nothing that a row says."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.logs import ROOT, JsonLines, fields
from cutline.project import load
from cutline.results import EXTRACT, StageResult
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.stages.extract import EXTRACT_STAGE
from cutline.workspace import Workspace
from cutline_translators.retail.estate import write_project
from support.whole_runs import REGION


def quoting(workspace: Workspace) -> StageResult:
    raise ValueError("row of jane.roe@example.org")


def logged(caplog: pytest.LogCaptureFixture, stage: Stage, project: Path) -> list[dict[str, Any]]:
    """The fields of each record of a run of one stage, its message and its level among them."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, ROOT):
        run(load(project, REGION), "fulfilment", REGION, [stage], (), ignore_events)
    return [
        {"message": one.getMessage(), "level": one.levelname, **fields(one)}
        for one in caplog.records
    ]


def test_what_a_run_logs(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_project(tmp_path, 100, 7, 1)
    first = logged(caplog, EXTRACT_STAGE, tmp_path)
    text = "\n".join(map(JsonLines().format, caplog.records))
    messages = [one["message"] for one in first if one["level"] == "INFO"]
    # Of a machine that is busy.
    messages = [message for message in messages if message != "stage progress"]
    assert messages == [
        "configuration loaded",
        "run named",
        "lease taken",
        "stage started",
        "stage done",
        "run complete",
        "lease released",
    ]
    named, done = first[1], next(one for one in first if one["message"] == "stage done")
    assert named["run"] == done["run"]
    assert (done["stage"], done["rows_in"]) == (EXTRACT, done["rows_out"])
    assert done["seconds"] > 0
    tables = {one["table"]: one["rows"] for one in first if one["message"] == "table written"}
    assert len(tables) == done["tables"]
    assert sum(tables.values()) == done["rows_out"]
    moved = [one["place"] for one in first if one["message"] == "moved into place"]
    assert {place.rsplit("/", 1)[1] for place in moved} == set(tables)

    with sqlite3.connect(next(tmp_path.rglob("erp*.db"))) as database:
        names = [row[0] for row in database.execute("SELECT order_no FROM orders LIMIT 50")]
    assert len(names) == 50
    assert [name for name in names if name in text] == []

    again = [one["message"] for one in logged(caplog, EXTRACT_STAGE, tmp_path)]
    assert "run already complete" in again
    assert "stage started" not in again


def test_a_stage_that_fails_is_logged_by_its_kind_of_error_alone(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_project(tmp_path, 100, 7, 1)
    with pytest.raises(RunFailed):
        logged(caplog, Stage(EXTRACT, quoting), tmp_path)
    (failed,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert failed.getMessage() == "stage failed"
    assert fields(failed)["error"] == "ValueError"
    lines = [JsonLines().format(one) for one in caplog.records]
    assert not any("jane.roe" in line for line in lines)
    assert all(json.loads(line) for line in lines)
