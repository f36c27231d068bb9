"""A database that is filled anew from a snapshot has what a later one has, and services read the
old rows until then."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession
from sqlalchemy import create_engine, text

import cutline
from cutline.errors import RunFailed
from cutline.feed import CycleDone
from cutline.rehydration import rehydrating
from support.command_line import CommandLine
from support.decided import CONTEXT, REGION, DecidedShop
from support.first_runs import run_of
from support.logged import install_plugin
from support.shop_project import PLUGIN, PYPROJECT

VIEW = '"order_all"'
SEEDS = range(1, 1 + int(os.environ.get("CUTLINE_FEEDS", "1")))


GROWN_CONTEXT = '''
from dataclasses import replace

from cutline.context import Aggregate
from support import late_orders

PARCEL = Aggregate("parcel", "A parcel.", (), {})
SHOP = replace(late_orders.SHOP, aggregates=(*late_orders.SHOP.aggregates, PARCEL))


class Orders(late_orders.Orders):
    """Orders of the context with one more aggregate."""

    context = SHOP
'''
"""In place of what the plugin of the project imports."""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    change(shop, rehydrations={"desk": {"url": "sqlite:///desk.db"}})
    shop.legacy(1, 11)
    shop.legacy(2, 12)
    return shop


def change(shop: DecidedShop, **sections: Any) -> None:
    file = shop.folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text()) | sections
    file.write_text(yaml.safe_dump(document), encoding="utf-8")


def snapshots(shop: DecidedShop, spark: SparkSession) -> cutline.SliceSnapshots:
    return cutline.Project.open(shop.folder, spark=spark).snapshots(CONTEXT, region=REGION)


def run(shop: DecidedShop, spark: SparkSession) -> str:
    return run_of(shop.folder, spark, CONTEXT, REGION)


def query(shop: DecidedShop, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(shop.folder / "desk.db")) as database:
        return database.execute(sql).fetchall()


def subjects(shop: DecidedShop) -> list[str]:
    return [subject for (subject,) in query(shop, f"SELECT subject FROM {VIEW} ORDER BY 1")]


def tables(shop: DecidedShop) -> list[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'order_%' ORDER BY 1"
    return [name for (name,) in query(shop, sql)]


def test_a_snapshot_and_what_came_since_fill_a_database(
    spark: SparkSession, shop: DecidedShop
) -> None:
    first = run(shop, spark)
    of_slice = snapshots(shop, spark)
    snapshot = of_slice.take("monday", why="before the tariff", run=first, taken_by="kim")
    assert (snapshot.run_id, snapshot.states, snapshot.taken_by) == (first, {"order": 2}, "kim")
    shop.new(3, None)
    done = of_slice.rehydrate(into="desk", snapshot="monday")
    assert (done.version, done.previous, done.run_id) == (1, None, first)
    assert (done.rows, done.events, done.written, done.aside) == ({"order_all": 2}, 1, 1, 0)
    assert subjects(shop) == ["1", "2", "3"]
    shop.legacy(4, 13)
    second = run(shop, spark)
    shop.new(5, None)
    again = of_slice.rehydrate(into="desk", snapshot="monday")
    assert (again.version, again.previous, again.events) == (2, 1, 2)
    assert subjects(shop) == ["1", "2", "3", "5"]
    assert tables(shop) == ["order_all_v2"]
    later = of_slice.take("tuesday", why="x", run=second)
    assert sum(later.positions.values()) > sum(snapshot.positions.values()) == 0
    newest = of_slice.rehydrate(into="desk", snapshot="tuesday")
    assert subjects(shop) == ["1", "2", "3", "4", "5"]
    assert newest.run_id == second
    assert [s.name for s in of_slice.list()] == ["tuesday", "monday"]


def test_what_was_killed_is_gone_on_with_and_services_read_the_old_rows(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_slice = snapshots(shop, spark)
    of_slice.take("monday", why="x", run=run(shop, spark))
    of_slice.rehydrate(into="desk", snapshot="monday")
    shop.legacy(3, 13)
    of_slice.take("tuesday", why="x", run=run(shop, spark))

    def failing(*_: object) -> None:
        raise RunFailed("no broker answers")

    with monkeypatch.context() as patch:
        patch.setattr(rehydrating, "feed_on", failing)
        with pytest.raises(RunFailed, match="no broker answers"):
            of_slice.rehydrate(into="desk", snapshot="tuesday")
    assert subjects(shop) == ["1", "2"]
    assert tables(shop) == ["order_all_v1", "order_all_v2"]
    done = of_slice.rehydrate(into="desk", snapshot="tuesday")
    assert (done.version, done.previous) == (2, 1)
    assert subjects(shop) == ["1", "2", "3"]
    # What was begun over another run is nobody's: the next is another version, and it goes.
    with monkeypatch.context() as patch:
        patch.setattr(rehydrating, "feed_on", failing)
        with pytest.raises(RunFailed):
            of_slice.rehydrate(into="desk", snapshot="monday")
    assert of_slice.rehydrate(into="desk", snapshot="tuesday").version == 4
    assert tables(shop) == ["order_all_v4"]


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_same_command_fills_anew_what_somebody_else_wrote_into(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    """Once nobody writes there any more, it succeeds: the spoilt tables are not taken again."""
    of_slice = snapshots(shop, spark)
    of_slice.take("monday", why="x", run=run(shop, spark))
    shop.new(3, None)
    feed_on = rehydrating.feed_on

    def spoilt(*arguments: Any) -> CycleDone:
        done = feed_on(*arguments)
        with closing(sqlite3.connect(shop.folder / "desk.db")) as database, database:
            database.execute("UPDATE order_all_v1 SET placed = 77 WHERE subject = '1'")
        if is_killed:
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(rehydrating, "feed_on", spoilt)
        with pytest.raises(KeyboardInterrupt if is_killed else RunFailed):
            of_slice.rehydrate(into="desk", snapshot="monday")
    if is_killed:
        with pytest.raises(RunFailed, match="somebody else wrote into table order_all_v1") as error:
            of_slice.rehydrate(into="desk", snapshot="monday")
        assert "the tables of the version that was filled are dropped" in str(error.value)
    assert tables(shop) == []
    done = of_slice.rehydrate(into="desk", snapshot="monday")
    assert (done.version, done.previous, done.events) == (1, None, 1)
    rows = f"SELECT subject, placed FROM {VIEW} WHERE placed = 77"
    assert (subjects(shop), query(shop, rows)) == (["1", "2", "3"], [])


def test_what_cannot_be_begun_is_refused_by_name(spark: SparkSession, shop: DecidedShop) -> None:
    of_slice = snapshots(shop, spark)
    with pytest.raises(cutline.CutlineError, match="no run of shop/all is GO") as no_go:
        of_slice.rehydrate(into="desk")
    assert no_go.value.exit_code == 1
    first = run(shop, spark)
    of_slice.take("monday", why="x", run=first)
    shop.legacy(3, 13)
    second = run(shop, spark)
    for call, fault in (
        (lambda: of_slice.rehydrate(into="desks", snapshot="monday"), "rehydration 'desks' is not"),
        (lambda: of_slice.rehydrate(into="desk", snapshot="mondai"), "Did you mean 'monday'"),
        (lambda: of_slice.take("monday", why="x", run=second), f"is of run {first}"),
        (lambda: of_slice.take("x", why="x", run="run-9"), "has no run 'run-9'"),
        (lambda: of_slice.take("x", why=" "), "why"),
        (lambda: of_slice.drop("mondai"), "has no snapshot 'mondai'"),
    ):
        with pytest.raises(cutline.ConfigurationError, match=fault):
            call()
    change(shop, rollout={"read_model": {"url": "sqlite:///desk.db"}})
    with pytest.raises(cutline.ConfigurationError, match=r"is the database of rollout\.read_model"):
        snapshots(shop, spark).rehydrate(into="desk", snapshot="monday")
    change(shop, rehydrations={"desk": {"url": "sqlite:///control.db"}})
    with pytest.raises(
        cutline.ConfigurationError, match=r"rehydrations\.desk\.url: .*control\.db is the control"
    ):
        snapshots(shop, spark).rehydrate(into="desk", snapshot="monday")
    change(shop, rehydrations={"desk": {"url": "oracle://x"}})
    with pytest.raises(
        cutline.ConfigurationError, match=r"`rehydrations\.desk\.url` in cutline\.yaml"
    ):
        snapshots(shop, spark).rehydrate(into="desk", snapshot="monday")


@pytest.mark.soak
def test_a_run_of_a_snapshot_stays_in_the_lake_and_must_be_as_it_was(
    spark: SparkSession, shop: DecidedShop
) -> None:
    first = run(shop, spark)
    of_slice = snapshots(shop, spark)
    of_slice.take("monday", why="x", run=first)
    for number in (3, 4, 5):
        shop.legacy(number, 10 + number)
        run(shop, spark)
    project = cutline.Project.open(shop.folder, spark=spark)
    reasons_by_run = {r.run_id: r.kept_because for r in project.clean(keep=1)}
    assert reasons_by_run[first] == "snapshot monday"
    assert None in reasons_by_run.values()
    state = next((shop.folder / "lake").rglob(f"{first}/state_order/*.parquet"))
    content = state.read_bytes()
    state.write_bytes(content[:-1] + b"\0")
    with pytest.raises(cutline.RunFailed, match="state_order"):
        of_slice.rehydrate(into="desk", snapshot="monday")
    state.write_bytes(content)
    of_slice.rehydrate(into="desk", snapshot="monday")
    of_slice.drop("monday")
    assert {r.run_id: r.kept_because for r in project.clean(keep=1)}[first] is None


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_any_snapshot_with_what_came_since_gives_the_same_rows(
    spark: SparkSession, shop: DecidedShop, seed: int
) -> None:
    """The states of each are those of one merge over everything, which the feed is held against."""
    rng = random.Random(seed)
    of_slice = snapshots(shop, spark)
    last = rng.randint(6, 14)
    cuts = sorted(rng.sample(range(last), 2))
    for number in range(last):
        if number in cuts:
            of_slice.take(f"after-{number}", why="x", run=run(shop, spark))
        order = rng.choice([1, 2, *range(10, 10 + number + 1)])
        shop.new(order, None, rng.choice(["Placed", "Noted"]))
        if number in cuts:
            # So that the next run is another one.
            change(
                shop, regions=yaml.safe_load((shop.folder / "cutline.yaml").read_text())["regions"]
            )
    rows = []
    for cut in cuts:
        done = of_slice.rehydrate(into="desk", snapshot=f"after-{cut}")
        names = [column for _, column, *_ in query(shop, f"PRAGMA table_info({VIEW})")]
        rows.append((names, query(shop, f"SELECT * FROM {VIEW} ORDER BY subject"), done.aside))
    assert rows[0] == rows[1]
    assert len(rows[0][1]) >= 2


@pytest.mark.postgres
def test_a_database_of_postgresql_in_a_schema_of_its_own(
    spark: SparkSession, shop: DecidedShop, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_URL", postgres_url)
    change(shop, rehydrations={"desk": {"url": "${DESK_URL}", "schema": "desk"}})
    of_slice = snapshots(shop, spark)
    of_slice.take("monday", why="x", run=run(shop, spark))
    shop.new(3, None)
    assert of_slice.rehydrate(into="desk", snapshot="monday").events == 1
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:", 1))
    try:
        with engine.connect() as connection:
            sql = text(f"SELECT subject FROM desk.{VIEW} ORDER BY 1")
            assert [row[0] for row in connection.execute(sql)] == ["1", "2", "3"]
    finally:
        engine.dispose()


def test_the_commands(spark: SparkSession, shop: DecidedShop, command_line: CommandLine) -> None:
    at = ("--region", REGION, "--project", shop.folder)
    first = run(shop, spark)
    assert command_line("snapshot", "list", CONTEXT, *at).stdout == "no snapshot is there\n"
    completed_take = command_line(
        "snapshot", "take", CONTEXT, "monday", "--run", first, "--why", "x", *at
    )
    assert completed_take.stdout.startswith(f"monday  run {first}  2 orders  taken ")
    shop.new(3, None)
    filled = command_line("rehydrate", CONTEXT, "--into", "desk", "--snapshot", "monday", *at)
    assert (filled.returncode, filled.stdout) == (
        0,
        f"desk: version 1 of run {first}\n             2  order_all\n"
        "  live events since: 1 applied, 1 rows written, 0 put aside\n",
    )
    with shop.topic.open("a") as topic:
        topic.write("rubbish\n")
    aside = command_line("rehydrate", CONTEXT, "--into", "desk", "--snapshot", "monday", *at)
    assert (aside.returncode, "1 put aside" in aside.stdout) == (1, True)
    dropped = command_line("snapshot", "drop", CONTEXT, "monday", *at)
    assert dropped.stdout == "snapshot monday is dropped\n"
    assert command_line("rehydrate", CONTEXT, "--into", "desk", *at).returncode == 1


def test_a_snapshot_of_a_context_with_fewer_aggregates_is_shown_and_not_filled_from(
    spark: SparkSession, shop: DecidedShop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = run(shop, spark)
    snapshots(shop, spark).take("monday", why="before the plugin", run=run_id)
    grown = PLUGIN.replace("from support.late_orders import SHOP, Orders\n", GROWN_CONTEXT)
    install_plugin(monkeypatch, tmp_path / "grown", "topic_shop", PYPROJECT, grown)
    [listed] = snapshots(shop, spark).list()
    assert (listed.name, listed.states) == ("monday", {"order": 2})
    with pytest.raises(
        cutline.ConfigurationError, match=f"run {run_id} has no states of aggregate parcel"
    ) as refusal:
        snapshots(shop, spark).rehydrate(into="desk", snapshot="monday")
    assert refusal.value.next_step == f"cutline run {CONTEXT} --region {REGION}"
