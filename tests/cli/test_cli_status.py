"""`cutline status` and `cutline runs`: where slices stand, and what was run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cutline.control import Control, Trend
from cutline.project import LoadedProject, load
from cutline.tables.trend import FIGURES
from support.command_line import parser
from support.recorded import recorded
from support.sample_project import document, write


@pytest.fixture
def project(tmp_path: Path) -> LoadedProject:
    return load(write(tmp_path, document()))


def stdout_of(capfd: pytest.CaptureFixture[str], *args: object) -> str:
    with pytest.raises(SystemExit) as end:
        parser()([str(a) for a in args])
    assert end.value.code == 0
    return capfd.readouterr().out


def test_nothing_was_run_and_nothing_is_created(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    out = stdout_of(capfd, "status", "--project", project.folder)
    assert [line.split() for line in out.splitlines()] == [
        ["context", "slice", "status", "decision", "last_run", "runs", "authority", "held_by"],
        ["fulfilment", "eu-west", "never", "run", "null", "null", "0", "legacy", "null"],
        ["fulfilment", "us-east", "never", "run", "null", "null", "0", "legacy", "null"],
    ]
    args = ("fulfilment", "--region", "us-east", "--project", project.folder)
    assert stdout_of(capfd, "runs", *args) == "No run of fulfilment us-east yet.\n"
    assert json.loads(stdout_of(capfd, "runs", *args, "--json")) == []
    assert [p.name for p in project.folder.iterdir()] == ["cutline.yaml"]


def test_runs_newest_first_and_an_interrupted_one_is_called_so(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded(project, "run-a", {"extract": [], "reconcile": ["breaks"]}, decision="no-go")
    recorded(project, "run-b", {"extract": []}, running="translate")
    args = ("fulfilment", "--region", "eu-west", "--project", project.folder)
    listed = json.loads(stdout_of(capfd, "runs", *args, "--json"))
    assert [(r["run_id"], r["status"], r["decision"], r["seconds"]) for r in listed] == [
        ("run-b", "interrupted", None, 1.25),
        ("run-a", "complete", "no-go", 2.5),
    ]
    assert listed[1]["stages"] == "extract reconcile"
    assert listed[1]["decided_by"] == "a gate"
    lines = stdout_of(capfd, "runs", *args).splitlines()
    assert lines[0].split()[:3] == ["run_id", "status", "decision"]
    assert lines[1].startswith("run-b   interrupted  null")
    slices = json.loads(stdout_of(capfd, "status", "--json", "--project", project.folder))
    assert [(s["slice"], s["status"], s["last_run"], s["runs"]) for s in slices] == [
        ("eu-west", "interrupted", "run-b", 2),
        ("us-east", "never run", None, 0),
    ]


def test_runs_say_what_became_of_breaks(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded(project, "run-a", {"reconcile": []}, decision="no-go")
    recorded(project, "run-b", {"reconcile": []}, decision="no-go")
    none = dict.fromkeys(FIGURES, 0)
    levels = {
        "record": none | {"opened": 1, "open": 1},
        "state": none | {"reopened": 2, "persisting": 1000, "fixed": 4, "open": 1002, "waived": 3},
    }
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west") as lease:
        control.remember_trend(Trend("run-b", "run-a", 2, levels), lease)
    args = ("fulfilment", "--region", "eu-west", "--project", project.folder)
    newest, oldest = json.loads(stdout_of(capfd, "runs", *args, "--json"))
    assert oldest["breaks"] is None
    assert newest["breaks"] == {
        **{"compared_with": "run-a", "open": 1003, "opened": 1, "reopened": 2, "fixed": 4},
        "levels": levels,
    }
    assert "1,003 open (+3 -4)" in stdout_of(capfd, "runs", *args).splitlines()[1]


def test_who_works_on_a_slice_is_named(
    project: LoadedProject, capfd: pytest.CaptureFixture[str]
) -> None:
    recorded(project, "run-a", {}, running="extract")
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west"):
        (leased, free) = json.loads(
            stdout_of(capfd, "status", "--json", "--project", project.folder)
        )
    assert leased["status"] == "running"
    assert leased["held_by"].startswith("process ")
    assert free["held_by"] is None
