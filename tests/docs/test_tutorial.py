"""The tutorial, run as it stands: each block of commands in order, in an empty folder.

`text` below a block tells what it prints: each line's words must stand together in the output, in
that order. `pip` installs without a network, and Spark is that of the tests; everything else is real.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import installed
from support.paths import DOCS
from support.shared_jvm import in_jvm_of

TUTORIAL = DOCS / "tutorial.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Each block of commands with what it is said to print."""
    pending = ""
    for kind, content in BLOCK.findall(text):
        if kind == "sh":
            if pending:
                yield pending, ""
            pending = content
        else:
            yield pending, content
            pending = ""
    if pending:
        yield pending, ""


def words(text: str) -> str:
    return " ".join(text.split())


def missing(expected: str, output: str) -> list[str]:
    """The expected lines that do not stand in the output after the line before them."""
    rest, lacking = words(output), []
    for line in filter(None, map(words, expected.splitlines())):
        _, separator, after = rest.partition(line)
        if separator:
            rest = after
        else:
            lacking.append(line)
    return lacking


@pytest.fixture
def env(spark: SparkSession, tmp_path: Path) -> dict[str, str]:
    """An environment whose commands are this checkout's."""
    bin_, site = tmp_path / "bin", tmp_path / "site"
    bin_.mkdir()
    site.mkdir()
    for name, command in {
        "python": "",
        "cutline": "-m cutline",
        "pytest": "-m pytest",
        "pip": installed.__file__,
    }.items():
        script = bin_ / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {command} "$@"\n')
        script.chmod(0o755)
    environment = in_jvm_of(spark, installed.environment(site))
    return environment | {"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}


def test_lines_are_found_in_order() -> None:
    assert missing("a  b\nc", "x a b\n c") == []
    assert missing("c\na b", "x a b\n c") == ["a b"]


@pytest.mark.slow
def test_the_tutorial_works_as_it_is_written(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "workshop"
    folder.mkdir()
    examples = list(blocks(TUTORIAL.read_text(encoding="utf-8")))
    assert len([text for _, text in examples if text]) >= 6
    for commands, expected in examples:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
        assert missing(expected, done.stdout) == [], f"{commands}\n{done.stdout}"
    assert list(folder.glob("lake/repairs/all/*/report/report.html"))
