"""The retailer's rollout of examples/rollout, by the very commands: the first slice goes to the new
side, back and there again, with a read model that services read, and the second one follows, while
customers go on ordering."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.finished_demo import finished_demo
from support.scripts import ORDERS, RETAILER

SLICE = ("fulfilment", "--region", "eu-west")
VIEW = '"customer_order_eu-west"'


def read(project: Path, query: str) -> list[tuple[object, ...]]:
    """What a service reads in the read model."""
    with closing(sqlite3.connect(project / "readmodel.db")) as database:
        return list(database.execute(query))


@pytest.mark.soak
@pytest.mark.slow
def test_a_slice_is_mirrored_tried_reversed_and_moved(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> None:
    project = finished_demo(spark, tmp_path / "retail").project
    RETAILER.declare(project)
    customers = ORDERS.Customers(project)
    printed: dict[tuple[tuple[str, ...], int], list[str]] = {}
    views = {}
    for act in RETAILER.west(project):
        done = command_line(*act.words, "--project", project)
        assert done.returncode == act.code, (act.words, done.stdout, done.stderr)
        printed.setdefault((act.words, act.code), []).append(done.stdout + done.stderr)
        customers.order()
        if act.words[:3] == ("rollout", "switch", "reads") and not act.code:
            views[act.words] = read(project, f"SELECT count(*), min(subject) FROM {VIEW}")

    canary, everybody = views.values()
    assert canary == everybody, "the order that was gone is there again"
    (rehearsed,) = (texts[0] for (words, _), texts in printed.items() if words[0] == "rehearse")
    assert "writes were refused and taken again by the legacy" in rehearsed
    missing = str(canary[0][1])
    (refused,) = printed[("rollout", "switch", "reads", *SLICE), 1]
    assert f"row '{missing}' was removed by no event" in refused
    assert "next: cutline rollout stage fulfilment --region eu-west" in refused
    stage = next(texts[0] for (words, _), texts in printed.items() if words[-1] == "--dry-run")
    for guard in ("open", "decision", "certificate", "publication", "lake", "age", "overlap"):
        assert f"yes  {guard}" in stage, stage
    # Once the new side writes, and again when everything has ended.
    nightly, retired = printed[("run", *SLICE), 2]
    assert "The new side writes fulfilment/eu-west since epoch 3" in nightly
    assert "The new side writes fulfilment/eu-west since epoch 7" in retired
    (changes,) = printed[("rollout", "ledger", *SLICE), 0]
    assert "an order is gone" in changes

    ledger = json.loads(
        command_line("rollout", "ledger", *SLICE, "--project", project, "--json").stdout
    )
    why = [c["evidence"] for c in ledger["changes"] if c["command"] == "switch reads"]
    assert why
    # Each time that writes were switched, what had been ordered since became a release.
    assert [release["release"] for release in ledger["releases"]] == [4, 3, 2, 1]
    (west, _) = json.loads(command_line("rollout", "show", "--project", project, "--json").stdout)
    assert (west["stands"], west["reads"], west["writes"], west["next"]) == (
        *("complete", "new", "new", []),
    )
    assert (west["release"], west["denial"]) == (4, west["epoch"] - 1)
    tables = {name for (name,) in read(project, "SELECT name FROM sqlite_schema")}
    versions = {name for name in tables if str(name).startswith("customer_order_eu-west_v")}
    assert versions == {"customer_order_eu-west_v4"}
    assert read(project, f"SELECT count(*) FROM {VIEW} WHERE subject = '{missing}'") == [(1,)]

    fed = command_line("rollout", "feed", *SLICE, "--project", project)
    assert fed.returncode == 0, fed.stderr
    answers = customers.answers["eu-west"]
    assert min(len(answers.legacy), len(answers.new)) > 3
    assert customers.faults("eu-west") == []
    # The second region goes the same way, and the first one is not touched by it.
    for act in RETAILER.east(project):
        done = command_line(*act.words, "--project", project)
        assert done.returncode == act.code, (act.words, done.stdout, done.stderr)
        customers.order()
    board = json.loads(command_line("rollout", "show", "--project", project, "--json").stdout)
    assert [(s["slice"], s["stands"], s["writes"], s["next"]) for s in board] == [
        ("eu-west", "complete", "new", []),
        ("us-east", "complete", "new", []),
    ]
    for region in ("eu-west", "us-east"):
        words = ("rollout", "feed", "fulfilment", "--region", region, "--project", project)
        assert command_line(*words).returncode == 0
        assert customers.faults(region) == []
    assert min(len(customers.answers["us-east"].legacy), len(customers.answers["us-east"].new)) > 0
    # An account that could not fail would be none.
    *_, last = answers.new
    answers.new[-1] = "SO-nobody's"
    answers.refused.append(last)
    assert len(customers.faults("eu-west")) == 3
