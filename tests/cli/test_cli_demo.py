"""`cutline demo`: two runs, both decisions, and folders that hold something else."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.api import Project, Run
from cutline.project.spark import SparkSection
from cutline.run.outcome import RunOutcome
from cutline.run.progress import OnEvent
from support.command_line import parser
from support.fake_cutline import record


class Estate:
    """The sample project's writer and the runs, as literal values."""

    def __init__(self) -> None:
        self.written: list[tuple[int, int, int]] = []
        self.started: list[SparkSection] = []
        self.major = 0
        self.decisions: dict[int, Any] = {1: "no-go", 2: "go"}

    def write_project(self, folder: Path, orders: int, seed: int, translation_major: int) -> None:
        self.written.append((orders, seed, translation_major))
        (folder / "cutline.yaml").write_text("version: 1\n")

    def choose_major(self, folder: Path, major: int) -> None:
        assert (folder / "cutline.yaml").exists()
        self.major = major

    def run(self, project: Project, context: str, *, region: str, on_event: OnEvent) -> Run:
        folder = project.folder
        report = f"{folder}/lake/{self.major}/report.html"
        run_record = record(self.decisions[self.major], context, region)
        return Run(project, RunOutcome(run_record, f"{folder}/lake", report))


@pytest.fixture
def estate(monkeypatch: pytest.MonkeyPatch) -> Estate:
    fake_estate = Estate()
    retail = SimpleNamespace(
        write_project=fake_estate.write_project,
        choose_major=fake_estate.choose_major,
        spark_section=lambda orders: SparkSection(master=f"local[{orders}]"),
    )
    monkeypatch.setitem(sys.modules, "cutline_translators.retail.estate", retail)
    monkeypatch.setattr(
        Project,
        "run",
        lambda project, context, **kwargs: fake_estate.run(project, context, **kwargs),
    )
    monkeypatch.setattr("cutline.spark.session.start_early", fake_estate.started.append)
    return fake_estate


def demo(*args: object) -> int:
    with pytest.raises(SystemExit) as end:
        parser()(["demo", *(str(a) for a in args)])
    return int(end.value.code or 0)


def test_it_tells_the_story(
    tmp_path: Path, estate: Estate, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "demo"
    assert demo("--dir", folder, "--orders", 500, "--seed", 3) == 0
    assert estate.written == [(500, 3, 1)]
    (started,) = estate.started
    assert (started.master, started.quick_start) == ("local[500]", True)
    assert started.memory is not None
    assert capfd.readouterr().out.splitlines() == [
        "translation 1: NO-GO",
        "  why     outcome to-promise: 70 % < 99 %",
        f"  report  {folder}/lake/1/report.html",
        "translation 2: GO",
        "  why     every gate is passed",
        f"  report  {folder}/lake/2/report.html",
        "Look deeper: cutline show fulfilment-eu-west-0123 breaks --where \"level = 'outcome'\" "
        f"--project {folder}",
    ]


@pytest.mark.parametrize("decisions", [("go", "go"), ("no-go", "no-go"), (None, "go")])
def test_other_decisions_are_exit_1(
    tmp_path: Path, estate: Estate, capfd: pytest.CaptureFixture[str], decisions: tuple[Any, Any]
) -> None:
    estate.decisions = dict(zip((1, 2), decisions, strict=True))
    assert demo("--dir", tmp_path / "demo") == 1
    assert "not the decisions that the demo expects" in capfd.readouterr().out


def test_the_same_demo_is_not_written_again(tmp_path: Path, estate: Estate) -> None:
    for _ in range(2):
        assert demo("--dir", tmp_path, "--orders", 500) == 0
    assert len(estate.written) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"notes.txt": "mine"}, "is not empty and is not a demo"),
        ({".cutline-demo.json": "{"}, "is not empty and is not a demo"),
        ({".cutline-demo.json": '{"orders": 9, "seed": 7}'}, "other parameters"),
        ({".cutline-demo.json": "null"}, "is not empty and is not a demo"),
    ],
)
def test_a_folder_with_something_else_is_left_alone(
    tmp_path: Path,
    estate: Estate,
    capfd: pytest.CaptureFixture[str],
    content: dict[str, str],
    says: str,
) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    assert demo("--dir", tmp_path) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert "Choose another folder" in err
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == content
    assert estate.written == []


def test_a_write_that_stopped_half_way_is_done_again(
    tmp_path: Path, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(folder: Path, *_: int) -> None:
        (folder / "extract").mkdir()
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["cutline_translators.retail.estate"], "write_project", stops)
        assert demo("--dir", tmp_path / "demo") == 3
    assert estate.written == []
    assert demo("--dir", tmp_path / "demo") == 0
    assert len(estate.written) == 1


@pytest.mark.parametrize(
    ("number", "code", "step"),
    [
        (errno.EROFS, 2, "Choose another folder with --dir DIR, or make this one writable."),
        (errno.EACCES, 2, "Choose another folder with --dir DIR, or make this one writable."),
        (errno.ENOSPC, 3, "Make room on its disk, then run the same command again."),
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path,
    estate: Estate,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    code: int,
    step: str,
    is_there: bool,
) -> None:
    folder = tmp_path / "demo"
    if is_there:
        folder.mkdir()

    def refuses(path: Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text" if is_there else "mkdir", refuses)
        assert demo("--dir", folder) == code
    err = capfd.readouterr().err
    assert f"error: {folder} cannot be written: {os.strerror(number)}" in err
    assert f"next: {step}" in err
    assert "Traceback" not in err
    assert estate.written == estate.started == []


def test_the_marker_holds_the_parameters(tmp_path: Path, estate: Estate) -> None:
    demo("--dir", tmp_path, "--orders", 700, "--seed", 11)
    marker = json.loads((tmp_path / ".cutline-demo.json").read_text())
    assert marker == {"orders": 700, "seed": 11, "complete": True}


POSTGRES = "postgresql://cutline:${LIVE_DEMO_PASSWORD}@127.0.0.1:1/postgres"
SERVERS = ("--postgres", POSTGRES, "--kafka", "127.0.0.1:1", "--connect", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--live",), "needs --postgres and --kafka and --connect as well"),
        (("--live", *SERVERS[:4]), "needs --connect as well"),
        (("--live", "--clean", *SERVERS[:2]), "--postgres is not for --clean"),
        (("--live", "--clean", "--orders", "500"), "--orders is not for --clean"),
        (("--live", "--clean", "--seed", "0"), "--seed is not for --clean"),
        (("--live", *SERVERS, "--name", ""), "--name '' cannot name a database"),
        (("--kafka", "127.0.0.1:1"), "--kafka is for --live"),
        (("--clean",), "--clean is for --live"),
        (("--live", "--clean"), "holds no live demo"),
        (("--live", *SERVERS), "PostgreSQL at postgresql://127.0.0.1:1/postgres does not answer"),
        (("--live", *SERVERS, "--name", "Retail"), "--name 'Retail' cannot name a database"),
        (
            ("--live", "--postgres", POSTGRES.replace("${LIVE_DEMO_PASSWORD}", "pw"), *SERVERS[2:]),
            "--postgres holds a password as plain text",
        ),
        (("--live", "--postgres", "postgresql://host", *SERVERS[2:]), "--postgres is not a comp"),
        (
            ("--live", *SERVERS[:4], "--connect", "http://me:pw@host:1"),
            "--connect is not the address of Kafka Connect",
        ),
    ],
)
def test_a_live_demo_without_its_servers_is_wrong_usage(
    tmp_path: Path,
    estate: Estate,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setenv("LIVE_DEMO_PASSWORD", "a-password-of-servers")
    assert demo("--dir", tmp_path / "demo", *words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert "a-password-of-servers" not in err
    assert not (tmp_path / "demo").exists()
    assert estate.written == []


def test_a_live_demo_and_one_in_files_do_not_share_a_folder(
    tmp_path: Path, estate: Estate, capfd: pytest.CaptureFixture[str]
) -> None:
    marker = {"orders": 1000, "seed": 7, "complete": True, "live": True}
    (tmp_path / ".cutline-demo.json").write_text(json.dumps(marker))
    assert demo("--dir", tmp_path) == 2
    assert "holds a demo on servers (--live)" in capfd.readouterr().err
    assert estate.written == []
