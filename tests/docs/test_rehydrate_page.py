"""docs/rehydrate.md: its commands fill the database that it declares."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.finished_demo import finished_demo
from support.paths import DOCS

PAGE = (DOCS / "rehydrate.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^cutline (.*)$", PAGE, re.M)
[SECTION] = re.findall(r"```yaml\n(rehydrations:.*?)```", PAGE, re.S)


@pytest.mark.slow
def test_the_commands_of_the_page_do_what_it_says(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> None:
    project = finished_demo(spark, tmp_path / "retail").project
    with (project / "cutline.yaml").open("a", encoding="utf-8") as file:
        file.write(yaml.safe_dump(yaml.safe_load(SECTION)))
    for command in COMMANDS:
        done = command_line(*shlex.split(command), "--project", project)
        assert done.returncode == 0, (command, done.stderr)
    with closing(sqlite3.connect(project / "desk.db")) as database:
        rows = database.execute('SELECT count(*) FROM "customer_order_eu-west"').fetchone()
        versions = database.execute(
            "SELECT DISTINCT version FROM cutline_read_model_tables"
        ).fetchall()
    assert rows[0] > 100
    assert versions == [(2,)]
