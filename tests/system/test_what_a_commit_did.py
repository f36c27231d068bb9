"""What else a commit did, through the whole command line, and where no source can tell it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.logged import install_plugin, logged

PYPROJECT = """\
[project]
name = "deliveries"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
deliveries = "the_shop:DELIVERIES"
[project.entry-points."cutline.translators"]
deliveries-1 = "the_shop:TRANSLATION"
"""
PLUGIN = '''\
"""Orders that a commit delivers."""

from cutline.translator import Translation, Truth
from support.deliveries import DELIVERIES, Orders

TRANSLATION = Translation(
    name="deliveries", version="1.0.0", context=DELIVERIES, translators=(Orders,),
    truth=Truth(
        aggregates={"order": "SELECT CAST(no AS TEXT) AS subject, placed, deliveries FROM shop.orders"}
    ),
)
'''
CONFIG = """\
version: 1
name: shop
topics: {prefix: shop}
sources:
  shop: SOURCE
regions: {all: {everything: true}}
contexts:
  deliveries:
    translation: {use: deliveries, major: 1}
    cut: {policy: commit-timestamp, at: 2026-10-02T00:00:00Z}
spark: {quick_start: true, master: "local[2]"}
"""
LOG = """
    kind: log
    truth: now.db
    extracted_at: 2026-10-01T00:00:00Z
    tables: {orders: {}, lines: {}, new_orders: {}}
    changes: {kind: debezium, log: LOG, path: changes.jsonl, snapshot: {policy: POLICY}}"""
SNAPSHOT = """
    kind: sqlite
    path: now.db
    extracted_at: 2026-10-01T00:00:00Z
    tables: {orders: {}, lines: {}, new_orders: {}}"""

ORDER, ENTRY = {"no": 1, "carrier": None}, {"order_no": 1}
LINES = [{"order_no": 1, "line": n, "amount": 10 * n} for n in (1, 2)]
COMMITS: list[list[tuple[str, Any, Any]]] = [
    [("orders", None, ORDER), ("new_orders", None, ENTRY), *(("lines", None, x) for x in LINES)],
    [
        ("new_orders", ENTRY, None),
        *(("lines", x, x | {"amount": x["amount"] + 1}) for x in LINES),
        ("orders", ORDER, ORDER | {"carrier": "DHL"}),
    ],
]


def records() -> list[dict[str, Any]]:
    """An order is opened by one transaction, and sent by another."""
    changes: list[dict[str, Any]] = []
    last = 1000
    for number, commit in enumerate(COMMITS, start=1):
        for row, (table, before, after) in enumerate(commit, start=1):
            place = {"transaction": number, "row": row, "lsn": last + 10 * row, "last": last}
            changes.append(logged(table, before, after, **place))
        last += 200
    return changes


@pytest.fixture(autouse=True)
def _installed(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_plugin(monkeypatch, tmp_path, "the_shop", PYPROJECT, PLUGIN)


def project(folder: Path, source: str, lines: list[dict[str, Any]]) -> Path:
    """A project of that source, whose legacy knows one order that was delivered once."""
    folder.mkdir()
    (folder / "changes.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (folder / "cutline.yaml").write_text(CONFIG.replace("SOURCE", source))
    with sqlite3.connect(folder / "now.db") as database:
        database.execute(
            "CREATE TABLE orders (no INTEGER PRIMARY KEY, carrier TEXT, placed INTEGER, deliveries INTEGER)"
        )
        database.execute("INSERT INTO orders VALUES (1, 'DHL', 1, 1)")
        database.execute("CREATE TABLE lines (order_no INTEGER, line INTEGER, amount INTEGER)")
        database.execute("CREATE TABLE new_orders (order_no INTEGER)")
    return folder


def run(command_line: CommandLine, folder: Path) -> CompletedProcess[str]:
    return command_line("run", "deliveries", "--region", "all", "--project", folder, "--json")


def test_a_delivery_is_announced_with_what_its_commit_did(
    tmp_path: Path, command_line: CommandLine
) -> None:
    source = LOG.replace("LOG", "postgresql").replace("POLICY", "in-log")
    folder = project(tmp_path / "project", source, records())
    done = run(command_line, folder)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert {name: n for name, n in outcome["dispositions"].items() if n} == {
        "translated": 2,
        "no-op": 6,
    }
    shown = command_line("show", outcome["run_id"], "timeline", "--project", folder, "--json")
    delivered = [row for row in json.loads(shown.stdout) if row["type"] == "Delivered"]
    assert [json.loads(row["data"]) for row in delivered] == [
        {"amount": 32, "carrier": "DHL", "lines": 2}
    ]


def test_a_source_without_changes_is_refused_before_any_work(
    tmp_path: Path, command_line: CommandLine
) -> None:
    folder = project(tmp_path / "project", SNAPSHOT, [])
    for done in (
        run(command_line, folder),
        command_line("check", "--project", folder),
    ):
        assert done.returncode == 2
        says = done.stdout + done.stderr
        assert "asks what a commit did, and sources.shop has no changes" in says
    assert not (folder / "lake").exists()


def test_a_log_that_tells_no_transactions_is_refused(
    tmp_path: Path, command_line: CommandLine
) -> None:
    lines = records()
    for line in lines:
        del line["transaction"], line["source"]["txId"]
    source = LOG.replace("LOG", "kafka").replace("POLICY", "in-log")
    folder = project(tmp_path / "project", source, lines)
    done = run(command_line, folder)
    assert done.returncode == 2
    assert "none of the 8 changes of source shop tells with which others it was committed" in (
        done.stderr
    )
