"""A read model that is rebuilt from legacy rows has them, held against what a run projected, and
services read the old rows until then."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import cutline
from cutline.errors import RunFailed
from cutline.masking import Masking
from cutline_reconciliation.rebuild import faults, rebuilding
from support.command_line import CommandLine
from support.decided import CONTEXT, REGION, DecidedShop
from support.logged import install_plugin
from support.rebuilds import (
    ORDERS,
    VIEW,
    declare,
    legacy_has,
    projected,
    query,
    rebuilt,
    served,
    tables,
)
from support.shop_project import PLUGIN, PYPROJECT
from support.soaking import some_in_soak


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    declare(shop)
    return shop


def test_rows_that_agree_with_the_projection_are_shown(
    spark: SparkSession, shop: DecidedShop
) -> None:
    run = projected(shop, spark, 1, 2)
    legacy_has(shop, {1: 1, 2: 1})
    shop.new(3, None)
    done = rebuilt(shop, spark)
    assert (done.version, done.previous, done.shown, done.run_id) == (1, None, True, run)
    assert done.rows == {"order_all": 2}
    [agreement] = done.agreements
    assert (agreement.equal, agreement.share, agreement.examples) == (2, 0.0, ())
    assert list(done.positions) == ["shop.shop.order.live/0"]
    assert done.positions["shop.shop.order.live/0"] == shop.topic.stat().st_size
    assert served(shop) == [("1", 1), ("2", 1)]
    assert not list((shop.folder / "lake").glob("_rebuild/**/*.parquet"))


def test_rows_that_disagree_are_named_and_not_shown_unless_so_many_may(
    spark: SparkSession, shop: DecidedShop
) -> None:
    run = projected(shop, spark, 1, 2, 3)
    legacy_has(shop, {1: 1, 2: 1, 3: 1})
    rebuilt(shop, spark)
    legacy_has(shop, {1: 1, 2: 7, 4: 1})
    refused = rebuilt(shop, spark, 0.74)
    assert (refused.shown, refused.version, refused.previous) == (False, None, 1)
    assert refused.decision == "no-go"
    assert refused.sentence == (
        f"desk: nothing was built, as 75.00% of an aggregate differs from run {run} (NO-GO), and "
        "74.00% may"
    )
    [agreement] = refused.agreements
    counts = (
        agreement.equal,
        agreement.different,
        agreement.only_rebuilt,
        agreement.only_projected,
    )
    assert counts == (1, 1, 1, 1)
    assert agreement.columns == {"placed": 1}
    assert sorted(agreement.examples, key=lambda e: e.subject or "") == [
        cutline.Disagreement("2", None, "placed", "7", "1"),
        cutline.Disagreement("3", "projected", None, None, None),
        cutline.Disagreement("4", "rebuilt", None, None, None),
    ]
    document = json.loads(json.dumps(refused.as_json()))
    assert (document["shown"], document["agreements"][0]["share"]) == (False, 0.75)
    assert document["agreements"][0]["columns"] == {"placed": 1}
    assert "only projected" in refused._repr_html_()
    assert served(shop) == [("1", 1), ("2", 1), ("3", 1)]
    assert tables(shop) == ["order_all_v1"]
    done = rebuilt(shop, spark, 0.75)
    assert (done.version, done.previous) == (2, 1)
    assert served(shop) == [("1", 1), ("2", 7), ("4", 1)]
    assert tables(shop) == ["order_all_v2"]


def test_without_a_complete_run_there_is_nothing_to_compare_with(
    spark: SparkSession, shop: DecidedShop
) -> None:
    legacy_has(shop, {1: 1})
    done = rebuilt(shop, spark)
    assert (done.run_id, done.agreements, done.shown) == (None, (), True)
    assert "no complete run is there to compare with" in done.sentence
    assert served(shop) == [("1", 1)]


def test_columns_of_history_may_be_there_and_files_have_the_sql(
    spark: SparkSession, shop: DecidedShop
) -> None:
    (shop.folder / "orders.sql").write_text(
        "SELECT CAST(no AS TEXT) AS subject, placed, 1 AS events,\n"
        "  '2026-10-01T00:00:00Z' AS first_time, NULL AS last_time\n"
        "FROM web.orders WHERE :region = 'all'\n"
    )
    declare(shop, "orders.sql")
    legacy_has(shop, {1: 1})
    rebuilt(shop, spark)
    rows = query(shop, f"SELECT subject, events, first_time, last_time FROM {VIEW}")
    assert rows == [("1", 1, "2026-10-01T00:00:00.000000Z", None)]


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SELECT no AS subject FROM web.orders", "does not give column placed of the state"),
        (
            "SELECT no AS subject, placed AS plced FROM web.orders",
            r"does not give column placed of the state\. Did you mean 'plced'",
        ),
        ("SELECT no AS subject, placed, 1 AS x FROM web.orders", "gives column x, which the state"),
        (
            "SELECT no AS subject, 1 AS placed, 2 AS placed FROM web.orders",
            "gives column placed:1, which",
        ),
        ("SELECT placed FROM web.orders", "does not give column subject"),
        ("SELECT no AS subject, placed FROM web.ordres", "no such table: web.ordres"),
        ("SELECT no AS subject, placed FROM web.orders WHERE no = :no", "asks for :no, which"),
        ("gone.sql", r"gone\.sql cannot be read"),
        (" ", "has no SQL"),
    ],
)
def test_sql_that_gives_no_states_is_refused_before_a_row_is_read(
    spark: SparkSession, shop: DecidedShop, sql: str, fault: str
) -> None:
    declare(shop, sql)
    legacy_has(shop, {1: 1})
    with pytest.raises(cutline.ConfigurationError, match=fault) as refused:
        rebuilt(shop, spark)
    assert refused.value.what.startswith("rebuilds.desk.queries.order")
    assert refused.value.left_behind.startswith("Nothing was ")
    assert not (shop.folder / "desk.db").exists()


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        ([(None, 1)], ["has 1 rows without a subject"]),
        ([(1, 1), (1, 2), (2, 1)], ["1 subjects have more than one row, such as of '1'"]),
        ([(1, "x")], ["1 rows have in column placed what is no bigint, such as of '1'"]),
        ([(1, 1.5)], ["1 rows have in column placed what is no bigint, such as of '1'"]),
        (
            [("a", "x"), ("a", 1), ("b", 1)],
            [
                "1 rows have in column placed what is no bigint, such as of 'a'",
                "1 subjects have more than one row, such as of 'a'",
            ],
        ),
    ],
)
def test_rows_that_are_no_states_are_named_before_anything_is_built(
    spark: SparkSession, shop: DecidedShop, rows: list[tuple[Any, Any]], sentences: list[str]
) -> None:
    legacy_has(shop, rows)
    with pytest.raises(RunFailed) as failed:
        rebuilt(shop, spark)
    for sentence in sentences:
        assert sentence in failed.value.what
    assert failed.value.left_behind == "Nothing was built. What services read was not changed."
    assert not (shop.folder / "desk.db").exists()


def test_a_line_of_a_file_that_cannot_be_read_is_counted_and_nothing_is_built(
    spark: SparkSession, shop: DecidedShop
) -> None:
    config = shop.folder / "cutline.yaml"
    config.write_text(config.read_text().replace("truth: now.db", "truth: now"))
    orders = shop.folder / "now" / "orders.csv"
    orders.parent.mkdir()
    orders.write_text("no,placed\n1,1\n2,1,7\n")
    with pytest.raises(RunFailed, match=r"web\.orders has 1 lines that cannot be read") as failed:
        rebuilt(shop, spark)
    assert failed.value.left_behind == "Nothing was built. What services read was not changed."
    orders.write_text("no,placed\n1,1\n2,7\n")
    rebuilt(shop, spark)
    assert served(shop) == [("1", 1), ("2", 7)]


def test_personal_subjects_of_a_fault_are_masked(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy_has(shop, {"Ann": "x"})
    personal = Masking(frozenset(), {}, subjects=frozenset(["order"]))
    monkeypatch.setattr(faults, "masking", lambda _: personal)
    with pytest.raises(RunFailed, match="no bigint, such as of '") as failed:
        rebuilt(shop, spark)
    assert "Ann" not in str(failed.value)


def test_what_a_null_may_not_be_in_is_named(spark: SparkSession, shop: DecidedShop) -> None:
    declare(shop, "SELECT no AS subject, placed, NULL AS events FROM web.orders")
    legacy_has(shop, {1: 1, 2: 1})
    with pytest.raises(RunFailed, match="2 rows have a null in column events, such as of '1', '2'"):
        rebuilt(shop, spark)


def test_a_value_that_no_database_keeps_is_named(spark: SparkSession, shop: DecidedShop) -> None:
    declare(
        shop,
        "SELECT no AS subject, placed, 1 AS events, '0000-01-01T00:00:00Z' AS first_time"
        " FROM web.orders",
    )
    legacy_has(shop, {1: 1})
    with pytest.raises(RunFailed, match=r"column first_time what no database keeps.* of '1'"):
        rebuilt(shop, spark)


def test_what_cannot_be_begun_is_refused_by_name(spark: SparkSession, shop: DecidedShop) -> None:
    legacy_has(shop, {1: 1})
    project = cutline.Project.open(shop.folder, spark=spark)
    with pytest.raises(cutline.ConfigurationError, match="rebuild 'desks' is not among"):
        project.rebuild(CONTEXT, region=REGION, into="desks")
    with pytest.raises(cutline.ConfigurationError, match=r"max_different: 1\.5 is no number"):
        project.rebuild(CONTEXT, region=REGION, into="desk", max_different=1.5)
    for sections, fault in (
        (
            {"rollout": {"read_model": {"url": "sqlite:///desk.db"}}},
            r"rebuilds\.desk\.url is the database of rollout\.read_model, whose versions are rel",
        ),
        (
            {"rollout": {}, "rehydrations": {"lost": {"url": "sqlite:///desk.db"}}},
            r"rebuilds\.desk\.url is the database of rehydrations\.lost, whose versions are snap",
        ),
    ):
        declare(shop, **sections)
        with pytest.raises(cutline.ConfigurationError, match=fault):
            rebuilt(shop, spark)
    declare(shop, rehydrations={})
    of_order = {"queries": {"order": ORDERS}}
    for rebuilds, fault in (
        (
            {
                "desk": {"url": "sqlite:///desk.db", **of_order},
                "shelf": {"url": "sqlite:///desk.db", **of_order},
            },
            r"is the database of rebuilds\.shelf, whose versions are made of legacy rows",
        ),
        (
            {"desk": {"url": "sqlite:///now.db", **of_order}},
            r"rebuilds\.desk\.url: .*now\.db is sources\.web\.truth, which is only read",
        ),
        (
            {"desk": {"url": "sqlite:///control.db", **of_order}},
            r"rebuilds\.desk\.url: .*control\.db is the control",
        ),
        (
            {"desk": {"url": "sqlite:///desk.db", "queries": {"ordre": ORDERS}}},
            r"rebuilds\.desk\.queries: context shop has no aggregate 'ordre'\. Did you mean 'order'",
        ),
        (
            {"desk": {"url": "oracle://x", **of_order}},
            r"`rebuilds\.desk\.url` in cutline\.yaml",
        ),
        ({"desk": {"url": "sqlite:///desk.db", "queries": {}}}, r"rebuilds\.desk\.queries"),
    ):
        declare(shop, rebuilds=rebuilds)
        with pytest.raises(cutline.ConfigurationError, match=fault):
            rebuilt(shop, spark)
    declare(shop)
    (shop.folder / "now.db").unlink()
    with pytest.raises(cutline.ConfigurationError, match=r"now\.db, which is not there"):
        rebuilt(shop, spark)
    assert not (shop.folder / "desk.db").exists()


def test_a_rehydration_into_the_database_of_a_rebuild_is_refused(
    spark: SparkSession, shop: DecidedShop
) -> None:
    declare(shop, rehydrations={"lost": {"url": "sqlite:///desk.db"}})
    projected(shop, spark, 1)
    snapshots = cutline.Project.open(shop.folder, spark=spark).snapshots(CONTEXT, region=REGION)
    run = cutline.Project.open(shop.folder, spark=spark).find_run(context=CONTEXT, region=REGION)
    snapshots.take("monday", why="x", run=run.id)
    with pytest.raises(cutline.ConfigurationError, match=r"is the database of rebuilds\.desk"):
        snapshots.rehydrate(into="lost", snapshot="monday")


@pytest.mark.parametrize(
    "step",
    some_in_soak(
        ["read_rows", "agreement_of", "states_of", "show_only"],
        ("read_rows", "show_only").__contains__,
    ),
)
def test_what_was_killed_begins_anew_and_services_read_the_old_rows(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    projected(shop, spark, 1, 2)
    legacy_has(shop, {1: 1, 2: 1})
    rebuilt(shop, spark)
    legacy_has(shop, {1: 1, 2: 2})

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(rebuilding, step, dies)
        with pytest.raises(KeyboardInterrupt):
            rebuilt(shop, spark, 0.5)
    assert served(shop) == [("1", 1), ("2", 1)]
    assert tables(shop) == ["order_all_v1"] + (["order_all_v2"] if step == "show_only" else [])
    legacy_has(shop, {1: 1, 2: 3})
    assert rebuilt(shop, spark, 0.5).version == 2
    assert served(shop) == [("1", 1), ("2", 3)]
    assert tables(shop) == ["order_all_v2"]


def test_one_that_is_under_way_is_not_begun_beside(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy_has(shop, {1: 1})
    read_rows = rebuilding.read_rows

    def meanwhile(*arguments: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(rebuilding, "read_rows", read_rows)
            with pytest.raises(RunFailed, match="is being worked on by another call"):
                rebuilt(shop, spark)
        return read_rows(*arguments)

    monkeypatch.setattr(rebuilding, "read_rows", meanwhile)
    assert rebuilt(shop, spark).version == 1


def test_a_row_of_somebody_else_is_not_shown(
    spark: SparkSession, shop: DecidedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy_has(shop, {1: 1})
    show_only = rebuilding.show_only

    def after_a_write(*arguments: Any) -> None:
        with closing(sqlite3.connect(shop.folder / "desk.db")) as database, database:
            database.execute("UPDATE order_all_v1 SET placed = 9")
        show_only(*arguments)

    monkeypatch.setattr(rebuilding, "show_only", after_a_write)
    with pytest.raises(RunFailed, match="somebody else wrote into table order_all_v1"):
        rebuilt(shop, spark)
    monkeypatch.undo()


def test_the_command(spark: SparkSession, shop: DecidedShop, command_line: CommandLine) -> None:
    run = projected(shop, spark, 1, 2)
    legacy_has(shop, {1: 1, 2: 5})
    words = ("rebuild", CONTEXT, "--region", REGION, "--into", "desk", "--project", shop.folder)
    refused = command_line(*words)
    assert (refused.returncode, refused.stdout) == (
        1,
        f"desk: nothing was built, as 50.00% of an aggregate differs from run {run} (NO-GO), and "
        "0.00% may"
        "\n             2  order_all\n\n"
        "aggregate  equal  different  only rebuilt  only projected\n"
        "order      1      1          0             0\n\n"
        "aggregate  subject  what differs  rebuilt  projected\n"
        "order      2        placed        5        1\n",
    )
    done = command_line(*words, "--max-different", "0.5")
    assert done.returncode == 0
    assert done.stdout.startswith(f"desk: version 1 of the legacy's rows, compared with run {run}")
    assert command_line(*words, "--max-different", "2").returncode == 2
    assert command_line(*words[:-4], "desks", *words[-2:]).returncode == 2
