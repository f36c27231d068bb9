"""A process that is killed while it rebuilds leaves what services read, and the next one ends it."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
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


def begun(project: Path, *more: str) -> subprocess.Popen[str]:
    """A process that rebuilds, whatever differs; its group has Spark's own process in it."""
    return started(*COMMAND, "--max-different", "1", *more, "--project", str(project))


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "cutline", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def demo_with_overview(spark: SparkSession, folder: Path) -> Path:
    project = finished_demo(spark, folder / "retail").project
    with (project / "cutline.yaml").open("a", encoding="utf-8") as file:
        file.write(yaml.safe_dump(yaml.safe_load(SECTION)))
    (project / "overview").mkdir()
    (project / "overview" / "orders.sql").write_text(SQL, encoding="utf-8")
    return project


def served(project: Path) -> list[tuple[str, str]]:
    """What services read."""
    with closing(sqlite3.connect(project / "overview.db")) as database:
        sql = 'SELECT subject, status FROM "customer_order_eu-west" ORDER BY 1'
        return database.execute(sql).fetchall()


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.process
def test_killed_at_each_step_services_read_the_old_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    project = demo_with_overview(spark, tmp_path)
    query = project / "overview" / "orders.sql"
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


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.process
def test_killed_while_it_is_fed_it_has_every_live_event_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    project = demo_with_overview(spark, tmp_path)
    unfed = begun(project)
    _, err = unfed.communicate(timeout=300)
    assert unfed.returncode == 0, err
    before = served(project)
    building = begun(project, "--feed")
    assert building.stderr is not None
    for line in building.stderr:
        if line.startswith("applying the live events"):
            break
    os.killpg(building.pid, signal.SIGKILL)
    building.communicate()
    # It may have been faster than the signal.
    assert before == served(project) or building.returncode == 0
    again = begun(project, "--feed")
    _, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    after = served(project)
    assert len(after) > len(before)
    topic = next((project / "topics").glob("*fulfilment.customer_order.live")) / "00000.jsonl"
    placed = [line for line in topic.read_text().splitlines() if "OrderPlaced" in line]
    record = json.loads(placed[-1])
    for number in range(5):
        new = f"SO-NEW-{number}"
        of_new = {"ce_id": f"new-{number}", "ce_subject": new, "ce_migregion": "eu-west"}
        placed_new = record | {"headers": record["headers"] | of_new, "key": new}
        with topic.open("a", encoding="utf-8") as file:
            file.write(json.dumps(placed_new) + "\n")
    words = ("-v", "feed", *COMMAND[1:], "--project", str(project))
    for seconds in (2, 5, 8):
        killed = started(*words)
        time.sleep(seconds)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
    last_one = started(*words)
    _, err = last_one.communicate(timeout=300)
    assert last_one.returncode == 0, err
    assert [row for row in served(project) if not row[0].startswith("SO-NEW")] == after
    assert sum(row[0].startswith("SO-NEW") for row in served(project)) == 5
    with closing(sqlite3.connect(project / "overview.db")) as database:
        identities = database.execute(
            "SELECT count(*), count(DISTINCT identity) FROM cutline_read_model_events"
        ).fetchone()
    assert identities[0] == identities[1]
