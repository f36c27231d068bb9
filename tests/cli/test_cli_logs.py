"""`cutline -v`, `-vv` and `--log-format json`: what stands on stderr, and that stdout is the result."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.cli_process import cutline
from support.sample_project import document, write

pytestmark = pytest.mark.process

SLICE = ("run", "fulfilment", "--region", "eu-west")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", document())


def test_without_options_nothing_is_logged(project: Path) -> None:
    done = cutline(*SLICE, "--project", project, "--json", env={"FAKE_RUN": "go"})
    assert "INFO" not in done.stderr
    assert "extract: started" in done.stderr


def test_verbose_logs_in_text_beside_the_progress(project: Path) -> None:
    done = cutline("-v", *SLICE, "--project", project, "--json", env={"FAKE_RUN": "go"})
    assert done.returncode == 0
    (line,) = [one for one in done.stderr.splitlines() if " INFO " in one]
    assert re.fullmatch(
        rf"\S+Z INFO cutline\.project\.load configuration loaded "
        rf"config={re.escape(str(project))}/cutline\.yaml region=eu-west",
        line,
    )
    assert "extract: started" in done.stderr
    assert json.loads(done.stdout)["context"] == "fulfilment"


@pytest.mark.parametrize("verbosity", [(), ("-v",), ("-vv",)])
def test_json_lines_stand_alone_on_stderr(project: Path, verbosity: tuple[str, ...]) -> None:
    done = cutline(
        *(*verbosity, "--log-format", "json", *SLICE, "--project", project, "--json"),
        env={"FAKE_RUN": "go"},
    )
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert [one["message"] for one in records] == ["configuration loaded"]
    assert json.loads(done.stdout)["context"] == "fulfilment"


def test_an_error_is_a_json_line_too(project: Path) -> None:
    done = cutline(
        *("--log-format", "json", *SLICE, "--project", project), env={"FAKE_RUN": "failed"}
    )
    assert (done.returncode, done.stdout) == (3, "")
    *_, last = (json.loads(line) for line in done.stderr.splitlines())
    assert (last["level"], last["message"]) == ("error", "command failed")
    assert last["error"].endswith("is full")
    assert (last["left_behind"], last["next_step"]) == ("extract", "make room")


def test_an_unknown_format_is_wrong_usage(project: Path) -> None:
    done = cutline("--log-format", "xml", *SLICE, "--project", project)
    assert done.returncode == 2
    assert "xml" in done.stderr
