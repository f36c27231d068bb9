"""`cutline`, with a runner that does what the environment asks for. Run as a script.

FAKE_RUN: `go`, `no-go`, `undecided`, `failed`, `defect`, `wrapped`, `interrupted`, `noisy`.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
import types
from pathlib import Path
from typing import Any

from cutline.cli import main
from cutline.control.records import RunRecord, StageRecord
from cutline.errors import RunFailed
from cutline.lake.written import TableWritten
from cutline.results import (
    ORDER,
    ExtractResult,
    MergeResult,
    ProjectResult,
    ReconcileResult,
    ReportResult,
    TranslateResult,
)
from cutline.run.outcome import RunOutcome
from cutline.run.progress import Note, StageDone, StageStarted

T0 = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
RESULTS = {
    "extract": ExtractResult(rows_in=0, rows_out=120),
    "translate": TranslateResult(
        rows_in=120, rows_out=200, counts={"dispositions": {"translated": 118, "quarantined": 2}}
    ),
    "merge": MergeResult(
        rows_in=200,
        rows_out=198,
        tables=(TableWritten("timeline", 198, "d" * 32),),
        counts={
            "verdicts": {"accepted": 198, "held": 2},
            "exceptions": {"orphan": 2},
            "findings": {},
        },
        unexplained=0,
    ),
    "project": ProjectResult(rows_in=198, rows_out=90),
    "reconcile": ReconcileResult(
        rows_in=90,
        rows_out=3,
        counts={"breaks": {"outcome": 3}, "outcomes:to-promise": {"agree": 7, "differ": 3}},
    ),
    "report": ReportResult(rows_in=0, rows_out=0),
}


def record(decision: Any, context: str = "fulfilment", region: str = "eu-west") -> RunRecord:
    """A complete run of literal stages."""
    stages = tuple(
        StageRecord(name, "done", T0, T0, 0.5, r.rows_in, r.rows_out, "d" * 32, r)
        for name, r in RESULTS.items()
    )
    why = {"go": "every gate is passed", "no-go": "outcome to-promise: 70 % < 99 %"}.get(decision)
    return RunRecord(
        "fulfilment-eu-west-0123",
        context,
        region,
        "complete",
        decision,
        why,
        T0,
        T0,
        T0,
        {},
        None,
        stages,
    )


def run(
    project: Any,
    context: str,
    region: str,
    stages: Any,
    only: Any,
    on_event: Any,
    choose_base: Any,
    **_: Any,
) -> Any:
    """What the real runner would give back or raise."""
    how = os.environ["FAKE_RUN"]
    on_event(StageStarted("extract"))
    if how == "interrupted":
        raise KeyboardInterrupt
    if how == "defect":
        raise ZeroDivisionError(f"of all things in {project.lake}")
    if how == "failed":
        raise RunFailed(
            f"the disk of {project.lake} is full", left_behind="extract", next_step="make room"
        )
    if how == "wrapped":
        try:
            raise ZeroDivisionError(f"in a stage of {project.lake}")
        except ZeroDivisionError as error:
            raise RunFailed("stage extract failed", next_step="again") from error
    if how == "noisy":
        print("a plugin prints")
        os.write(1, b"a child process prints\n")
        os.system("echo a shell prints")
    for name in only or ORDER:
        on_event(StageDone.of(name, RESULTS[name], 0.5, complete_before=False))
    on_event(Note("that was all"))
    decision = how if how in ("go", "no-go") else None
    lake = f"{project.lake}/{context}/{region}/0123"
    return RunOutcome(record(decision, context, region), lake, f"{lake}/report/report.html")


def begin() -> None:
    """What the script does: the command that `sys.argv` has."""
    if "FAKE_RUN" in os.environ:
        runner: Any = types.SimpleNamespace(run=run)
        stages: Any = types.SimpleNamespace(STAGES=(), ADVANCE_STAGES=())
        sys.modules["cutline.run.runner"] = runner
        sys.modules["cutline.api.stages"] = stages
    sys.argv[0] = str(Path(sys.argv[0]).with_name("cutline"))
    main()


if __name__ == "__main__":
    begin()
