"""A stage that fails: what it says, and what lay behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.control import Control
from cutline.errors import RunFailed
from cutline.project import load
from cutline.results import EXTRACT, StageResult
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.workspace import Workspace
from cutline_translators.retail.estate import write_project
from support.whole_runs import REGION


def full(workspace: Workspace) -> StageResult:
    try:
        raise OSError(28, "No space left on device")
    except OSError as error:
        raise RunFailed("the lake is full", next_step="Make room.") from error


def broken(workspace: Workspace) -> StageResult:
    raise ValueError("an odd number")


def interrupted(workspace: Workspace) -> StageResult:
    raise KeyboardInterrupt


def test_the_error_is_recorded_and_keeps_its_cause(spark: SparkSession, tmp_path: Path) -> None:
    write_project(tmp_path, 100, 7, 1)
    project = load(tmp_path, REGION)

    def failing(stage: Stage) -> BaseException:
        with pytest.raises((RunFailed, KeyboardInterrupt)) as failed:
            run(project, "fulfilment", REGION, [stage], (), ignore_events)
        return failed.value

    raised = [failing(Stage(EXTRACT, one)) for one in (full, broken, interrupted)]
    assert [(str(e).splitlines() or [""])[0] for e in raised] == [
        "the lake is full",
        "stage extract failed: ValueError: an odd number",
        "",
    ]
    assert [type(e.__cause__) for e in raised] == [OSError, ValueError, type(None)]
    (note,) = raised[2].__notes__
    assert "stage extract was interrupted, and nothing of it is visible" in note
    assert "Done and kept: no stage." in note
    control = Control.peek(project.file.control, project.folder)
    assert control is not None
    (recorded,) = control.runs()
    assert (recorded.status, recorded.error) == ("failed", "stage extract was interrupted")
