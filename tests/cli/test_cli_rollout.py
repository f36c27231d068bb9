"""`cutline rollout`: what operators read, and how commands end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cutline.errors import RunFailed
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, killed_at, without_spark
from support.rollout_kills import acting, killed_at_step

SLICE = (CONTEXT, "--region", REGION)


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    without_spark(monkeypatch)
    return RolledOutSlice(tmp_path)


def test_the_board_has_every_slice_and_what_comes_next(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    done = command_line("rollout", "show", "--project", slice_.folder)
    assert done.returncode == 0
    head, west, east, *commands = done.stdout.splitlines()
    assert head.split() == [
        *("context", "slice", "stands", "step", "reads", "writes", "epoch", "denial"),
        *("release", "staged", "readiness", "newest", "run"),
    ]
    assert west.split() == [
        *("fulfilment", "eu-west", "open", "canary", "5", "%", "legacy", "1", "1", "1"),
        *("not", "declared", "go,", "0", "exceptions"),
    ]
    assert "never opened" in east
    assert commands == [
        "next: cutline rollout switch reads fulfilment --region eu-west",
        "next: cutline rollout reverse reads fulfilment --region eu-west",
        "next: cutline rollout open fulfilment --region us-east",
    ]
    only = command_line("rollout", "show", "--region", REGION, "--json", "--project", slice_.folder)
    (overview,) = json.loads(only.stdout)
    assert (overview["reads"], overview["percent"], overview["run_id"]) == ("canary", 5, "run-1")


def test_a_dry_run_shows_the_plan_and_changes_nothing(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    slice_.do("open")
    before = slice_.standing
    done = command_line(
        *("rollout", "stage", *SLICE, "run-1", "--dry-run"), "--project", slice_.folder
    )
    assert done.returncode == 0
    assert "yes  decision     its decision is GO: a gate" in done.stdout
    assert " 1  record-release  " in done.stdout
    assert slice_.standing == before


def test_a_refusal_says_what_is_missing_and_which_command_gives_it(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    done = command_line("rollout", "switch", "writes", *SLICE, "--project", slice_.folder)
    assert done.returncode == 1
    assert "switch writes of fulfilment/eu-west: refused" in done.stdout
    assert "NO   open  the rollout of this slice was never opened" in done.stdout
    assert "next: cutline rollout open fulfilment --region eu-west" in done.stdout
    document = json.loads(
        command_line(
            *("rollout", "mirror", *SLICE, "5", "--json"), "--project", slice_.folder
        ).stdout
    )
    assert [guard["passed"] for guard in document["guards"]] == [False]


def test_what_was_interrupted_is_shown_and_resumed_or_taken_back(
    slice_: RolledOutSlice, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_.do("open")

    def no_disk(*_: object) -> None:
        raise RunFailed("no disk")

    with monkeypatch.context() as patch:
        patch.setattr("cutline.rollout.steps.release.history_positions", no_disk)
        done = command_line("rollout", "stage", *SLICE, "run-1", "--project", slice_.folder)
    assert (done.returncode, "step record-release failed: no disk" in done.stderr) == (3, True)
    assert "next: cutline rollout resume fulfilment --region eu-west" in done.stderr
    board = command_line("rollout", "show", "--project", slice_.folder).stdout
    assert "record-release" in board
    assert "next: cutline rollout resume fulfilment --region eu-west" in board
    dry = command_line("rollout", "cancel", *SLICE, "--dry-run", "--project", slice_.folder)
    assert dry.stdout == "stage would be undone, which stands at record-release\n"
    dry = command_line("rollout", "resume", *SLICE, "--dry-run", "--project", slice_.folder)
    assert dry.returncode == 0
    assert "yes  decision" in dry.stdout
    assert dry.stdout.endswith(
        " 1  record-release  record run, timeline, topic positions and read model as the next "
        "release\n"
    )
    resumed = command_line("rollout", "resume", *SLICE, "--project", slice_.folder)
    assert resumed.returncode == 0
    assert "  staged   1" in resumed.stdout
    again = command_line("rollout", "resume", *SLICE, "--project", slice_.folder)
    assert (again.returncode, "Nothing is under way" in again.stderr) == (2, True)


@pytest.mark.process
def test_a_dry_resume_looks_again_and_says_what_is_missing(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    act = acting(slice_, "switch reads", [None])
    assert killed_at(act, slice_.work(), 1, before=False)
    slice_.run("run-2", decision="no-go")
    dry = command_line("rollout", "resume", *SLICE, "--dry-run", "--project", slice_.folder)
    assert dry.returncode == 1
    assert "NO   newest" in dry.stdout
    resumed = command_line("rollout", "resume", *SLICE, "--project", slice_.folder)
    assert resumed.returncode == 1


@pytest.mark.process
def test_a_resume_that_takes_back_says_so_before_and_after(
    slice_: RolledOutSlice, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)
    killed_at_step(slice_, "switch writes", "wait-for-transactions")
    monkeypatch.setattr("cutline.rollout.performing.seconds_left", lambda _: -60.0)
    dry = command_line("rollout", "resume", *SLICE, "--dry-run", "--project", slice_.folder)
    says = "its time was over when it was resumed"
    assert (dry.returncode, dry.stdout) == (
        1,
        f"switch writes of fulfilment/eu-west would be taken back: {says}\n",
    )
    resumed = command_line("rollout", "resume", *SLICE, "--project", slice_.folder)
    assert resumed.returncode == 3
    assert f"switch writes was taken back: {says}" in resumed.stdout
    assert slice_.legacy_takes_writes()


def test_the_ledger_says_who_and_why(slice_: RolledOutSlice, command_line: CommandLine) -> None:
    nothing = command_line("rollout", "ledger", *SLICE, "--project", slice_.folder)
    assert nothing.stdout == "The rollout of this slice was never opened.\n"
    command_line(
        *("rollout", "open", *SLICE, "--why", "it is time", "--by", "kim"),
        *("--project", slice_.folder),
    )
    _, line = command_line("rollout", "ledger", *SLICE, "--project", slice_.folder).stdout.split(
        "\n", 1
    )
    assert "kim" in line
    assert "it is time" in line


def test_what_is_typed_wrong_is_refused(slice_: RolledOutSlice, command_line: CommandLine) -> None:
    def code(*words: object) -> int:
        return command_line("rollout", *words, "--project", slice_.folder).returncode

    assert code("mirror", *SLICE, "0") == 2
    assert code("mirror", *SLICE, "101") == 2
    assert code("open", "fulfilment", "--region", "nowhere") == 2
    assert code("open", "logistics", "--region", REGION) == 2
    assert code("show", "logistics") == 2
