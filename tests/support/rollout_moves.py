"""Each move of a rollout, and the slice just before it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from support.rolled_out import CONTEXT, REGION, RolledOutSlice

MOVES: dict[str, tuple[list[tuple[str, list[object]]], str, list[object]]] = {
    "stage": ([("open", [])], "stage", ["run-1"]),
    "mirror": ([("open", []), ("stage", ["run-1"])], "mirror", [20]),
    "switch reads": ([("open", []), ("stage", ["run-1"])], "switch reads", [None]),
    "reverse reads": (
        [("open", []), ("stage", ["run-1"]), ("switch reads", [5])],
        "reverse reads",
        [],
    ),
    "switch writes": (
        [("open", []), ("stage", ["run-1"]), ("switch reads", [None])],
        "switch writes",
        [],
    ),
    "reverse writes": (
        [("open", []), ("stage", ["run-1"]), ("switch reads", [None]), ("switch writes", [])],
        "reverse writes",
        [],
    ),
    "cancel": ([("open", []), ("stage", ["run-1"]), ("switch reads", [5])], "cancel", []),
    "complete": (
        [("open", []), ("stage", ["run-1"]), ("switch reads", [None]), ("switch writes", [])],
        "complete",
        [],
    ),
}
"""By name: what comes before a move, its command and its arguments."""


def prepared(folder: Path, move: str, **rollout: object) -> RolledOutSlice:
    """A slice just before the move, whose project declares `rollout`; a copy of the first that was
    made beside `folder`."""
    first = folder.parent / "prepared"
    if not first.exists():
        stand(first, MOVES[move][0], **rollout)
    return copied(first, folder)


def stand(folder: Path, commands: list[tuple[str, list[object]]], **rollout: Any) -> RolledOutSlice:
    """A new slice that stands behind some commands, with a second run that is GO."""
    slice_ = RolledOutSlice(folder, **rollout)
    for command, arguments in commands:
        if command == "stage" and slice_.control.run(str(arguments[0])) is None:
            slice_.run(str(arguments[0]))
        slice_.do(command, *arguments)
    if slice_.control.run("run-2") is None:
        slice_.run("run-2")
    return slice_


def copied(first: Path, folder: Path) -> RolledOutSlice:
    """A slice that stands where that of another folder does, and that its second run carries on."""
    shutil.copytree(first, folder)
    slice_ = RolledOutSlice(folder)
    slice_.carried_on = lambda: "run-2"
    return slice_


def check_one_side_writes(slice_: RolledOutSlice) -> None:
    """Never do legacy and new side take writes at once."""
    assert not (slice_.legacy_takes_writes() and slice_.standing.writes == "new")


def end(slice_: RolledOutSlice) -> tuple[object, ...]:
    """Where the rollout stands, without what counts attempts."""
    r = slice_.standing
    release = {x.release: x.run_id for x in slice_.control.releases(CONTEXT, REGION)}
    return (
        *(r.reads, r.percent, r.writes, release.get(r.release or 0), r.step, r.plan),
        *(r.ending, slice_.legacy_takes_writes()),
    )


def check_readers_whole(slice_: RolledOutSlice) -> None:
    """Where the row names a release, its tables are there, and views show one."""
    work = slice_.work()
    release = work.release(slice_.standing.release)
    read_model = work.read_model
    if release is None or read_model is None:
        return
    assert read_model.pointed() is not None
    assert release.release in read_model.versions()
