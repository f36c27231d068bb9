"""docs/replay.md: its project replays its archive by its command, and its names are those of code."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cutline.replay import events, upcasting
from support.command_line import CommandLine
from support.paths import DOCS
from support.replaying import Placed, numbers, page_project, standing

PAGE = (DOCS / "replay.md").read_text(encoding="utf-8")
[COMMAND] = re.findall(r"^cutline (replay .*)$", PAGE, re.M)
[SECTION] = re.findall(r"```yaml\n(replays:.*?)```", PAGE, re.S)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_command_of_the_page_does_what_it_says(
    tmp_path: Path, command_line: CommandLine
) -> None:
    old = Placed(1, minute=-600, data={"customer": "Ann", "fax": 1})
    placed = [old, Placed(2, minute=9, data={"buyer": "Bea"}, version=3)]
    page_project(tmp_path, SECTION, placed, "2026-11.jsonl")

    command = [*shlex.split(COMMAND), "--project", tmp_path]
    ended = command_line(*command)
    assert ended.returncode == 0
    assert "to orders.again: sent and read back" in ended.stdout
    assert "2 read, 1 not asked for, 1 replayed, 0 exceptions" in ended.stdout
    again = command_line(*command, "--json")
    assert json.loads(again.stdout)["already_complete"]
    [record] = standing(tmp_path)
    assert numbers([record]) == [1]
    assert json.loads(record.value or b"") == {"no": 1, "buyer": "Ann", "currency": "EUR"}


def test_reasons_of_the_page_are_those_of_the_code() -> None:
    reasons = [upcasting.NO_VERSION, upcasting.UNKNOWN_VERSION, upcasting.NO_UPCASTER]
    for name in (*reasons, upcasting.FAILED, events.UNREADABLE, events.BEHIND):
        assert f"`{name}`" in PAGE
