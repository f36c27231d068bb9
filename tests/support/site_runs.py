"""Runs of two slices in a control database, with reports in the lake, without performing any."""

from __future__ import annotations

import datetime as dt
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import update

from cutline.control import Control, RunKey, Trend
from cutline.control.models import RUNS
from cutline.lake.lake import run_folder
from cutline.lake.unchanged import sha256
from cutline.project import LoadedProject, load
from cutline.results import ReportResult, StageResult
from cutline_reports import as_html, as_json
from cutline_reports.model import RunReport
from support.sample_project import document, write
from support.sample_reports import GO_REPORT, NO_GO_REPORT

T0 = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
CONTEXT = "fulfilment"


@dataclass(frozen=True)
class RecordedRun:
    """A run to be recorded: how it ended, on which day after the first, and its breaks by figure."""

    run_id: str
    region: str
    day: int
    report: RunReport | None = None
    figures: tuple[int, int, int] | None = None
    """Open, opened and fixed breaks of the outcome level."""
    error: str = ""


STORY = (
    RecordedRun("fulfilment-eu-west-aaa1", "eu-west", 0, NO_GO_REPORT, (192, 192, 0)),
    RecordedRun("fulfilment-eu-west-bbb2", "eu-west", 1, error="The disk is <full>."),
    RecordedRun("fulfilment-eu-west-ccc3", "eu-west", 2, NO_GO_REPORT, (40, 8, 160)),
    RecordedRun("fulfilment-eu-west-ddd4", "eu-west", 2, GO_REPORT, (0, 0, 40)),
    RecordedRun("fulfilment-us-east-eee5", "us-east", 3, NO_GO_REPORT, (7, 7, 0)),
)


def project_with_runs(
    folder: Path, story: tuple[RecordedRun, ...] = STORY, **more: Any
) -> LoadedProject:
    """A project whose control database and lake have these runs; `more` is of cutline.yaml."""
    project = load(write(folder, {**document(), **more}))
    control = Control.open(project.file.control, project.folder)
    for run in story:
        _record(project, control, run)
    return project


def _record(project: LoadedProject, control: Control, run: RecordedRun) -> None:
    with control.lease(CONTEXT, run.region) as lease:
        control.begin(RunKey(CONTEXT, run.region, run.run_id, {"run": run.run_id}), T0, lease)
        if run.figures:
            control.stage_started(run.run_id, "reconcile", lease)
            control.stage_done(
                run.run_id, "reconcile", StageResult(rows_in=9, rows_out=9), "d" * 32, 1.0, lease
            )
            opened = run.figures[1]
            none = dict.fromkeys(("opened", "persisting", "fixed", "reopened", "open", "waived"), 0)
            counts = none | {"open": run.figures[0], "opened": opened, "fixed": run.figures[2]}
            levels = {"record": none, "state": none, "outcome": counts}
            control.remember_trend(Trend(run.run_id, None, 1, levels), lease)
        if run.report:
            report = write_report(project, run)
            control.decide(
                run.run_id, run.report.decision.decision, run.report.decision.decided_by, lease
            )
            control.stage_started(run.run_id, "report", lease)
            control.stage_done(run.run_id, "report", report, "e" * 32, 1.0, lease)
            control.complete(run.run_id, lease)
        else:
            control.fail(run.run_id, run.error, lease)
    with control.database.write() as connection:
        begun = T0 + dt.timedelta(days=run.day, hours=int(run.run_id[-1]))
        changed = update(RUNS).where(RUNS.c.run_id == run.run_id).values(created_at=begun)
        connection.execute(changed)


def report_folder(project: LoadedProject, run: RecordedRun) -> Path:
    """Where the lake has the report of a run."""
    return Path(run_folder(project.lake, CONTEXT, run.region, run.run_id)) / "report"


@functools.cache
def _files_go() -> dict[str, str]:
    return {"report.json": as_json(GO_REPORT), "report.html": as_html(GO_REPORT)}


@functools.cache
def _files_no_go() -> dict[str, str]:
    return {"report.json": as_json(NO_GO_REPORT), "report.html": as_html(NO_GO_REPORT)}


def write_report(project: LoadedProject, run: RecordedRun) -> ReportResult:
    """The report of a run in the lake, as its stage records it."""
    assert run.report in (GO_REPORT, NO_GO_REPORT)
    files = _files_go() if run.report is GO_REPORT else _files_no_go()
    folder = report_folder(project, run)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return ReportResult(
        rows_in=9,
        rows_out=9,
        report="report/report.html",
        files={f"report/{name}": sha256(text) for name, text in files.items()},
    )
