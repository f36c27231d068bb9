"""A line that is logged before its order, through the whole command line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.logged import install_plugin, logged

PYPROJECT = """\
[project]
name = "late-orders"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
shop = "web_shop:SHOP"
[project.entry-points."cutline.translators"]
late-orders-1 = "web_shop:LATE_ORDERS"
"""
PLUGIN = '''\
"""Orders whose lines may come first."""

from cutline.translator import Translation, Truth
from support.late_orders import SHOP, Orders

LATE_ORDERS = Translation(
    name="late-orders", version="1.0.0", context=SHOP, translators=(Orders,),
    truth=Truth(aggregates={"order": "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"}),
)
'''
CONFIG = """\
version: 1
name: shop
topics: {prefix: shop}
sources:
  web:
    kind: log
    truth: now.db
    extracted_at: 2026-10-01T00:00:00Z
    tables: {lines: {}, orders: {}, notes: {}}
    changes: {kind: debezium, path: changes.jsonl, snapshot: {policy: in-log}}
regions: {all: {everything: true}}
contexts:
  shop:
    translation: {use: late-orders, major: 1}
    cut: {policy: commit-timestamp, at: 2026-10-02T00:00:00Z}
spark: {quick_start: true, master: "local[2]"}
"""
LINE, ORDER = {"line_no": 7, "order_no": 1, "item": "tea"}, {"no": 1, "buyer": "Ann"}


def record(table: str, after: dict[str, Any], number: int) -> dict[str, Any]:
    """A row that a transaction of its own inserted."""
    last = 1000 + 20 * (number - 1)
    return logged(table, None, after, transaction=number, row=1, lsn=last + 10, last=last)


@pytest.mark.parametrize(
    ("order_comes", "placed", "code", "ended"),
    [
        pytest.param(True, 1, 0, {"translated": 2}, marks=pytest.mark.soak),
        # What was held before it is no excuse for what is wrong now.
        (True, 2, 1, {"translated": 2}),
        pytest.param(False, 1, 1, {"quarantined": 1}, marks=pytest.mark.soak),
    ],
    ids=["it comes", "it comes, and is wrong", "it never comes"],
)
def test_a_line_before_its_order(
    spark: SparkSession,
    command_line: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    order_comes: bool,
    placed: int,
    code: int,
    ended: dict[str, int],
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    install_plugin(monkeypatch, tmp_path, "web_shop", PYPROJECT, PLUGIN)
    records = [record("lines", LINE, 1), *([record("orders", ORDER, 2)] if order_comes else [])]
    (project / "changes.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    (project / "cutline.yaml").write_text(CONFIG)
    with sqlite3.connect(project / "now.db") as database:
        for table in ("lines", "notes"):
            database.execute(f"CREATE TABLE {table} (no INTEGER)")
        database.execute("CREATE TABLE orders (no INTEGER, placed INTEGER)")
        database.execute("INSERT INTO orders VALUES (1, ?)", (placed,))
    done = command_line(
        *("-vv", "--log-format", "json"),
        *("run", "shop", "--region", "all", "--project", project, "--json"),
    )
    assert done.returncode == code, done.stderr
    # Spark's own process says what it likes, such as that it uses a module of the JVM's.
    records = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert {record["message"] for record in records} >= {"stage done", "run decided", "published"}
    assert not any(value in done.stderr for value in ("Ann", "tea"))
    outcome = json.loads(done.stdout)
    assert {name: n for name, n in outcome["dispositions"].items() if n} == ended
    rows = {}
    for table in ("exceptions", "excuses"):
        shown = command_line("show", outcome["run_id"], table, "--project", project, "--json")
        rows[table] = json.loads(shown.stdout)
    expected_rules = [] if order_comes else ["part-awaited:order"]
    assert [row["rule"] for row in rows["exceptions"]] == expected_rules
    assert len(rows["excuses"]) == len(expected_rules)
