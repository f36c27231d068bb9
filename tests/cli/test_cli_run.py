"""`cutline run`: exit codes, what stands on stdout, what people read when it did not go well."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import typer

from support.cli_process import forked_cutline
from support.sample_project import document, write

pytestmark = pytest.mark.process

SLICE = ("run", "fulfilment", "--region", "eu-west")

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def cutline() -> Iterator[Command]:
    """The command line, in a process for each command; those of `test_cli_start` load all anew."""
    with forked_cutline() as run:
        yield run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", document())


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("go", 0),
        ("undecided", 0),
        ("no-go", 1),
        ("failed", 3),
        ("defect", 3),
        ("wrapped", 3),
        ("interrupted", 3),
    ],
)
@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_exit_codes(
    cutline: Command, project: Path, how: str, code: int, json_: tuple[str, ...]
) -> None:
    done = cutline(*SLICE, "--project", project, *json_, env={"FAKE_RUN": how})
    assert done.returncode == code
    assert bool(done.stdout) == (code in (0, 1))
    assert "Traceback" not in done.stderr


def test_json_is_one_document_whatever_else_prints(cutline: Command, project: Path) -> None:
    done = cutline(*SLICE, "--project", project, "--json", env={"FAKE_RUN": "noisy"})
    assert done.returncode == 0
    assert json.loads(done.stdout)["context"] == "fulfilment"
    for text in ("a plugin prints", "a child process prints", "a shell prints", "that was all"):
        assert text in done.stderr


def test_the_json_contract(cutline: Command, project: Path) -> None:
    done = cutline(*SLICE, "--project", project, "--json", env={"FAKE_RUN": "no-go"})
    lake = f"{project}/lake/fulfilment/eu-west/0123"
    summary = json.loads(done.stdout)
    assert [s["name"] for s in summary["stages"]] == [
        "extract",
        "translate",
        "merge",
        "project",
        "reconcile",
        "report",
    ]
    assert summary.pop("stages")[1] == {
        "name": "translate",
        "seconds": 0.5,
        "rows_in": 120,
        "rows_out": 200,
        "digest": "d" * 32,
    }
    assert summary == {
        "run_id": "fulfilment-eu-west-0123",
        "context": "fulfilment",
        "slice": "eu-west",
        "status": "complete",
        "decision": "no-go",
        "decided_by": "outcome to-promise: 70 % < 99 %",
        "unexplained": 0,
        "read": {},
        "dispositions": {"translated": 118, "quarantined": 2},
        "verdicts": {"accepted": 198, "held": 2},
        "exceptions": {"orphan": 2},
        "findings": {},
        "breaks": {"outcome": 3},
        "outcomes": {"to-promise": {"agree": 7, "differ": 3}},
        "report": f"{lake}/report/report.html",
        "report_sha256": None,
        "lake": lake,
    }


def test_people_read_the_decision_and_why_and_where_to_look(
    cutline: Command, project: Path
) -> None:
    done = cutline(*SLICE, "--project", project, env={"FAKE_RUN": "no-go"})
    lines = done.stdout.splitlines()
    assert lines[0] == "NO-GO  fulfilment eu-west  run fulfilment-eu-west-0123"
    assert "  why           outcome to-promise: 70 % < 99 %" in lines
    assert "  outcome       to-promise: 7 agree, 3 differ" in lines
    assert "  unexplained   0" in lines
    assert lines[-1].endswith(f"cutline show fulfilment-eu-west-0123 breaks --project {project}")
    assert done.stderr.splitlines() == [
        "extract: started",
        "extract: 0 rows in, 120 out, 0.5 s, 240 rows/s",
        "translate: 120 rows in, 200 out, 0.5 s, 240 rows/s",
        "merge: 200 rows in, 198 out, 0.5 s, 400 rows/s",
        "project: 198 rows in, 90 out, 0.5 s, 396 rows/s",
        "reconcile: 90 rows in, 3 out, 0.5 s, 180 rows/s",
        "report: 0 rows in, 0 out, 0.5 s, 0 rows/s",
        "that was all",
    ]


def test_one_stage_only(cutline: Command, project: Path) -> None:
    only = ("--stage", "merge", "--stage", "project")
    done = cutline(*SLICE, "--project", project, *only, env={"FAKE_RUN": "go"})
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "extract",
        "merge",
        "project",
        "that was all",
    ]


def test_an_error_says_what_is_left_and_what_comes_next(cutline: Command, project: Path) -> None:
    done = cutline(*SLICE, "--project", project, env={"FAKE_RUN": "failed"})
    assert done.stderr.splitlines()[1:] == [
        f"error: the disk of {project}/lake is full",
        "left behind: extract",
        "next: make room",
    ]


def test_a_traceback_is_shown_when_asked_for(cutline: Command, project: Path) -> None:
    env = {"FAKE_RUN": "failed", "CUTLINE_TRACE": "1"}
    done = cutline(*SLICE, "--project", project, env=env)
    assert "Traceback" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("how", ["defect", "wrapped"])
def test_a_defect_is_one_sentence_and_a_file(cutline: Command, project: Path, how: str) -> None:
    done = cutline(*SLICE, "--project", project, env={"FAKE_RUN": how})
    (error_file,) = (project / ".cutline").glob("error-*.txt")
    assert str(error_file) in done.stderr
    assert "ZeroDivisionError" in error_file.read_text()
    assert error_file.stat().st_mode & 0o077 == 0
    if how == "defect":
        assert "ZeroDivisionError: of all things" in done.stderr


@pytest.mark.parametrize("how", ["defect", "wrapped"])
def test_a_traceback_that_cannot_be_kept_is_said_to_be_nowhere(
    cutline: Command, project: Path, how: str
) -> None:
    (project / ".cutline").write_text("in the way")
    done = cutline(*SLICE, "--project", project, env={"FAKE_RUN": how})
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    place = f"the traceback, which CUTLINE_TRACE=1 shows: it cannot be kept in {project}/.cutline"
    assert place in done.stderr


def test_an_interruption_says_to_run_it_again(cutline: Command, project: Path) -> None:
    done = cutline(*SLICE, "--project", project, env={"FAKE_RUN": "interrupted"})
    assert "error: Interrupted." in done.stderr
    assert "Run the same command again" in done.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("run", "fulfilment"), "Missing option '--region'"),
        (("run", "fulfilment", "--region", "eu-wst"), "Did you mean 'eu-west'?"),
        (("run", "fulfilmnt", "--region", "eu-west"), "Did you mean 'fulfilment'?"),
        ((*SLICE, "--stage", "tranlate"), "Did you mean 'translate'?"),
        (("rnu",), "No such command"),
        (("show", "r", "t", "--limit", "0"), "--limit"),
        (("runs", "fulfilmnt", "--region", "eu-west"), "Did you mean 'fulfilment'?"),
    ],
)
def test_what_is_typed_wrong_is_exit_2(
    cutline: Command, project: Path, args: tuple[str, ...], says: str
) -> None:
    where = ("--project", project) if len(args) > 1 else ()
    done = cutline(*args, *where, env={"FAKE_RUN": "go", "COLUMNS": "200"})
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_no_project_is_exit_2_and_says_how_to_start(cutline: Command, tmp_path: Path) -> None:
    done = cutline(*SLICE, "--project", tmp_path, "--json", env={"FAKE_RUN": "go"})
    assert (done.returncode, done.stdout) == (2, "")
    assert str(tmp_path) in done.stderr
    assert "cutline demo --dir DIR" in done.stderr


def test_sigterm_ends_a_command_with_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    from cutline.cli.guard import guarded

    before = signal.getsignal(signal.SIGTERM)

    @guarded
    def waiting() -> int:
        signal.raise_signal(signal.SIGTERM)
        return 0

    @guarded
    def at_work() -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt as error:
            error.add_note("Done and kept: extract.")
            raise
        return 0

    for command, left_behind in (
        (waiting, "What a run had completed is kept."),
        (at_work, "Done and kept"),
    ):
        with pytest.raises(typer.Exit) as ended:
            command()
        assert ended.value.exit_code == 3
        error = capfd.readouterr().err
        assert "error: Ended by SIGTERM." in error
        assert f"left behind: {left_behind}" in error
        assert "next: Run the same command again" in error
    assert signal.getsignal(signal.SIGTERM) == before


def test_sigterm_in_code_that_is_made_of_text_ends_python_m_with_exit_3(tmp_path: Path) -> None:
    (tmp_path / "ended.py").write_text(
        "import typer\n"
        "from cutline.cli.guard import guarded\n"
        "def command() -> int:\n"
        "    exec('import signal; signal.raise_signal(signal.SIGTERM)')\n"
        "    return 0\n"
        "typer.run(guarded(command))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "ended"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "error: Ended by SIGTERM." in done.stderr
    assert done.returncode == 3


@pytest.mark.parametrize("how", ["no-go", "failed", "defect", "wrapped"])
def test_a_secret_of_the_project_is_shown_as_the_file_writes_it(
    cutline: Command, tmp_path: Path, how: str
) -> None:
    content = document() | {"lake": "lakes/${file:token}"}
    project = write(tmp_path / "project", content)
    (project / "token").write_text("Gr8 s3cr%t/w0rd")
    done = cutline(*SLICE, "--project", project, "--json", env={"FAKE_RUN": how})
    error_texts = [path.read_text() for path in (project / ".cutline").glob("error-*.txt")]
    everything = "".join((done.stdout, done.stderr, *error_texts))
    assert "lakes/${file:token}" in everything
    assert "Gr8" not in everything
    assert "s3cr" not in everything
    if how == "no-go":
        assert json.loads(done.stdout)["lake"].startswith(f"{project}/lakes/${{file:token}}/")


def test_a_cluster_needs_a_control_database_for_all_its_machines(
    cutline: Command, project: Path
) -> None:
    """Refused before anybody looks for the master."""
    done = cutline(*SLICE, "--project", project, "--master", "spark://127.0.0.1:1")
    assert done.returncode == 2
    assert f"control: the SQLite file {project}/control.db cannot keep two machines" in done.stderr
    assert "spark://127.0.0.1:1" in done.stderr
    assert "postgresql://" in done.stderr
    assert not (project / "control.db").exists()
