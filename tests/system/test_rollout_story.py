"""A slice of the retailer goes to the new side and back, as its operators would have it: by commands,
with a read model that services read, and with a fault that is found in canary."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.finished_demo import finished_demo
from support.rolled_out import FEED, LEGACY, SQLITE

SLICE = ("fulfilment", "--region", "eu-west")
TABLE, VIEW = '"customer_order_eu-west_v{}"', '"customer_order_eu-west"'


class Operator:
    """Types commands for the slice of a project, and reads what they print."""

    def __init__(self, command_line: CommandLine, project: Path) -> None:
        self._command_line, self._project = command_line, project

    def rollout(self, *words: object, code: int = 0) -> Any:
        """The document that a command prints; its exit code is `code`."""
        done = self._command_line("rollout", *words, "--project", self._project, "--json")
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if done.stdout else done.stderr

    def text(self, *words: object) -> str:
        """What a command prints for people."""
        return str(self._command_line(*words, "--project", self._project).stdout)

    def read(self, query: str) -> list[Any]:
        """What a service reads in the read model."""
        with closing(sqlite3.connect(self._project / "readmodel.db")) as database, database:
            return list(database.execute(query))


@pytest.fixture
def operator(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> tuple[Operator, str]:
    """The demo with its rollout declared, and the run that is GO."""
    demo = finished_demo(spark, tmp_path / "retail")
    with closing(sqlite3.connect(demo.project / "operations.db")) as legacy:
        legacy.executescript(LEGACY)
    config = demo.project / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["rollout"] = {
        "read_model": {"url": "sqlite:///readmodel.db"},
        "legacy_writes": SQLITE | {"url": "sqlite:///operations.db"},
        "reverse_feed": FEED,
    }
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return Operator(command_line, demo.project), demo.second.record.run_id


@pytest.mark.slow
def test_a_slice_is_mirrored_tried_reversed_and_moved(operator: tuple[Operator, str]) -> None:
    ops, run = operator
    (west, *_) = ops.rollout("show", "fulfilment")
    assert (west["stands"], west["next"][0]) == (
        "never opened",
        "cutline rollout open fulfilment --region eu-west",
    )
    ops.rollout("open", *SLICE)
    planned = ops.rollout("stage", "fulfilment", run, *SLICE[1:], "--dry-run")
    assert [guard["name"] for guard in planned["guards"]] == [
        *("open", "idle", "writes", "run", "decision", "certificate", "publication"),
        *("lake", "age", "overlap"),
    ]
    staged = ops.rollout("stage", "fulfilment", run, *SLICE[1:])
    assert (staged["staged"], staged["release"]) == (1, None)
    (orders,) = ops.read(f"SELECT count(*) FROM {TABLE.format(1)}")
    assert orders[0] > 50

    ops.rollout("mirror", "fulfilment", 100, *SLICE[1:])
    ops.rollout("switch", "reads", "fulfilment", 5, *SLICE[1:])
    assert ops.read(f"SELECT count(*) FROM {VIEW}") == [orders]
    # Somebody repairs an order by hand in what the canary reads: nobody's event says so.
    subject = ops.read(f"SELECT min(subject) FROM {VIEW}")[0][0]
    ops.read(f"DELETE FROM {TABLE.format(1)} WHERE subject = '{subject}'")
    refused = ops.rollout("switch", "reads", *SLICE, code=1)
    (guard,) = [guard for guard in refused["guards"] if not guard["passed"]]
    assert guard["name"] == "read model"
    assert subject in guard["says"]
    reversed_ = ops.rollout("reverse", "reads", *SLICE, "--why", "an order is gone")
    assert (reversed_["reads"], reversed_["percent"]) == ("mirror", 100)

    ops.rollout("stage", "fulfilment", run, *SLICE[1:])
    ops.rollout("switch", "reads", *SLICE)
    assert ops.read(f"SELECT count(*) FROM {VIEW} WHERE subject = '{subject}'") == [(1,)]
    moved = ops.rollout("switch", "writes", *SLICE)
    assert (moved["reads"], moved["writes"], moved["denial"]) == ("new", "new", 2)
    assert "cutline rollout reverse writes fulfilment --region eu-west" in moved["next"]
    assert "new" in ops.text("status").splitlines()[1].split()
    told = ops.text("run", *SLICE)
    assert told == ""

    back = ops.rollout("reverse", "writes", *SLICE)
    assert (back["writes"], back["denial"]) == ("legacy", None)
    ops.rollout("switch", "writes", *SLICE)
    ended = ops.rollout("complete", *SLICE)
    assert (ended["stands"], ended["next"]) == ("complete", [])
    tables = {name for (name,) in ops.read("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert TABLE.format(2).strip('"') in tables
    assert TABLE.format(1).strip('"') not in tables
    ledger = ops.rollout("ledger", *SLICE)
    assert ledger["changes"][0]["event"] == "ended"
    assert [release["release"] for release in ledger["releases"]] == [2, 1]
    assert "an order is gone" in ops.text("rollout", "ledger", *SLICE)
    ops.rollout("open", *SLICE, code=1)
