"""From which run an advance goes on, and what is refused before anything is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from cutline.control import Control, RunKey
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake, run_folder
from cutline.lake.written import TableWritten
from cutline.project import LoadedProject, load
from cutline.results import (
    EXTRACT,
    MERGE,
    PROJECT,
    TRANSLATE,
    ExtractResult,
    MergeResult,
    ProjectResult,
    StageResult,
    TranslateResult,
)
from cutline.run.base import Beginning, newest_base
from cutline.run.clean import runs_in_lake
from cutline.run.progress import RunEvent
from cutline.stages.advance import growths
from support.recorded import T0
from support.sample_project import document, write

RULES = {
    "configuration": "c1",
    "translators": {"orders": "1.0.0", "lines": "1.2.0"},
    "positions": {"erp": "one"},
}
MODELS: dict[str, type[StageResult]] = {
    EXTRACT: ExtractResult,
    TRANSLATE: TranslateResult,
    MERGE: MergeResult,
    PROJECT: ProjectResult,
}


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return load(write(tmp_path, document()), "eu-west")


@pytest.fixture(autouse=True)
def no_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    """What became of files is not looked at: tests/sources/test_growth.py does."""
    monkeypatch.setattr(growths, "growths_since", lambda *_: None)


def lake_of(project: LoadedProject, run_id: str) -> Lake:
    return Lake(run_folder(project.lake, "fulfilment", "eu-west", run_id))


def record(
    project: LoadedProject, run_id: str, rules: dict[str, Any] = RULES, **extract: Any
) -> None:
    """A complete run with a table in the lake."""
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west") as lease:
        control.begin(RunKey("fulfilment", "eu-west", run_id, rules), T0, lease)
        for name, model in MODELS.items():
            more = extract if name == EXTRACT else {}
            tables = (TableWritten(f"of_{name}", 1, "d"),)
            result = model(rows_in=1, rows_out=1, tables=tables, **more)
            control.stage_started(run_id, name, lease)
            control.stage_done(run_id, name, result, "d", 1.0, lease)
            Path(lake_of(project, run_id).path(f"of_{name}")).mkdir(parents=True)
        control.complete(run_id, lease)


def base(
    project: LoadedProject, run_id: str, rules: dict[str, Any], events: list[RunEvent]
) -> str | None:
    key = RunKey("fulfilment", "eu-west", run_id, rules)
    control = Control.open(project.file.control, project.folder)
    beginning = Beginning(control, project, cast(Any, None), key, {}, events.append)
    chosen = newest_base(beginning)
    return None if chosen is None else chosen.run_id


def test_the_first_run_reads_everything_and_the_next_goes_on(project: LoadedProject) -> None:
    assert base(project, "r1", RULES, []) is None
    record(project, "r1")
    record(project, "r2", {**RULES, "positions": {"erp": "two"}})
    assert base(project, "r3", {**RULES, "positions": {"erp": "three"}}, []) == "r2"


def test_how_results_are_compared_may_change(project: LoadedProject) -> None:
    record(project, "r1")
    assert base(project, "r2", {**RULES, "waivers": [1], "questions": {"a": "b"}}, []) == "r1"


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (
            {"translators": {"orders": "1.0.1", "lines": "1.2.0"}},
            "translators were lines 1.2.0, orders 1.0.0, and are lines 1.2.0, orders 1.0.1",
        ),
        ({"configuration": "c2"}, "cutline.yaml says something else than it did"),
        ({"cutline": "0.9"}, "results were of version none, and are of 0.9"),
        ({"strange": 1}, "strange differ"),
    ],
)
def test_other_rules_are_refused_by_name(
    project: LoadedProject, rules: dict[str, Any], says: str
) -> None:
    record(project, "r1")
    with pytest.raises(ConfigurationError) as raised:
        base(project, "r2", {**RULES, **rules}, [])
    assert raised.value.what == f"the slice cannot go on from run r1: {says}"
    assert "cutline run fulfilment --region eu-west" in raised.value.next_step


def test_a_run_keeps_the_base_that_it_was_begun_with(project: LoadedProject) -> None:
    record(project, "r1")
    record(project, "r2")
    record(project, "r3", advanced_from="r1")
    assert base(project, "r3", RULES, []) == "r1"
    record(project, "whole")
    assert base(project, "whole", RULES, []) is None


def test_a_base_that_is_gone_from_the_lake_is_said(project: LoadedProject) -> None:
    record(project, "r1")
    Path(lake_of(project, "r1").path("of_merge")).rmdir()
    events: list[RunEvent] = []
    assert base(project, "r2", RULES, events) is None
    assert [str(event) for event in events] == [
        "everything is read anew: tables of run r1 are gone"
    ]


def test_runs_that_tables_go_on_from_are_kept(project: LoadedProject) -> None:
    from cutline.lake.base import Base
    from cutline.lake.manifest import write_manifest

    for run_id in ("r1", "r2", "r3"):
        record(project, run_id)
    for run_id, below in (("r3", "r2"), ("r2", "r1")):
        details = Base(below, "", 1, 0, 1, 0, 1).as_json()
        write_manifest(lake_of(project, run_id).path("of_merge"), details)
    control = Control.open(project.file.control, project.folder)
    runs = runs_in_lake(project, control, "fulfilment", "eu-west", keep=1)
    reasons_by_run = {run.record.run_id: run.kept_because for run in runs}
    assert reasons_by_run == {
        "r3": "among the newest 1",
        "r2": "tables of run r3 go on from it",
        "r1": "tables of run r3 go on from it",
    }
