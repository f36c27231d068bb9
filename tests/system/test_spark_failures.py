"""Failures that really happen, in a process of their own: what is said, and how it goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.spark.master import refuse_silent_master
from cutline_translators.retail.estate import write_project
from support.cli_process import cutline
from support.whole_runs import REGION

pytestmark = pytest.mark.process

_RUN = """
import json, os, sys
from pathlib import Path
import cutline
from cutline.control import Control
from cutline.errors import CutlineError
from cutline.results import EXTRACT, StageResult
from cutline.stage import Stage
from pyspark.sql import functions as F

how = sys.argv[2]

def perform(workspace):
    spark = workspace.spark
    if how == "heap":
        rows = spark.range(0, 6_000_000, 1, 2)
        many = rows.select(F.collect_list(F.struct("id", F.repeat(F.lit("x"), 100))))
        many.write.parquet(workspace.lake.scratch("x"))
    if how == "killed":
        os.kill(spark.sparkContext._gateway.proc.pid, 9)
        spark.range(3).count()
    return StageResult(rows_in=0, rows_out=0)

import cutline.api.stages as stages
stages.STAGES = (Stage(EXTRACT, perform),)
project = cutline.Project.open(sys.argv[1])
try:
    project.run("fulfilment", region="eu-west")
except CutlineError as error:
    described = {"kind": type(error).__name__, "what": error.what, "next": error.next_step}
    how = "well"
    # A process that lives on has a session again.
    if sys.argv[2] == "killed":
        described["again"] = project.run("fulfilment", region="eu-west").status
    print(json.dumps(described))
"""


def failure(folder: Path, how: str, memory: str) -> dict[str, Any]:
    """What is raised, in another process, by a run whose one stage does that."""
    write_project(folder, 100, 7, 1)
    config = folder / "cutline.yaml"
    config.write_text(config.read_text().replace("\nspark:\n", f"\nspark:\n  memory: {memory}\n"))
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder), how],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    described: dict[str, Any] = json.loads(done.stdout)
    return described


@pytest.mark.soak
def test_a_heap_that_is_too_small(tmp_path: Path) -> None:
    raised = failure(tmp_path, "heap", "512m")
    assert raised["kind"] == "RunFailed"
    assert raised["what"].startswith("stage extract failed: Spark has run out of memory")
    assert raised["next"].startswith("Set spark.memory: 1g in cutline.yaml (it was 512m); ")
    assert raised["next"].endswith("run the same command again; it goes on with this stage.")


def test_a_process_of_spark_that_is_killed(tmp_path: Path) -> None:
    raised = failure(tmp_path, "killed", "1g")
    assert raised["what"].startswith("stage extract failed: Spark's process was killed")
    assert raised["again"] == "complete"


def test_a_master_that_is_not_there(tmp_path: Path) -> None:
    write_project(tmp_path, 100, 7, 1)
    config = tmp_path / "cutline.yaml"
    text = config.read_text()
    config.write_text(text.replace("master: local[*]", "master: spark://127.0.0.1:9"))
    assert config.read_text() != text
    # A run says first that its control database cannot be shared.
    done = cutline("coverage", "fulfilment", "--region", REGION, "--project", tmp_path)
    assert done.returncode == 2
    message = done.stderr.split("error: ", 1)[1]
    assert message.startswith("spark.master: nobody answers at spark://127.0.0.1:9 (")
    assert "left behind: Nothing was started.\n" in message
    assert "next: Start the cluster's master, or correct spark.master in cutline.yaml" in message


def test_one_master_of_several_is_enough() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        refuse_silent_master(f"spark://127.0.0.1:9,{address}")
    for left_to_spark in ("local[*]", "yarn", "k8s://https://127.0.0.1:9", "spark://nonsense"):
        refuse_silent_master(left_to_spark)
    with pytest.raises(ConfigurationError, match="nobody answers"):
        refuse_silent_master("spark://127.0.0.1:9")


def test_a_machine_without_java(tmp_path: Path) -> None:
    write_project(tmp_path, 100, 7, 1)
    env = {"JAVA_HOME": str(tmp_path / "nowhere")}
    done = cutline("run", "fulfilment", "--region", REGION, "--project", tmp_path, env=env)
    assert done.returncode == 2, done.stderr
    assert "error: there is no Java, which Spark runs in\n" in done.stderr
    assert not (tmp_path / "lake").exists()
