"""Benchmarks are run by hand: that they still can be is seen here, with a few rows."""

from __future__ import annotations

import sqlite3
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cutline.project import load_shared
from support.paths import ROOT
from support.postgres_source import run_sql
from support.scripts import load_script
from support.servers.kafka import KafkaBroker

FOLDER = ROOT / "benchmarks"
Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """A script by a name of its own, for the tests have folders that are called as some are."""
    monkeypatch.syspath_prepend(FOLDER)

    def loaded(name: str) -> ModuleType:
        def register(script: str, module: ModuleType) -> None:
            monkeypatch.setitem(sys.modules, script, module)

        return load_script(FOLDER / f"{name}.py", f"benchmark_{name}", register)

    return loaded


def rows(table: str) -> dict[str, list[str]]:
    """A Markdown table's cells by what its rows begin with."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells if row}


def test_translating_is_measured(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    translate = load("translate")
    names = ["4 facts", translate.WRITTEN, "changes: 4 facts", f"changes: {translate.SORTED}"]
    report = translate.measured(spark, tmp_path, 200, Namespace(only=names, repeat=1))
    assert "with changes 240 rows" in report
    figures = rows(report)
    assert set(names) <= set(figures)
    assert int(figures["4 facts"][0]) > 200, "each order announces one or more"
    assert int(figures["changes: 4 facts"][0]) > int(figures["4 facts"][0])


def test_merging_is_measured(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    report = load("merge").measured(spark, tmp_path, 200, Namespace(skew=False, repeat=1))
    assert {"bare", "judged alone", "merge and project, even"} <= set(rows(report))


def test_comparing_is_measured(spark: SparkSession, load: Load) -> None:
    compare = load("compare")
    left = compare.orders(spark, 200)
    options = Namespace(peers=False, without=[], repeat=1)
    table_rows = compare.measured(left, compare.drifted(left, 30), options)
    assert set(rows("\n".join(table_rows))) == {"compare", "full outer join by hand"}


def measurement(whole_run: ModuleType, rows: int, seconds: float) -> object:
    stages = ("extract", "translate", "merge", "project", "reconcile", "report")
    document = {"stages": [{"name": n, "seconds": seconds, "rows_in": rows} for n in stages]}
    copied = {"changes_erp_orders": 1.0, "events": 4.0, "dispositions": 1.0, "timeline": 2.0}
    written: dict[str, list[str]] = {stage: [] for stage in stages}
    written |= {"extract": ["changes_erp_orders"], "translate": ["dispositions", "events"]}
    bare = {"read": 2.0, "copied": copied}
    return whole_run.Measurement(f"{rows}", 7 * seconds, 100.0, 0, document, written, bare)


def test_whole_runs_are_shown_beside_the_bare_job_and_the_size_before(load: Load) -> None:
    whole_run = load("whole_run")
    shown = rows(
        whole_run.size_table([measurement(whole_run, 10, 5.0), measurement(whole_run, 100, 20.0)])
    )
    assert shown["source rows"] == ["10", "100"]
    assert shown["**extract, of a bare read**"] == ["2.5 ×", "10.0 ×"]
    assert shown["translate, of bare copies of its tables"] == ["1.0 ×", "4.0 ×"]
    assert shown["**time, of the size before**"] == ["–", "4.00 ×"]
    assert shown["reconcile, of bare copies of its tables"] == ["–", "–"]


def test_figures_go_between_the_marks_of_a_page(load: Load, tmp_path: Path) -> None:
    whole_run = load("whole_run")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{whole_run.BEGIN}\nold\n{whole_run.END}\nafter\n")
    whole_run.write_between_marks(page, "new")
    assert page.read_text() == (f"before\n{whole_run.BEGIN}\n\nnew\n\n{whole_run.END}\nafter\n")
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="does not have the marks"):
        whole_run.write_between_marks(page, "new")


def test_copies_of_olist_have_ids_of_their_own(load: Load, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    ids = "0123456789abcdef" * 2
    (data / "olist_orders_dataset.csv").write_text(f"order_id,order_status\n{ids},shipped\n")
    (data / "olist_sellers_dataset.csv").write_text(f"seller_id\n{ids}\n")
    project = load("multiplied").write_project(data, tmp_path / "project", 2)
    orders = (project / "extract" / "olist_orders_dataset.csv").read_text().splitlines()
    assert orders == [
        "order_id,order_status",
        f"0000{ids[4:]},shipped",
        f"0001{ids[4:]},shipped",
    ]
    sellers = (project / "extract" / "olist_sellers_dataset.csv").read_text().splitlines()
    assert sellers == ["seller_id", ids]


def test_a_change_file_is_measured(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    shown = rows(load("changed").table(tmp_path, 1, None))
    assert {"extract", "Spark reads the same JSON with a schema"} <= set(shown)


@pytest.mark.kafka
def test_publishing_is_measured(
    spark: SparkSession, load: Load, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    publish = load("publish")
    bench = publish.Bench(kafka_broker, tmp_path, spark)
    table = publish.table(bench, 50, 1_200, publish.HEADERS)
    sizes = [
        len(row.key) + len(row.value) + sum(map(len, [*row.headers, *row.headers.values()]))
        for row in table.collect()
    ]
    assert {1_150 < size <= 1_200 for size in sizes} == {True}
    assert publish.brokers_own(bench, 50, 1_200) > 0
    assert publish.by_cutline(bench, table, 50) > 0
    assert publish.whole(bench, table, 50) > 0


def test_the_bare_job_reads_every_source(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    extract, read = tmp_path / "extract", tmp_path / "out" / "read"
    extract.mkdir()
    with closing(sqlite3.connect(extract / "erp.db")) as connection, connection:
        connection.execute("CREATE TABLE orders (no TEXT)")
        connection.executemany("INSERT INTO orders VALUES (?)", [("1",), ("2",)])
    (extract / "stock.csv").write_text("sku,pieces\na,1\n")
    (extract / "moves.jsonl").write_text('{"sku": "a"}\n{"sku": "b"}\n')
    load("bare").read_sources(spark, extract, tmp_path / "out")
    assert pq.read_table(read / "erp.db" / "orders.parquet").num_rows == 2
    assert spark.read.parquet(str(read / "stock.csv")).count() == 1
    assert spark.read.parquet(str(read / "moves.jsonl")).count() == 2


def test_extremes_are_written(load: Load, tmp_path: Path) -> None:
    """Each case as a project whose plugins can be imported; running them is for people."""
    extremes = load("extremes")
    for name, case in extremes.CASES.items():
        folder = tmp_path / name
        extremes.write_project(folder, case, 20)
        assert load_shared(folder).file.sources["erp"].kind == "sqlite"
        table = "wide" if case.use == "wide" else "items"
        with closing(sqlite3.connect(folder / "extract" / "erp.db")) as database:
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (20,)
        changes = folder / "extract" / "changes.jsonl"
        assert changes.exists() == (case.changes is not None)
    assert len(extremes.extreme_plugin.WideItem.columns()) == 500
    assert len(extremes.extreme_plugin.ManyRules.facts) == 200


@pytest.mark.postgres
def test_reading_postgres_is_measured(load: Load, postgres_url: str, tmp_path: Path) -> None:
    reading = load("postgres_read")
    run_sql(postgres_url, reading.TABLE.format(rows=300))
    shown = rows(reading.measured(postgres_url, tmp_path, 300, 1, 2))
    assert {"read as a run does", "`COPY … TO STDOUT` into a file"} <= set(shown)
    with pytest.raises(AssertionError, match="300 rows of 301"):
        reading.measured(postgres_url, tmp_path, 301, 1, 2)


def test_reading_kafka_is_measured(
    spark: SparkSession, kafka_broker: KafkaBroker, load: Load, tmp_path: Path
) -> None:
    reading = load("kafka_read")
    kafka_broker.create_topic(reading.TOPIC, reading.PARTITIONS)
    kafka_broker.produce(reading.TOPIC, reading.changes(50))
    table = reading.measured(spark, kafka_broker.bootstrap, str(tmp_path), None, 50, 1)
    assert set(rows(table)) >= {"read as a run does"}
    kafka_broker.delete_topic(reading.TOPIC)
