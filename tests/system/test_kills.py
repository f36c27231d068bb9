"""A run that is killed at stage boundaries and in the midst of stages ends as if it never was.

At every boundary and in three stages where CUTLINE_KILL_EVERYWHERE is set, as `make soak` has it; else at
three boundaries and in one stage, which are drawn.
"""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark import StatusTracker
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.estate import write_project
from support.shared_jvm import job_group_of
from support.whole_runs import digests, finish, kill_when, start

STAGES = ["extract", "translate", "merge", "project", "reconcile", "report"]
WITHIN = ["translate", "merge", "reconcile"]
SLICE = ("insurance_policy", "north")
"""Its translators are planned in less time than those of the retailer."""
POLICIES, SEED = 200, 11
EVERYWHERE = bool(os.environ.get("CUTLINE_KILL_EVERYWHERE"))


@dataclass(frozen=True)
class Calm:
    """A run that nobody killed, and a second process that came while it was at work."""

    project: Path
    document: dict[str, Any]
    pid: int
    second: tuple[int, str, str]
    """Its exit code, stdout and stderr."""


@pytest.fixture(scope="module")
def calm(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Calm:
    project = tmp_path_factory.mktemp("calm")
    write_project(project, POLICIES, SEED)
    # Another folder, another time zone: the same run all the same.
    first = start(project, *SLICE, spark, TZ="America/Sao_Paulo")
    assert first.stderr is not None
    for line in first.stderr:
        if line.startswith("extract: started"):
            break
    second = start(project, *SLICE, spark)
    out, err = second.communicate(timeout=300)
    return Calm(project, finish(first), first.pid, (second.returncode, out, err))


@pytest.mark.slow
def test_killed_at_boundaries_and_in_between(
    spark: SparkSession, calm: Calm, tmp_path: Path
) -> None:
    """One project was run through without harm; its twin is killed again and again.

    In the midst of a stage with its JVM. At a boundary Spark is idle, and what the next process finds
    is what lies on disk: there the process is killed, and uses the JVM of the tests as long as it
    lives.
    """
    harmed, expected = tmp_path, calm.document
    write_project(harmed, POLICIES, SEED)
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    print(f"kills drawn with seed {seed}")
    at_boundary = STAGES if EVERYWHERE else chance.sample(STAGES, 3)
    within = WITHIN if EVERYWHERE else chance.sample(WITHIN, 1)
    # A stage is only come to if it was not ended before.
    for stage in (s for s in STAGES if s in at_boundary or s in within):
        done = f"{stage}: "

        def boundary(line: str, done: str = done) -> float | None:
            return 0.0 if line.startswith(done) and "rows in" in line else None

        if stage in within:
            moment = chance.uniform(0.05, 3.0)
            begins = f"{stage}: started"

            def midst(line: str, begins: str = begins, moment: float = moment) -> float | None:
                return moment if line.startswith(begins) else None

            kill_when(start(harmed, *SLICE), midst)
        if stage not in at_boundary:
            continue
        guest = start(harmed, *SLICE, spark)
        kill_when(guest, boundary)
        # After the last stage it may have come to its end.
        assert guest.returncode == -signal.SIGKILL or stage == STAGES[-1]
        _end_jobs_of(guest.pid, spark)
    resumed = finish(start(harmed, *SLICE, spark))
    assert resumed["run_id"] == expected["run_id"]
    assert digests(resumed) == digests(expected)
    for book in ("decision", "dispositions", "verdicts", "exceptions", "findings", "breaks"):
        assert resumed[book] == expected[book]
    assert _tables(harmed) == _tables(calm.project)
    for topic in ("exceptions", "policy.synthetic", "policy.state", "claim.synthetic"):
        assert _lines(calm.project, topic), topic
        assert _lines(harmed, topic) == _lines(calm.project, topic), topic
    # The insurer goes without a break.
    assert _lines(harmed, "breaks") == _lines(calm.project, "breaks")


def _end_jobs_of(pid: int, spark: SparkSession) -> None:
    """What a killed process had begun in the JVM of the tests ends, as it would with its own."""
    jobs, group = spark.sparkContext.statusTracker(), job_group_of(pid)
    deadline = time.monotonic() + 60
    while any(_runs(jobs, job) for job in jobs.getJobIdsForGroup(group)):
        spark.sparkContext.cancelJobGroup(group)
        assert time.monotonic() < deadline, f"a job of process {pid} goes on"
        time.sleep(0.05)


def _runs(jobs: StatusTracker, number: int) -> bool:
    job = jobs.getJobInfo(number)
    return job is not None and job.status == "RUNNING"


def _tables(project: Path) -> set[str]:
    """The folders of the run, and that nothing half-written is among them."""
    (run,) = project.joinpath("lake", *SLICE).iterdir()
    return {p.name for p in run.iterdir()}


def _lines(project: Path, topic: str) -> list[str]:
    folder = project / "topics" / f"insurer.{SLICE[0]}.{topic}"
    return sorted(line for f in folder.glob("*.jsonl") for line in f.read_text().splitlines())


@pytest.mark.slow
def test_a_second_process_on_the_same_slice_is_sent_away(calm: Calm) -> None:
    code, out, err = calm.second
    assert (code, out) == (3, "")
    assert "being worked on by" in err
    assert str(calm.pid) in err
    assert [s["name"] for s in calm.document["stages"]] == STAGES
