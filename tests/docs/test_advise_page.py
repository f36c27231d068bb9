"""docs/advise.md: its command says what the page shows, and its names and limits are the code's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.advice.judging import BY_COST
from cutline.advice.needs import NEEDS
from cutline.advice.rules import LARGE_BYTES, LARGE_ROWS, MOST_UNCLEAR, MOST_UNMAPPED, WINDOWS
from cutline.advice.strategies import WORDS
from support.command_line import CommandLine, parser
from support.finished_demo import finished_demo
from support.paths import DOCS

PAGE = (DOCS / "advise.md").read_text(encoding="utf-8")
[COMMAND] = re.findall(r"^cutline (advise .*)$", PAGE, re.M)
[SHOWN] = re.findall(r"```text\n(.*?)```", PAGE, re.S)


def section(title: str) -> str:
    """The text below a title of the page."""
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.spark
def test_the_command_of_the_page_says_what_it_shows(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> None:
    project = finished_demo(spark, tmp_path / "retail").project
    ended = command_line(*shlex.split(COMMAND), "--project", project)
    assert ended.returncode == 0
    assert ended.stdout.startswith(SHOWN)


def test_needs_and_answers_of_the_page_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `([a-z][a-z-]+)` \|", section("What the target needs"), re.M)
    assert tuple(rows) == NEEDS
    named = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", section("The six answers"), re.M)[:6]
    assert [name for name, _ in named] == list(BY_COST)
    words = {"nothing": frozenset(), "all four": frozenset(NEEDS)}
    for name, gives in named:
        expected = words.get(gives, frozenset(gives.split(", ")))
        assert WORDS[name].gives == expected, name  # type: ignore[index]


def test_options_of_the_page_are_those_of_the_command() -> None:
    group = parser()
    command = group.commands["advise"]
    options = {option for parameter in command.params for option in parameter.opts}
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert named == {o for o in options if o.startswith("--")} - {"--region", "--project", "--json"}


def test_limits_of_the_page_are_those_of_the_rules() -> None:
    text = section("The six answers")
    assert f"({LARGE_ROWS:,} rows, or {LARGE_BYTES // 10**9} GB of files" in text
    assert f"more than {MOST_UNMAPPED:.0%}".replace("%", " %") in text
    assert f"more than {MOST_UNCLEAR:.0%} of the events".replace("%", " %") in text
    assert {3: "three times the reading"}[WINDOWS] in text
