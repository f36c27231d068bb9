"""docs/rebuild.md: its SQL gives the states of the sample project, and its commands do what it says."""

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

PAGE = (DOCS / "rebuild.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^cutline (.*)$", PAGE, re.M)
[SECTION] = re.findall(r"```yaml\n(rebuilds:.*?)```", PAGE, re.S)
[SQL] = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


@pytest.mark.slow
def test_the_commands_of_the_page_do_what_it_says(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> None:
    project = finished_demo(spark, tmp_path / "retail").project
    with (project / "cutline.yaml").open("a", encoding="utf-8") as file:
        file.write(yaml.safe_dump(yaml.safe_load(SECTION)))
    (project / "overview").mkdir()
    (project / "overview" / "orders.sql").write_text(SQL, encoding="utf-8")
    for command, code in zip(COMMANDS, (1, 0, 0, 0), strict=True):
        done = command_line(*shlex.split(command), "--project", project)
        assert done.returncode == code, (command, done.stdout, done.stderr)
    with closing(sqlite3.connect(project / "overview.db")) as database:
        rows = database.execute('SELECT count(*) FROM "customer_order_eu-west"').fetchone()
        placed = "SELECT count(*) FROM cutline_read_model_events WHERE verdict = 'accepted'"
        live = database.execute(placed).fetchone()
        aggregates = database.execute("SELECT DISTINCT aggregate FROM cutline_read_model_events")
        assert aggregates.fetchall() == [("customer_order",)]
    assert rows[0] > 100
    assert live[0] > 0
