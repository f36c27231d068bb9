"""A read model that is rebuilt from a legacy on PostgreSQL, into a schema of PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

import cutline
from cutline.errors import RunFailed
from support.decided import DecidedShop
from support.logged import install_plugin
from support.postgres_source import answer, run_sql
from support.rebuilds import fed, projected, rebuilt
from support.shop_project import PLUGIN, PYPROJECT

pytestmark = pytest.mark.postgres
ORDERS = "SELECT no::text AS subject, placed FROM web.orders WHERE :region = 'all'"


@pytest.fixture
def url(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LEGACY_URL", postgres_url)
    run_sql(
        postgres_url,
        "CREATE TABLE orders (no int, placed int)",
        "INSERT INTO orders SELECT n, 1 FROM generate_series(1, 3) AS n",
    )
    return postgres_url


@pytest.fixture
def shop(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DecidedShop:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    declare(shop)
    return shop


def declare(shop: DecidedShop, sql: str = ORDERS, truth: str = "${LEGACY_URL}") -> None:
    desk = {"url": "${LEGACY_URL}", "schema": "desk", "queries": {"order": sql}}
    file = shop.folder / "cutline.yaml"
    document: dict[str, Any] = yaml.safe_load(file.read_text())
    document["sources"]["web"]["truth"] = truth
    file.write_text(yaml.safe_dump(document | {"rebuilds": {"desk": desk}}), encoding="utf-8")


def test_rows_of_a_server_are_shown_in_a_schema(
    spark: SparkSession, shop: DecidedShop, url: str
) -> None:
    done = rebuilt(shop, spark)
    assert (done.version, done.rows) == (1, {"order_all": 3})
    served = "SELECT subject, placed FROM desk.order_all ORDER BY 1"
    assert answer(url, served) == [("1", 1), ("2", 1), ("3", 1)]
    run_sql(url, "UPDATE orders SET placed = 4 WHERE no = 2")
    assert rebuilt(shop, spark).previous == 1
    assert answer(url, served) == [("1", 1), ("2", 4), ("3", 1)]
    tables = answer(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'order_all%'")
    assert tables == [("order_all_v2",)]


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SELECT no::text AS subject, 1 AS placed, 2 AS placed FROM web.orders", "placed twice"),
        ("SELECT no::text AS subject, placde FROM web.orders", 'column "placde" does not exist'),
        ("SELECT no::text AS subject FROM web.orders", "does not give column placed"),
        ("SELEC 1 FROM web.orders", "syntax error"),
    ],
)
def test_sql_that_the_server_or_the_state_does_not_know_is_refused(
    spark: SparkSession, shop: DecidedShop, url: str, sql: str, fault: str
) -> None:
    declare(shop, sql)
    with pytest.raises(cutline.ConfigurationError, match=fault) as refused:
        rebuilt(shop, spark)
    assert refused.value.what.startswith("rebuilds.desk.queries.order")
    assert answer(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'desk'") == []


def test_live_events_keep_what_a_server_gave(
    spark: SparkSession, shop: DecidedShop, url: str
) -> None:
    run = projected(shop, spark, 1, 2, 3)
    assert rebuilt(shop, spark, feed=True).run_id == run
    shop.new(2, None, "Noted")
    shop.new(4, None)
    assert fed(shop, spark).rows == 2
    served = "SELECT subject, placed, cutline_event_id FROM desk.order_all_v1 ORDER BY 1"
    assert answer(url, served) == [
        *[("1", 1, None), ("2", 1, "Noted-2-0"), ("3", 1, None), ("4", 1, "Placed-4-1")]
    ]


def test_a_query_that_fails_half_way_builds_nothing(
    spark: SparkSession, shop: DecidedShop, url: str
) -> None:
    declare(shop, "SELECT no::text AS subject, 1 / (3 - no) AS placed FROM web.orders")
    with pytest.raises(RunFailed, match="division by zero") as failed:
        rebuilt(shop, spark)
    assert failed.value.left_behind == "Nothing was built. What services read was not changed."
    assert answer(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'desk'") == []


def test_a_server_that_does_not_answer_is_named(
    spark: SparkSession, shop: DecidedShop, url: str
) -> None:
    declare(shop, truth="postgresql://nobody@127.0.0.1:1/gone")
    with pytest.raises(cutline.CutlineError, match=r"127\.0\.0\.1:1/gone") as failed:
        rebuilt(shop, spark)
    assert failed.value.exit_code in (2, 3)
