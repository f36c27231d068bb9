"""`cutline readiness`, as whoever operates it sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutline.project.readiness import GATES
from support.documents import document
from support.gates import DECLARED, file_rehearsal, measured
from support.rolled_out import CONTEXT, REGION, RolledOutSlice


def readiness_arguments(folder: Path) -> tuple[str, ...]:
    return "readiness", CONTEXT, "--region", REGION, "--project", str(folder)


@pytest.mark.parametrize(("section", "code"), [(DECLARED, 0), ({}, 1)], ids=["yellow", "red"])
def test_it_ends_with_1_where_a_gate_is_red(
    tmp_path: Path, section: dict[str, Any], code: int
) -> None:
    RolledOutSlice(tmp_path, readiness=section)
    ended, answer = document(*readiness_arguments(tmp_path))
    assert (ended, answer["red"], answer["declared"]) == (code, code == 1, True)
    assert [gate["gate"] for gate in answer["gates"]] == list(GATES)
    by_name = {gate["gate"]: gate for gate in answer["gates"]}
    assert by_name["compatibility"]["colour"] == "yellow"
    assert by_name["compatibility"]["next_command"].startswith("cutline rehearse")
    assert by_name["governance"]["colour"] == ("red" if code else "green")


def test_people_read_colour_reason_evidence_and_the_next_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from cutline.cli.app import app

    slice_ = RolledOutSlice(tmp_path, readiness=DECLARED)
    file_rehearsal(slice_, measured(offsets={"passed": False, "says": "group desk went back"}))
    done = CliRunner().invoke(app, list(readiness_arguments(tmp_path)))
    lines = capfd.readouterr().out.splitlines()
    assert done.exit_code == 1
    assert lines[0] == f"readiness of {CONTEXT}/{REGION}"
    at = next(n for n, line in enumerate(lines) if line.split()[:2] == ["red", "offsets"])
    assert "group desk went back" in lines[at]
    assert lines[at + 1].strip().startswith("by: cutline rehearse, at ")
    assert (
        lines[at + 2].strip() == f"next: cutline rehearse {CONTEXT} --region {REGION} --run run-1"
    )
