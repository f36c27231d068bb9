"""Which runs' tables are removed, which are kept and why; nothing of a run is half there."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cutline import ConfigurationError, Project
from cutline.control import Control, RunKey, RunRecord, StageRecord, Trend
from cutline.control.records import Authority, Decision
from cutline.errors import SliceBusy
from cutline.lake.lake import run_folder
from cutline.project import load_shared
from cutline.results import EXTRACT, RECONCILE, ExtractResult, ReconcileResult, StageResult
from cutline.run.before import MEMORY_TABLES
from cutline.run.clean import reasons_to_keep
from cutline.tables.trend import FIGURES
from support.command_line import CommandLine
from support.sample_project import document, write

T0 = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
CONTEXT, REGION = "fulfilment", "eu-west"


def record(run_id: str, decision: Decision | None = None, stages: str = "er") -> RunRecord:
    """A run of which extract (`e`) and reconcile (`r`) are done as named."""
    results: dict[str, StageResult] = {
        "e": ExtractResult(rows_in=1, rows_out=1),
        "r": ReconcileResult(rows_in=1, rows_out=1, counts={}),
    }
    names = {"e": EXTRACT, "r": RECONCILE}
    done = tuple(
        StageRecord(names[s], "done", T0, T0, 1.0, 1, 1, "d" * 32, results[s]) for s in stages
    )
    return RunRecord(
        run_id, CONTEXT, REGION, "complete", decision, None, T0, T0, T0, {}, None, done
    )


def reasons_by_run(
    records: Sequence[RunRecord],
    keep: int,
    *,
    before: dict[str, str | None] | None = None,
    authority: Authority = "legacy",
    without_memory: str = "",
) -> dict[str, str]:
    trends = {run: Trend(run, other, 0, {}) for run, other in (before or {}).items()}
    return reasons_to_keep(
        records, trends, keep, authority, lambda run_id: run_id not in without_memory
    )


def test_the_newest_are_kept_and_the_one_that_the_oldest_of_them_rests_on() -> None:
    runs = [record(run_id) for run_id in "edcba"]
    assert reasons_by_run(runs, 2, before={"e": "d", "d": "c", "c": "b", "b": "a", "a": None}) == {
        "e": "among the newest 2",
        "d": "among the newest 2",
        "c": "run d compares its breaks with it",
    }


def test_the_newest_go_is_kept_and_of_a_promoted_slice_each() -> None:
    runs = [record("d", "no-go"), record("c", "go"), record("b", "no-go"), record("a", "go")]
    before: dict[str, str | None] = {"d": None, "c": None, "b": None, "a": None}
    assert list(reasons_by_run(runs, 1, before=before)) == ["d", "c"]
    for authority in ("shadow", "new"):
        promoted = reasons_by_run(runs, 1, before=before, authority=authority)  # type: ignore[arg-type]
        assert list(promoted) == ["d", "c", "a"]


def test_a_run_that_stopped_keeps_what_it_will_need() -> None:
    """Its extract is not done, so it takes one over; and it compares with the newest reconciled."""
    runs = [record("d", stages=""), record("c", stages="e"), record("b"), record("a")]
    assert reasons_by_run(runs, 1) == {
        "d": "among the newest 1",
        "c": "its extract can be taken over by the next run",
        "b": "the next run compares its breaks with it",
        "a": "run b compares its breaks with it",
    }


def test_a_run_without_its_memory_is_nothing_to_compare_with() -> None:
    runs = [record("c", stages=""), record("b"), record("a")]
    reasons = reasons_by_run(runs, 1, without_memory="b")
    assert reasons["a"] == "the next run compares its breaks with it"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with four complete runs, of which the second was a GO."""
    write(tmp_path, document())
    loaded = load_shared(tmp_path)
    control = Control.open(loaded.file.control, loaded.folder)
    with control.lease(CONTEXT, REGION) as lease:
        before = None
        for number in range(1, 5):
            run_id = f"run-{number}"
            control.begin(RunKey(CONTEXT, REGION, run_id, {}), T0, lease)
            for stage, result in (
                (EXTRACT, ExtractResult(rows_in=1, rows_out=1)),
                (RECONCILE, ReconcileResult(rows_in=1, rows_out=1, counts={})),
            ):
                control.stage_started(run_id, stage, lease)
                control.stage_done(run_id, stage, result, "d" * 32, 1.0, lease)
            control.decide(run_id, "go" if number == 2 else "no-go", "a gate", lease)
            counts = dict.fromkeys(FIGURES, 0)
            trend = Trend(run_id, before, number, {"record": counts})
            control.remember_trend(trend, lease)
            control.complete(run_id, lease)
            before = run_id
            folder = Path(run_folder(loaded.lake, CONTEXT, REGION, run_id))
            for table in MEMORY_TABLES:
                (folder / table.name).mkdir(parents=True)
                (folder / table.name / "part-0.parquet").write_bytes(b"x" * 1_000)
    return tmp_path


def folders(project: Path) -> set[str]:
    return {path.name for path in (project / "lake" / CONTEXT / REGION).iterdir()}


def test_what_is_not_needed_is_removed_and_stays_listed(project: Path) -> None:
    opened = Project.open(project)
    would = opened.clean(keep=1, dry_run=True)
    assert folders(project) == {"run-1", "run-2", "run-3", "run-4"}
    assert [run.removed for run in would] == [False] * 4
    done = opened.clean(keep=1)
    assert [(run.run_id, run.removed, run.kept_because) for run in done] == [
        ("run-4", False, "among the newest 1"),
        ("run-3", False, "run run-4 compares its breaks with it"),
        ("run-2", False, "the newest GO, which can be promoted"),
        ("run-1", False, "run run-2 compares its breaks with it"),
    ]
    assert [run.kept_because for run in would] == [run.kept_because for run in done]


def test_of_many_runs_those_in_between_go(project: Path, command_line: CommandLine) -> None:
    """Where the newest is the GO, only what it compares with stays beside it."""
    loaded = load_shared(project)
    control = Control.open(loaded.file.control, loaded.folder)
    with control.lease(CONTEXT, REGION) as lease:
        control.decide("run-2", "no-go", "a person", lease)
        control.decide("run-4", "go", "a gate", lease)
    shown = command_line("clean", "--keep", 1, "--dry-run", "--project", project)
    assert "run-1   fulfilment eu-west  4 KiB  would be removed" in shown.stdout
    assert folders(project) == {"run-1", "run-2", "run-3", "run-4"}
    cleaned = command_line("clean", "--keep", 1, "--json", "--project", project)
    removals: list[dict[str, Any]] = json.loads(cleaned.stdout)
    assert [(run["run_id"], run["removed"]) for run in removals] == [
        ("run-4", False),
        ("run-3", False),
        ("run-2", True),
        ("run-1", True),
    ]
    assert removals[2]["bytes"] == 1_000 * len(MEMORY_TABLES)
    assert folders(project) == {"run-3", "run-4"}
    assert not list((project / "lake").glob("_removed*"))
    listed = Project.open(project).runs(CONTEXT, region=REGION)
    assert [run.run_id for run in listed] == ["run-4", "run-3", "run-2", "run-1"]
    again = command_line("clean", "--keep", 1, "--project", project)
    assert "run-2" not in again.stdout


def test_a_slice_that_is_worked_on_is_left_alone(project: Path) -> None:
    loaded = load_shared(project)
    control = Control.open(loaded.file.control, loaded.folder)
    with control.lease(CONTEXT, REGION), pytest.raises(SliceBusy):
        Project.open(project).clean(keep=1)
    assert folders(project) == {"run-1", "run-2", "run-3", "run-4"}


def test_what_was_never_run_has_nothing_to_clean(tmp_path: Path, command_line: CommandLine) -> None:
    write(tmp_path, document())
    shown = command_line("clean", "--keep", 3, "--project", tmp_path)
    assert (shown.returncode, shown.stdout) == (0, "There are no tables of runs in the lake.\n")
    assert not (tmp_path / "control.db").exists()


def test_arguments_are_refused_by_name(project: Path) -> None:
    opened = Project.open(project)
    with pytest.raises(ConfigurationError, match="keep: 0 is no whole number of at least 1"):
        opened.clean(keep=0)
    with pytest.raises(ConfigurationError, match="Did you mean 'eu-west'"):
        opened.clean(keep=1, region="eu-wst")


def test_a_slice_that_is_declared_no_more_can_be_chosen(project: Path) -> None:
    content = document()
    content["regions"] = {"eu-north": content["regions"][REGION]}
    write(project, content)
    assert not Project.open(project).clean(keep=1, region="eu-north")
    cleaned = Project.open(project).clean(keep=1, context=CONTEXT, region=REGION, dry_run=True)
    assert [run.run_id for run in cleaned] == ["run-4", "run-3", "run-2", "run-1"]
    with pytest.raises(ConfigurationError, match="eu-north, eu-west"):
        Project.open(project).clean(keep=1, region="eu-south")
