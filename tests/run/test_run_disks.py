"""Room on disks: reckoned before a run begins, and watched while a stage works."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.control import Control
from cutline.errors import RunFailed
from cutline.project import load
from cutline.project.spark import SparkSection
from cutline.results import EXTRACT, StageResult
from cutline.run import disk
from cutline.run.disk import FLOOR, disk_places, refuse_small_disks
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.workspace import Workspace
from cutline_translators.retail.estate import write_project
from support.whole_runs import REGION

GIB = 1 << 30


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """The folder of a file system of 24 MiB."""
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root can mount a small file system")
    folder = Path(tempfile.mkdtemp(prefix="cutline-small-"))
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=24m", "none", str(folder)], capture_output=True
    )
    if mounted.returncode:
        folder.rmdir()
        pytest.skip(f"a small file system cannot be mounted: {mounted.stderr.decode()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def test_a_disk_that_is_too_small_is_refused_by_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = SparkSection(conf={"spark.local.dir": str(tmp_path / "local")})
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    places = disk_places(str(tmp_path / "lake"), local, GIB)
    monkeypatch.setattr(disk, "free_bytes", lambda _: 100 * GIB)
    refuse_small_disks(places)
    monkeypatch.setattr(disk, "free_bytes", lambda _: GIB)
    with pytest.raises(RunFailed) as refused:
        refuse_small_disks(places)
    need = sum(place.need for place in places) + FLOOR
    assert refused.value.what == (
        f"the disk of {tmp_path}/lake (the run's tables) and {tmp_path}/local (what Spark sorts and "
        f"exchanges) has 1.0 GiB free, and the run needs about {need / GIB:.1f} GiB"
    )
    assert "set `lake` in cutline.yaml to a folder on a larger disk" in refused.value.next_step


def test_what_is_not_on_this_machine_is_not_looked_at() -> None:
    cluster = SparkSection(master="spark://host:7077")
    assert disk_places("s3a://bucket/lake", cluster, GIB) == []


def test_a_run_is_refused_before_it_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, 100, 7, 1)
    monkeypatch.setattr(disk, "free_bytes", lambda _: 0)
    project = load(tmp_path, REGION)
    with pytest.raises(RunFailed, match="the run needs about"):
        run(project, "fulfilment", REGION, [], (), ignore_events)
    control = Control.peek(project.file.control, project.folder)
    assert control is not None
    assert control.runs() == []


def run_with_lake_on(
    disk_folder: Path, folder: Path, perform: Callable[[Workspace], StageResult]
) -> None:
    """Run a project of one stage, which does that, with its lake on another disk."""
    write_project(folder, 100, 7, 1)
    config = folder / "cutline.yaml"
    config.write_text(config.read_text().replace("lake: lake ", f"lake: {disk_folder}/lake "))
    stages = [Stage(EXTRACT, perform)]
    run(load(folder, REGION), "fulfilment", REGION, stages, (), ignore_events)


def test_a_disk_that_runs_full_stops_the_stage(
    spark: SparkSession, tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half-way: the first table fits, of the second there is a part when the floor is reached."""
    monkeypatch.setattr(disk, "FLOOR", 12 << 20)
    monkeypatch.setattr(disk, "_SECONDS", 0.05)

    def write(workspace: Workspace) -> StageResult:
        rows = workspace.spark.range(0, 10_000, 1, 1).select("id", F.uuid().alias("text"))
        rows.write.parquet(workspace.lake.scratch("first"))
        deadline = time.monotonic() + 60
        number = 0
        while time.monotonic() < deadline:
            more = workspace.spark.range(0, 60_000, 1, 1).select("id", F.uuid().alias("text"))
            more.write.parquet(workspace.lake.scratch(f"more-{number}"))
            number += 1
        return StageResult(rows_in=0, rows_out=0)

    with pytest.raises(RunFailed) as stopped:
        run_with_lake_on(small_disk, tmp_path, write)
    assert stopped.value.what.startswith(
        f"stage extract was stopped: the disk of {small_disk}/lake (the run's tables) had "
    )
    assert "it goes on with this stage" in stopped.value.next_step
    # What the stage had written is removed, so that there is room again.
    assert shutil.disk_usage(small_disk).free > 20 << 20


def test_a_disk_that_is_full_at_once_is_named(
    spark: SparkSession, tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One job can take the rest of a disk between two looks."""
    monkeypatch.setattr(disk, "FLOOR", 0)

    def write(workspace: Workspace) -> StageResult:
        rows = workspace.spark.range(0, 4_000_000, 1, 2).select("id", F.uuid().alias("text"))
        rows.write.parquet(workspace.lake.scratch("all"))
        return StageResult(rows_in=0, rows_out=0)

    with pytest.raises(RunFailed) as failed:
        run_with_lake_on(small_disk, tmp_path, write)
    assert failed.value.what.startswith(
        f"stage extract failed: no space is left on the disk of {small_disk}/lake/"
    )
