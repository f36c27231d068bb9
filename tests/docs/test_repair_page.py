"""docs/repair.md: its commands repair the table that it declares, and put it back."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from support.command_line import CommandLine
from support.paths import DOCS
from support.replaying import append_records, shop_document
from support.sales_by_hour import Sold, table_rows, totals, write_table

PAGE = (DOCS / "repair.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^cutline (.*)$", PAGE, re.M)
[SECTIONS] = re.findall(r"```yaml\n(replays:.*?)```", PAGE, re.S)
[STATE] = re.findall(r"```yaml\n(    state:.*?)```", PAGE, re.S)
[QUERY] = re.findall(r"```sql\n(.*?)```", PAGE, re.S)
SOLD = [Sold(number, minutes=60 * 20 + 90 * number, cents=number + 1) for number in range(40)]


@pytest.mark.process
def test_the_commands_of_the_page_do_what_it_says(
    tmp_path: Path, command_line: CommandLine
) -> None:
    document = shop_document(topics={"prefix": "shop"}, **yaml.safe_load(SECTIONS))
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (tmp_path / "repairs").mkdir()
    (tmp_path / "repairs" / "hourly.sql").write_text(QUERY, encoding="utf-8")
    append_records(tmp_path, "orders", [order.record() for order in SOLD])
    right = totals(SOLD)
    write_table(tmp_path, ((h, p, o, c * (2 if "-02T" in h else 1)) for h, p, o, c in right))
    wrong = table_rows(tmp_path)
    expected = [(wrong, "would be put right"), (right, "were put right"), (wrong, "of before")]
    for command, (rows, words) in zip(COMMANDS, expected, strict=True):
        done = command_line(*shlex.split(command), "--project", tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        assert words in done.stdout
        assert table_rows(tmp_path) == rows


def test_what_the_page_declares_is_allowed() -> None:
    from cutline.project.model import ProjectFile

    document = shop_document(**yaml.safe_load(SECTIONS))
    document["repairs"]["hourly"] |= yaml.safe_load(STATE)
    file = ProjectFile.model_validate(document)
    assert file.repairs["hourly"].state is not None


def test_the_columns_that_the_page_names_are_those_of_a_query() -> None:
    from cutline.repair.computing import EVENTS

    row = next(line for line in PAGE.splitlines() if line.startswith("| `query`"))
    for column in EVENTS.split(", "):
        assert f"`{column.split()[0]}`" in row
