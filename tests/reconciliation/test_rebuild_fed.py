"""A rebuilt read model that agreed with a run is kept by live events, with that run's history."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

import cutline
from cutline.errors import RunFailed
from cutline.feed import separate
from cutline_reconciliation.rebuild import rebuilding
from support.command_line import CommandLine
from support.decided import CONTEXT, REGION, DecidedShop
from support.logged import install_plugin
from support.rebuilds import (
    COUNTED,
    VIEW,
    declare,
    fed,
    legacy_has,
    projected,
    query,
    rebuilt,
    shown,
    tables,
)
from support.shop_project import PLUGIN, PYPROJECT

PLACE = (CONTEXT, "--region", REGION, "--into", "desk")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    declare(shop, COUNTED)
    return shop


def agreed(shop: DecidedShop, spark: SparkSession, *numbers: int) -> str:
    """A run that is GO over these orders, each placed once, as the legacy has them; its id."""
    legacy_has(shop, dict.fromkeys(numbers, 1))
    return projected(shop, spark, *numbers)


def test_what_came_since_the_run_is_applied_before_and_after_it_is_shown(
    spark: SparkSession, shop: DecidedShop
) -> None:
    run = agreed(shop, spark, 1, 2)
    shop.new(3, None)
    done = rebuilt(shop, spark, feed=True)
    assert (done.version, done.run_id, done.decision, done.unlike) == (1, run, "go", None)
    assert done.fed is not None
    assert (done.fed.version, done.fed.run_id, done.fed.events, done.fed.rows) == (1, run, 1, 1)
    assert done.as_json()["fed"]["events"] == 1
    assert shown(shop) == [("1", 1, 1), ("2", 1, 1), ("3", 1, 1)]
    again = fed(shop, spark)
    assert (again.version, again.run_id, again.records, again.rows) == (1, run, 0, 0)
    shop.new(3, None, "Noted")
    shop.new(1, None, "Noted")
    later = fed(shop, spark)
    assert (later.records, later.events, later.rows, later.aside) == (2, 2, 2, 0)
    # As the history of the run has it: order 1 was placed before.
    assert shown(shop) == [("1", 1, 2), ("2", 1, 1), ("3", 1, 2)]


def test_a_live_event_that_the_rows_have_as_well_counts_once(
    spark: SparkSession, shop: DecidedShop
) -> None:
    agreed(shop, spark, 1, 2)
    shop.new(3, None)
    # What the new side wrote is in the legacy's rows when these are read.
    legacy_has(shop, {1: 1, 2: 1, 3: 1})
    done = rebuilt(shop, spark, 0.4, feed=True)
    assert shown(shop) == [("1", 1, 1), ("2", 1, 1), ("3", 1, 1)]
    assert done.unlike == (
        "until a live event touches it, each of 1 subject is as the legacy has it, and 0 more "
        "without a row; then as the run and its events say"
    )
    # Nor is it applied to the row when it comes once more.
    shop.new(3, None)
    fed(shop, spark)
    assert shown(shop)[2] == ("3", 1, 1)


@pytest.mark.soak
def test_what_differs_stands_until_an_event_touches_it(
    spark: SparkSession, shop: DecidedShop
) -> None:
    agreed(shop, spark, 1, 2, 3, 4)
    # Of these the legacy told no event: 1 and 2 were written since, 4 removed, 7 added.
    legacy_has(shop, {1: 8, 2: 9, 3: 1, 7: 5})
    done = rebuilt(shop, spark, 1.0, feed=True)
    assert done.unlike is not None
    assert "each of 3 subjects is as the legacy has it, and 1 more without a row" in done.unlike
    assert shown(shop) == [("1", 8, 1), ("2", 9, 1), ("3", 1, 1), ("7", 5, 1)]
    for number in (1, 4):
        shop.new(number, None, "Noted")
    fed(shop, spark)
    assert shown(shop) == [("1", 1, 2), ("2", 9, 1), ("3", 1, 1), ("4", 1, 2), ("7", 5, 1)]


@pytest.mark.soak
def test_columns_that_the_sql_leaves_out_stay_out(spark: SparkSession, shop: DecidedShop) -> None:
    agreed(shop, spark, 1)
    # What counts events is not compared: an event that touches the row counts them anew.
    declare(shop, "SELECT CAST(no AS TEXT) AS subject, placed, 41 AS events FROM web.orders")
    rebuilt(shop, spark, feed=True)
    assert query(shop, f"SELECT * FROM {VIEW}") == [("1", 1, 41)]
    shop.new(1, None, "Noted")
    fed(shop, spark)
    assert query(shop, f"SELECT * FROM {VIEW}") == [("1", 1, 2)]


@pytest.mark.soak
def test_without_a_history_nothing_is_fed(spark: SparkSession, shop: DecidedShop) -> None:
    legacy_has(shop, {1: 1})
    with pytest.raises(cutline.CutlineError, match="no run of shop/all is complete") as nothing:
        rebuilt(shop, spark, feed=True)
    assert (nothing.value.exit_code, nothing.value.next_step) == (
        1,
        "cutline run shop --region all",
    )
    legacy_has(shop, {})
    run = projected(shop, spark, 1)
    legacy_has(shop, {1: 1})
    with pytest.raises(cutline.CutlineError, match=f"run {run}, the newest.* is NO-GO") as no_go:
        rebuilt(shop, spark, feed=True)
    assert no_go.value.exit_code == 1
    assert "nothing was built" in str(no_go.value).lower()
    assert not (shop.folder / "desk.db").exists()
    # Whoever names it takes its history all the same.
    snapshots = cutline.Project.open(shop.folder, spark=spark).snapshots(CONTEXT, region=REGION)
    snapshots.take("monday", why="x", run=run)
    shop.new(1, None, "Noted")
    done = rebuilt(shop, spark, feed=True, snapshot="monday")
    assert (done.run_id, done.snapshot, done.decision) == (run, "monday", "no-go")
    assert shown(shop) == [("1", 1, 2)]
    with pytest.raises(cutline.ConfigurationError, match="Did you mean 'monday'"):
        rebuilt(shop, spark, snapshot="mondai")


@pytest.mark.soak
def test_a_snapshot_is_compared_with_instead_of_the_newest_run(
    spark: SparkSession, shop: DecidedShop
) -> None:
    first = agreed(shop, spark, 1, 2)
    snapshots = cutline.Project.open(shop.folder, spark=spark).snapshots(CONTEXT, region=REGION)
    snapshots.take("monday", why="x", run=first)
    second = agreed(shop, spark, 3)
    legacy_has(shop, {1: 1, 2: 1})
    assert rebuilt(shop, spark).run_id == second
    done = rebuilt(shop, spark, snapshot="monday")
    assert (done.run_id, done.shown, done.fed) == (first, True, None)


def test_topics_that_are_not_there_are_named(spark: SparkSession, shop: DecidedShop) -> None:
    agreed(shop, spark, 1)
    file = shop.folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text())
    del document["contexts"]["shop"]["live"]
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(
        cutline.ConfigurationError,
        match=r"rebuilds\.desk\.queries: contexts\.shop\.live\.aggregates does not have order",
    ):
        rebuilt(shop, spark, feed=True)


def test_what_is_not_fed_is_refused_by_name(spark: SparkSession, shop: DecidedShop) -> None:
    with pytest.raises(cutline.ConfigurationError, match="services read nothing of shop/all"):
        fed(shop, spark)
    agreed(shop, spark, 1)
    rebuilt(shop, spark)
    with pytest.raises(cutline.ConfigurationError, match="rebuilt without --feed") as refused:
        fed(shop, spark)
    assert refused.value.next_step.endswith("cutline rebuild shop --region all --into desk --feed")
    project = cutline.Project.open(shop.folder, spark=spark)
    with pytest.raises(cutline.ConfigurationError, match="rebuild 'desks' is not among"):
        project.feed(CONTEXT, region=REGION, into="desks")


def test_what_was_killed_while_it_was_fed_begins_anew(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed(shop, spark, 1, 2)
    rebuilt(shop, spark, feed=True)
    shop.new(2, None, "Noted")

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("feed_on", "show_only"):
        with monkeypatch.context() as patch:
            patch.setattr(rebuilding, step, dies)
            with pytest.raises(KeyboardInterrupt):
                rebuilt(shop, spark, feed=True)
        assert shown(shop) == [("1", 1, 1), ("2", 1, 1)]
        assert tables(shop) == ["order_all_v1", "order_all_v2"]
    # What services read is fed meanwhile.
    assert fed(shop, spark).version == 1
    assert shown(shop) == [("1", 1, 1), ("2", 1, 2)]
    assert rebuilt(shop, spark, feed=True).version == 2
    assert shown(shop) == [("1", 1, 1), ("2", 1, 2)]
    assert tables(shop) == ["order_all_v2"]


@pytest.mark.soak
def test_a_version_that_is_shown_meanwhile_is_fed_instead(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed(shop, spark, 1)
    rebuilt(shop, spark, feed=True)
    feed_on = separate.feed_on

    def after_a_rebuild(*arguments: object) -> object:
        monkeypatch.setattr(separate, "feed_on", feed_on)
        rebuilt(shop, spark, feed=True)
        shop.new(1, None, "Noted")
        return feed_on(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(separate, "feed_on", after_a_rebuild)
    assert (fed(shop, spark).version, shown(shop)) == (2, [("1", 1, 2)])


@pytest.mark.soak
def test_its_run_stays_in_the_lake_and_must_be_as_it_was(
    spark: SparkSession, shop: DecidedShop
) -> None:
    first = agreed(shop, spark, 1)
    rebuilt(shop, spark, feed=True)
    for number in (2, 3, 4):
        shop.legacy(number, 10 + number)
        legacy_has(shop, dict.fromkeys(range(1, number + 1), 1))
        projected(shop, spark)
    project = cutline.Project.open(shop.folder, spark=spark)
    reasons = {r.run_id: r.kept_because for r in project.clean(keep=1)}
    assert reasons[first] == "rebuilds.desk is fed with it"
    [timeline] = (shop.folder / "lake").rglob(f"{first}/timeline")
    shop.new(1, None, "Noted")
    shutil.move(timeline, timeline.with_name("aside"))
    with pytest.raises(RunFailed, match=f"table timeline of run {first} is not what stage"):
        fed(shop, spark)
    shutil.move(timeline.with_name("aside"), timeline)
    assert fed(shop, spark).rows == 1
    rebuilt(shop, spark, 1.0, feed=True)
    assert {r.run_id: r.kept_because for r in project.clean(keep=1)}[first] is None


def test_what_a_topic_lost_is_named(spark: SparkSession, shop: DecidedShop) -> None:
    agreed(shop, spark, 1)
    shop.new(1, None, "Noted")
    rebuilt(shop, spark, feed=True)
    shop.topic.write_text("")
    with pytest.raises(RunFailed, match="was made anew or cut off since it was fed") as lost:
        fed(shop, spark)
    assert lost.value.next_step == (
        "Build it over what is there: cutline run shop --region all, and then "
        "cutline rebuild shop --region all --into desk --feed"
    )


def test_the_commands(spark: SparkSession, shop: DecidedShop, command_line: CommandLine) -> None:
    run = agreed(shop, spark, 1, 2)
    legacy_has(shop, {1: 1, 2: 5})
    shop.new(3, None)
    at = ("--project", shop.folder)
    done = command_line("rebuild", *PLACE, "--feed", "--max-different", "0.5", *at)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:4] == [
        f"desk: version 1 of the legacy's rows, compared with run {run} (GO)",
        "             2  order_all",
        "  live events since: 1 applied, 1 rows written, 0 put aside",
        "  until a live event touches it, each of 1 subject is as the legacy has it, and 0 more "
        "without a row; then as the run and its events say",
    ]
    shop.new(2, None, "Noted")
    ended = command_line("feed", *PLACE, *at)
    assert (ended.returncode, ended.stdout) == (
        0,
        "desk: version 1: 1 records, 1 new events, 1 rows written, 0 ended, 0 put aside\n",
    )
    assert shown(shop) == [("1", 1, 1), ("2", 1, 2), ("3", 1, 1)]
    with shop.topic.open("a") as topic:
        topic.write("rubbish\n")
    aside = command_line("feed", *PLACE, "--json", *at)
    assert (aside.returncode, json.loads(aside.stdout)["aside"]) == (1, 1)
    assert command_line("feed", *PLACE, *at).returncode == 0
    again = command_line("rebuild", *PLACE, "--feed", "--max-different", "1", *at)
    assert (again.returncode, "1 put aside" in again.stdout) == (1, True)


def test_a_feed_that_stays_ends_at_sigterm(
    spark: SparkSession, shop: DecidedShop, command_line: CommandLine
) -> None:
    agreed(shop, spark, 1)
    rebuilt(shop, spark, feed=True)
    shop.new(1, None, "Noted")

    def end_when_fed() -> None:
        deadline = time.monotonic() + 120
        while shown(shop) != [("1", 1, 2)] and time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_when_fed).start()
    done = command_line("feed", *PLACE, "--every", "1s", "--project", shop.folder)
    assert done.returncode == 0, done.stderr
    assert shown(shop) == [("1", 1, 2)]
