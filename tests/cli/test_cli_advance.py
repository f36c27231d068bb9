"""`cutline advance`: what it refuses, and what it says of a slice that is carried on and on."""

from __future__ import annotations

import datetime as dt
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from cutline.api import Project
from cutline.api.run import BOOKS
from cutline.cli.commands.advance import command
from cutline.cli.commands.advance.cycle import cycle_line
from cutline.cli.commands.advance.every import pause_of, rest, seconds_of
from support.command_line import CommandLine
from support.sample_project import document, write

NOW = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("5m", 300), ("1h", 3600)])
def test_a_pause_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert pause_of(text) == text
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["5", "0s", "m", "1.5m", "5 m", "-1s"])
def test_any_other_pause_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="no time such as 30s"):
        pause_of(text)


def test_a_rest_ends_with_the_time_or_with_an_interrupt() -> None:
    assert rest("0s")
    # A process that was started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        assert not rest("1h")
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def run(**fields: Any) -> Any:
    watermarks = {
        "erp": NOW - dt.timedelta(minutes=3),
        "crm": NOW - dt.timedelta(days=2),
        "shop": NOW + dt.timedelta(seconds=1),
    }
    values = {"id": "f-eu-1", "decision": "go", "status": "complete", "already_complete": False}
    values["overtaken_by"] = None
    return SimpleNamespace(**{**values, "watermarks": watermarks, **fields})


def test_a_run_is_one_line_with_the_age_of_each_newest_change() -> None:
    ages = "newest change: crm 2 d old, erp 3 min old, shop 0 s old"
    assert cycle_line(7, run(), NOW) == f"7  GO  run f-eu-1  {ages}"
    still = cycle_line(8, run(already_complete=True, watermarks={}), NOW)
    assert still == "8  nothing is new since run f-eu-1"
    overtaken = finished(already_complete=True, overtaken_by="f-eu-2")
    assert cycle_line(9, overtaken, NOW).startswith(
        "9  GO  run f-eu-1 as before; run f-eu-2, of other inputs, is newer: "
        "cutline run f --region eu --again"
    )


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The runs that `Project.advance` gives, the first first; nothing is really run."""
    write(tmp_path, document())
    monkeypatch.chdir(tmp_path)
    left: list[Any] = []
    monkeypatch.setattr(Project, "advance", lambda *_, **__: left.pop(0))
    monkeypatch.setattr(command, "rest", lambda _: bool(left))
    return left


def finished(**fields: Any) -> Any:
    books = {name: {} for name in BOOKS}
    counts = SimpleNamespace(**books, outcomes={}, unexplained=0)
    shown = {"context": "f", "region": "eu", "counts": counts, "report": None, "lake": "lake"}
    project = SimpleNamespace(command=lambda words: f"cutline {words}")
    return run(**shown, decided_by=None, project=project, as_json=lambda: {"run": 1}, **fields)


ARGS = ("advance", "fulfilment", "--region", "eu-west")


def test_it_goes_on_until_nothing_is_new(command_line: CommandLine, runs: list[Any]) -> None:
    runs += [finished(), finished(decision="no-go"), finished(already_complete=True)]
    ended = command_line(*ARGS, "--until-caught-up")
    lines = ended.stdout.splitlines()
    assert [line[:12].split("  ")[:2] for line in lines[:2]] == [["1", "GO"], ["2", "NO-GO"]]
    assert lines[2].startswith("GO  f eu  run f-eu-1")
    assert (ended.returncode, runs) == (0, [])


def test_the_last_decision_is_the_exit_code(command_line: CommandLine, runs: list[Any]) -> None:
    runs += [finished(decision="no-go", already_complete=True)]
    assert command_line(*ARGS, "--until-caught-up").returncode == 1


def test_it_stays_until_it_is_ended_between_two_runs(
    command_line: CommandLine, runs: list[Any]
) -> None:
    runs += [finished(decision="no-go"), finished(already_complete=True), finished()]
    ended = command_line(*ARGS, "--every", "5m", "--json")
    assert ended.returncode == 0
    assert ended.stdout.count('"run": 1') == 3


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--every", "soon"), "is no time such as 30s"),
        (("--every", "99999999999h"), "is more than a year"),
        (("--every", "9" * 5000 + "s"), "--every"),
        (("--every", "5m", "--until-caught-up"), "--every never does"),
    ],
)
def test_what_does_not_go_together_is_refused(
    command_line: CommandLine, runs: list[Any], options: tuple[str, ...], says: str
) -> None:
    ended = command_line(*ARGS, *options)
    assert ended.returncode == 2
    assert says in " ".join(ended.stderr.replace("│", " ").split())
