"""A run of the demo as the stages that made it saw it, with lineage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from cutline.control import Control, RunRecord
from cutline.project import load
from cutline.run.past import workspace_as_recorded
from cutline.workspace import Workspace
from support.finished_demo import finished_demo
from support.whole_runs import REGION


@pytest.fixture(scope="package")
def demo(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The project, which nobody changes, and its run that is GO."""
    finished = finished_demo(spark, tmp_path_factory.mktemp("lineage") / "retail")
    return finished.project, finished.second.record.run_id


@pytest.fixture
def observed(demo: tuple[Path, str], tmp_path: Path) -> Callable[..., tuple[Workspace, RunRecord]]:
    """The run in a project with these sections beside the demo's; files of it are in `tmp_path`."""

    def make(**sections: Any) -> tuple[Workspace, RunRecord]:
        folder, run_id = demo
        config = tmp_path / "cutline.yaml"
        document = yaml.safe_load((folder / "cutline.yaml").read_text(encoding="utf-8"))
        config.write_text(yaml.safe_dump(document | sections), encoding="utf-8")
        for name in ("legacy", "waivers.yaml"):
            if (folder / name).exists() and not (tmp_path / name).exists():
                (tmp_path / name).symlink_to(folder / name)
        if not (tmp_path / "control.db").exists():
            shutil.copy(folder / "control.db", tmp_path)
            (tmp_path / "lake").symlink_to(folder / "lake")
        project = load(tmp_path, REGION)
        control = Control.peek(project.file.control, project.folder)
        assert control is not None
        record = control.run(run_id)
        assert record is not None
        return workspace_as_recorded(project, record), record

    return make
