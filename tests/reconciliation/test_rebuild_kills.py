"""A process that is killed while it rebuilds leaves what services read, and the next one ends it."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from support.finished_demo import finished_demo
from support.paths import DOCS

PAGE = (DOCS / "rebuild.md").read_text(encoding="utf-8")
[SECTION] = re.findall(r"```yaml\n(rebuilds:.*?)```", PAGE, re.S)
[SQL] = re.findall(r"```sql\n(.*?)```", PAGE, re.S)
COMMAND = ("rebuild", "fulfilment", "--region", "eu-west", "--into", "overview")


def begun(project: Path) -> subprocess.Popen[str]:
    """A process that rebuilds, whatever differs; its group has Spark's own process in it."""
    words = (*COMMAND, "--max-different", "1", "--project", str(project))
    return subprocess.Popen(
        [sys.executable, "-m", "cutline", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def served(project: Path) -> list[tuple[str, str]]:
    """What services read."""
    with closing(sqlite3.connect(project / "overview.db")) as database:
        sql = 'SELECT subject, status FROM "customer_order_eu-west" ORDER BY 1'
        return database.execute(sql).fetchall()


@pytest.mark.slow
@pytest.mark.process
def test_killed_at_each_step_services_read_the_old_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    project = finished_demo(spark, tmp_path / "retail").project
    with (project / "cutline.yaml").open("a", encoding="utf-8") as file:
        file.write(yaml.safe_dump(yaml.safe_load(SECTION)))
    (project / "overview").mkdir()
    query = project / "overview" / "orders.sql"
    query.write_text(SQL, encoding="utf-8")
    first = begun(project)
    out, err = first.communicate(timeout=300)
    assert (first.returncode, "version 1" in out) == (0, True), err
    before = served(project)
    assert len(before) > 100
    after = [(subject, "taken" if status == "placed" else status) for subject, status in before]
    assert after != before
    query.write_text(SQL.replace("ELSE 'placed'", "ELSE 'taken'"), encoding="utf-8")
    for step in ("reading the legacy", "comparing its rows", "writing them into the database"):
        process = begun(project)
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(step):
                break
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, step
        # It may have been faster than the signal.
        right = (before, after) if step.startswith("writing") else (before,)
        assert served(project) in right, step
    last = begun(project)
    out, err = last.communicate(timeout=300)
    assert (last.returncode, "of the legacy's rows" in out) == (0, True), err
    assert served(project) == after
    with closing(sqlite3.connect(project / "overview.db")) as database:
        versions = database.execute("SELECT DISTINCT version FROM cutline_read_model_tables")
        assert len(versions.fetchall()) == 1
