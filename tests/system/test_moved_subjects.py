"""What a run has of a slice that the new side writes is not published, whatever the predicates of
cutline.yaml say of their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.control import Control
from cutline.project import load
from support.cash_orders import install_cash_orders, write_orders
from support.command_line import CommandLine
from support.moved import move_writes, set_writes

CONFIG = """\
version: 1
name: shop
topics: {prefix: shop}
sources:
  web:
    kind: log
    truth: now.db
    extracted_at: 2026-10-01T00:00:00Z
    tables: {lines: {region: ROWS}, orders: {region: ROWS}, notes: {}}
    changes: {kind: debezium, path: changes.jsonl, snapshot: {policy: in-log}}
regions:
  east: {}
  west: {override: {sources: {web: {tables: {lines: {region: MORE}, orders: {region: MORE}}}}}}
contexts:
  shop:
    translation: {use: cash-orders, major: 1}
    cut: {policy: commit-timestamp, at: 2026-10-02T00:00:00Z}
spark: {quick_start: true, master: "local[2]"}
"""


def test_a_run_does_not_publish_what_the_new_side_writes(
    spark: SparkSession,
    command_line: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    install_cash_orders(monkeypatch, tmp_path, "moved_shop")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cutline.yaml").write_text(
        CONFIG.replace("ROWS", "'1 = 1'").replace("MORE", "'2 = 2'")
    )
    write_orders(folder, 3)
    control = Control.open(load(folder).file.control, folder)

    def run(region: str, code: int) -> Any:
        done = command_line("run", "shop", "--region", region, "--project", folder, "--json")
        assert done.returncode == code, done.stderr[-4_000:] + done.stdout[-4_000:]
        return json.loads(done.stdout) if code == 0 else done.stderr

    def published() -> list[str]:
        topic = folder / "topics" / "shop.shop.order.synthetic"
        lines = [line for path in topic.glob("*") for line in path.read_text().splitlines()]
        return sorted(json.loads(line)["headers"]["ce_migregion"] for line in lines)

    west = run("west", 0)
    assert published() == ["west"] * 3
    move_writes(control, "west", west["run_id"])
    says = run("east", 2)
    assert "3 of order are in west too: 1, 3" in says
    assert "Its history and its states were not published" in says
    assert published() == ["west"] * 3
    # As soon as the legacy has them again, the very run goes on.
    set_writes(control, "west", "legacy")
    assert run("east", 0)["decision"] == "go"
