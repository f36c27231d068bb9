"""A command that is told to be typed next is one that a shell takes as it is meant."""

from __future__ import annotations

import shlex

from cutline import Project


def test_a_folder_with_a_space_is_quoted() -> None:
    command = Project("/data/my shop; x").command("status")
    assert command == "cutline status --project '/data/my shop; x'"
    assert shlex.split(command)[-1] == "/data/my shop; x"


def test_a_plain_folder_is_not() -> None:
    assert Project("/data/shop").command("runs") == "cutline runs --project /data/shop"
