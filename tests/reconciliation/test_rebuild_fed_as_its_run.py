"""Rebuilt and fed up to a place, what agreed with a run is what rehydrating that run gives there."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import cutline
from support.decided import CONTEXT, REGION, DecidedShop
from support.logged import install_plugin
from support.rebuilds import VIEW, declare, fed, legacy_has, projected, rebuilt
from support.shop_project import PLUGIN, PYPROJECT

SEEDS = range(1, 1 + int(os.environ.get("CUTLINE_FEEDS", "1")))
SQL = """
SELECT CAST(no AS TEXT) AS subject, placed % 10 AS placed, placed / 10 AS events,
  '2000-01-01T00:00:00Z' AS first_time, NULL AS last_time
FROM web.orders
"""
"""An order's number of events stands before how often it was placed."""
Row = tuple[str | int | None, ...]


def rows_of(shop: DecidedShop, database: str) -> dict[str, Row]:
    with closing(sqlite3.connect(shop.folder / database)) as connection:
        names = "subject, placed, events, first_time, last_time"
        rows = connection.execute(f"SELECT {names} FROM {VIEW}").fetchall()
    return {subject: tuple(values) for subject, *values in rows}


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_what_agreed_is_as_a_rehydration_and_the_rest_stands_until_it_is_touched(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    rng = random.Random(seed)
    shop = DecidedShop(tmp_path / "shop")
    declare(shop, SQL, rehydrations={"lost": {"url": "sqlite:///lost.db"}})
    history = range(1, 9)
    read_by_run = rng.sample(range(20, 24), 2)
    for number in read_by_run:
        shop.new(number, None)
    run = projected(shop, spark, *history)
    project = cutline.Project.open(shop.folder, spark=spark)
    snapshots = project.snapshots(CONTEXT, region=REGION)
    snapshots.take("monday", why="x", run=run)
    of_run = {row["subject"] for row in project.find_run(run).table("state_order").collect()}
    unlike = {number: rng.choice(["other", "absent"]) for number in rng.sample(history, 3)}
    rows = dict.fromkeys(map(int, of_run), 11)
    rows |= {number: 17 for number, how in unlike.items() if how == "other"}
    legacy_has(shop, {n: v for n, v in rows.items() if unlike.get(n) != "absent"} | {30: 15})

    # What the run read of the live topics, and left for later, is applied as well.
    touched = {str(number) for number in read_by_run} - of_run

    def events(count: int) -> None:
        """Live events of now: notes on any order, and orders that are new, some of them twice."""
        for _ in range(count):
            number = rng.choice([*history, *range(20, 28), 30])
            kind = rng.choice(["Placed", "Noted"])
            epoch = rng.choice([None, None, None, 99])
            shop.new(number, epoch, kind)
            if rng.random() < 0.3:
                line = shop.topic.read_text().splitlines(keepends=True)[-1]
                with shop.topic.open("a") as topic:
                    topic.write(line)
            # Epoch 99 was never issued; what history has placed is not placed again.
            if epoch is None and (kind == "Noted" or str(number) not in of_run):
                touched.add(str(number))

    events(rng.randint(0, 6))
    done = rebuilt(shop, spark, 1.0, feed=True, snapshot="monday")
    assert done.run_id == run
    [agreement] = done.agreements
    assert agreement.equal == len(of_run) - len(unlike)
    for _ in range(rng.randint(1, 3)):
        events(rng.randint(1, 6))
        fed(shop, spark)
    snapshots.rehydrate(into="lost", snapshot="monday")
    rehydrated, shown = rows_of(shop, "lost.db"), rows_of(shop, "desk.db")
    legacy = {
        str(n): (v % 10, v // 10, "2000-01-01T00:00:00.000000Z", None)
        for n, v in rows.items()
        if unlike.get(n) != "absent"
    } | {"30": (5, 1, "2000-01-01T00:00:00.000000Z", None)}
    assert {s: shown.get(s) for s in touched} == {s: rehydrated.get(s) for s in touched}
    untouched = {s: row for s, row in legacy.items() if s not in touched}
    assert {s: row for s, row in shown.items() if s not in touched} == untouched
    # Of what agreed and no event touched, what was compared is as in the run.
    agreed = {s for s in of_run if int(s) not in unlike} - touched
    assert {s: shown[s][0] for s in agreed} == {s: rehydrated[s][0] for s in agreed}
    assert touched
