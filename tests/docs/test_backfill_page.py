"""docs/backfill.md: its project takes its request by its command and from its files."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cutline.backfill import intake, serving
from cutline.backfill.order import BackfillOrder, read_document
from cutline.control.backfills import BACKFILL_STATUSES
from support.command_line import CommandLine
from support.paths import DOCS
from support.replaying import Placed, numbers, page_project, standing

PAGE = (DOCS / "backfill.md").read_text(encoding="utf-8")
SUBMIT, SERVE = re.findall(r"^cutline (.*)$", PAGE, re.M)
[SECTION] = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
[REQUEST] = re.findall(r"```json\n(.*?)```", PAGE, re.S)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_commands_and_the_request_of_the_page_do_what_it_says(
    tmp_path: Path, command_line: CommandLine
) -> None:
    events = [Placed(1, "o-16"), Placed(2, "o-17", minute=9)]
    page_project(tmp_path, SECTION, events, "2024-11.jsonl")
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "buyers.json").write_text(REQUEST, encoding="utf-8")

    assert command_line(*shlex.split(SUBMIT), "--project", tmp_path).returncode == 0
    assert shlex.split(SERVE)[:2] == ["serve", "--every"]
    served = command_line("serve", "--project", tmp_path)
    assert served.returncode == 0
    assert [line.split()[:2] for line in served.stdout.splitlines()] == [
        *(["1", "done"], ["2", "done"]),
    ]
    assert sorted(numbers(standing(tmp_path))) == [1, 2, 2], "two replays, each with its label"
    assert [f.name for f in (tmp_path / "asked" / intake.QUEUED_FILES).iterdir()] == [
        "2-buyers.json"
    ]


def test_what_the_page_says_a_request_has_is_what_it_has() -> None:
    assert isinstance(read_document(json.loads(REQUEST)), BackfillOrder)
    for name, field in BackfillOrder.model_fields.items():
        assert f"`{field.alias or name}`" in PAGE or f'"{field.alias or name}"' in PAGE
    for status in BACKFILL_STATUSES:
        assert f"| `{status}` |" in PAGE
    assert serving.MOST_FAILURES == 3
