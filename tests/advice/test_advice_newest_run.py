"""What is taken from runs: rows, meaning, times, and what a run over everything took."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from cutline.advice.newest_run import (
    MeasuredRun,
    measured_run,
    published_sizes,
    rehearsed_sizes,
)
from cutline.advice.situation import RecordSizes
from cutline.control import Control, LedgerEntry, PublishedPartition, RunKey
from cutline.project import load
from cutline.results import (
    ExtractResult,
    MergeResult,
    ProjectResult,
    ReportResult,
    SourceExtract,
    StageResult,
    TranslateResult,
)
from support.gates import VOLUME, file_rehearsal, measured
from support.recorded import T0
from support.rolled_out import RolledOutSlice
from support.sample_project import document, write

SLICE = ("fulfilment", "eu-west")
HISTORY, STATES = "retail.fulfilment.order.synthetic", "retail.fulfilment.order.state"
EXTRACT = ExtractResult(
    rows_in=100,
    rows_out=100,
    extracts={
        "erp": SourceExtract(extracted_at=T0, position="p", tables={"orders": 70, "lines": 30})
    },
)
TRANSLATE = TranslateResult(
    rows_in=100,
    rows_out=200,
    counts={"dispositions": {"translated": 90, "quarantined": 8, "ambiguous": 2}},
    times={"erp": {"exact": 100, "extract": 20}, "shop": {"extract": 30, "commit": 50}},
)
MERGE = MergeResult(
    rows_in=200,
    rows_out=160,
    counts={
        "exceptions": {"unmapped:status": 4, "unmapped:kind-Z": 1, "orphan": 5},
        "findings": {"late": 6, "lifecycle:erp.orders.status": 2},
    },
)
PROJECT = ProjectResult(rows_in=160, rows_out=40, counts={"subjects": {"order": 30, "leg": 10}})
REPORT = ReportResult(rows_in=0, rows_out=0, published={HISTORY: 160})
STAGES: tuple[tuple[StageResult, float], ...] = (
    (EXTRACT, 100.0),
    (TRANSLATE, 50.0),
    (MERGE, 20.0),
    (PROJECT, 5.0),
    (REPORT, 25.0),
)


@pytest.fixture
def control(tmp_path: Path) -> Control:
    project = load(write(tmp_path, document()))
    return Control.open(project.file.control, project.folder)


def record(
    control: Control, run_id: str, *stages: tuple[StageResult, float], complete: bool = True
) -> None:
    with control.lease(*SLICE) as lease:
        control.begin(RunKey(*SLICE, run_id, {"run": run_id}), T0, lease)
        for result, seconds in stages:
            control.stage_started(run_id, result.stage, lease)
            control.stage_done(run_id, result.stage, result, "d" * 32, seconds, lease)
        if complete:
            control.decide(run_id, "go", "a gate", lease)
            control.complete(run_id, lease)


def run_of(control: Control) -> MeasuredRun:
    run = measured_run(control, *SLICE)
    assert run is not None
    return run


def test_a_run_tells_what_its_stages_counted(control: Control) -> None:
    record(control, "run-1", *STAGES)
    record(control, "run-2", STAGES[0], complete=False)
    run = run_of(control)
    assert run.record.run_id == "run-1", "the newest that is complete"
    assert run.rows == {"erp.orders": 70, "erp.lines": 30}
    assert (run.unmapped, run.exceptional) == (5, 5)
    assert run.timeless == 50 / 200
    assert run.findings == 8
    assert run.disordered == 8 / 160
    assert (run.events, run.subjects, run.published) == (160, 40, True)
    assert (run.reading_seconds, run.seconds) == (100.0, 200.0)


def test_without_a_complete_run_there_is_none(control: Control) -> None:
    record(control, "run-1", STAGES[0], complete=False)
    assert measured_run(control, *SLICE) is None


def over(result: Any, **update: Any) -> Any:
    return result.model_copy(update=update)


def test_what_was_taken_over_took_the_time_of_the_run_that_read(control: Control) -> None:
    record(control, "run-1", *STAGES)
    record(control, "run-2", (over(EXTRACT, taken_from="run-1"), 0.5), *STAGES[1:])
    record(control, "run-3", (over(EXTRACT, taken_from="run-2"), 0.5), *STAGES[1:4])
    run = run_of(control)
    assert (run.record.run_id, run.reading_seconds, run.seconds) == ("run-3", 100.0, 175.0)
    assert not run.published


def test_what_goes_on_took_the_time_of_the_run_over_everything(control: Control) -> None:
    record(control, "run-1", *STAGES)
    grown = over(EXTRACT, advanced_from="run-1", extracts={})
    record(control, "run-2", (grown, 1.0), (TRANSLATE, 1.0), (over(MERGE, rows_out=170), 1.0))
    run = run_of(control)
    assert (run.reading_seconds, run.seconds, run.events) == (100.0, 200.0, 170)
    assert run.published


def test_where_the_run_that_read_is_not_recorded_its_time_is_not_known(control: Control) -> None:
    record(control, "run-2", (over(EXTRACT, taken_from="run-1"), 0.5), *STAGES[1:])
    run = run_of(control)
    assert (run.reading_seconds, run.seconds) == (None, None)


def test_a_run_of_before_counted_less(control: Control) -> None:
    record(
        control,
        "run-1",
        STAGES[0],
        (over(TRANSLATE, counts={}, times={}), 1.0),
        (over(MERGE, counts={}, rows_out=0), 1.0),
    )
    run = run_of(control)
    assert (run.ends, run.unmapped, run.exceptional, run.timeless) == (None,) * 4
    assert (run.findings, run.disordered, run.subjects) == (None,) * 3


def test_a_rehearsal_tells_what_records_weigh(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path)
    file_rehearsal(slice_, measured())
    [evidence] = slice_.control.evidence(*SLICE)
    assert rehearsed_sizes(evidence) == RecordSizes(1_000.0, 500.0, 500.0)
    file_rehearsal(slice_, measured(storage=VOLUME | {"states": 0, "state_bytes": 0}))
    file_rehearsal(slice_, {"failure": "Kafka does not answer"}, "failed")
    broken, without_states, _ = slice_.control.evidence(*SLICE)
    assert rehearsed_sizes(broken) is None
    assert rehearsed_sizes(without_states) is None


def entry(topic: str, records: int, size: int, run: str = "run-1") -> LedgerEntry:
    published = PublishedPartition(run, topic, 0, 0, records=records, bytes=size)
    return LedgerEntry(published, "eu-west", T0, T0 + dt.timedelta(seconds=10))


def test_the_ledger_of_publications_tells_it_as_well() -> None:
    entries = [
        entry(HISTORY, 300, 30_000),
        entry(STATES, 100, 5_000),
        entry(HISTORY, 9, 9, run="run-0"),
    ]
    assert published_sizes(entries, "run-1") == RecordSizes(100.0, 50.0, 40.0)
    assert published_sizes(entries[:1], "run-1") is None
    assert published_sizes([], "run-1") is None
