"""A PostgreSQL table before any contract: its columns, its rows as texts, and the check of a source."""

from __future__ import annotations

import pytest

from cutline.errors import ConfigurationError
from cutline.sources import check_sources
from cutline.sources.whole_table import whole_table, whole_table_columns
from support.extracting import Extract
from support.postgres_source import TEXT, contract_of, run_sql

pytestmark = pytest.mark.postgres

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])


@pytest.fixture
def shop(postgres_url, tmp_path):
    run_sql(
        postgres_url,
        "CREATE TABLE order_rows (id int, region text, total numeric, at timestamptz)",
        "INSERT INTO order_rows VALUES (1, 'eu', 1.10, '2026-05-01 12:00+02'), (2, 'us', NULL, 'infinity')",
    )
    table = {"name": "order_rows", "region": "region = :region"}
    source = {"kind": "postgresql", "url": postgres_url, "tables": {"orders": table}}
    return Extract(tmp_path, {"erp": source}, (ORDERS,))


def test_a_whole_table_is_all_columns_as_texts(spark, shop):
    assert whole_table_columns(shop.project, "erp", "orders") == ("id", "region", "total", "at")
    with whole_table(spark, shop.project, "erp", "orders", "eu") as whole:
        assert whole.place.endswith("/public.order_rows")
        assert [tuple(row) for row in whole.frame.collect()] == [
            ("1", "eu", "1.10", "2026-05-01 10:00:00+00")
        ]


def test_the_check_says_where_a_table_is(shop):
    (line,) = check_sources(shop.project, shop.translation)
    assert line.startswith("erp.orders: postgresql 127.0.0.1:")
    assert line.endswith("/public.order_rows, 1 of 4 columns, where region = :region")


def test_what_is_for_files_is_refused(shop):
    for more, why in (
        ({"previous": "yesterday"}, "previous is for files"),
        ({"tables": {"orders": {"path": "orders.csv"}}}, "tables.orders.path is for files"),
    ):
        wrong = Extract(shop.folder, {"erp": {**shop.sources["erp"], **more}}, (ORDERS,))
        with pytest.raises(ValueError, match=why):
            _ = wrong.project


def test_a_cut_that_nobody_captures_is_refused(shop, tmp_path):
    changes = {"kind": "debezium", "path": "c", "snapshot": {"policy": "transaction-visibility"}}
    shop.sources["erp"] = {
        "kind": "sqlite",
        "path": "erp.db",
        "tables": {"orders": {}},
        "changes": changes,
    }
    with pytest.raises(ValueError, match=r"changes.snapshot.visible is missing"):
        _ = shop.project


def test_a_truth_that_does_not_answer_stops_before_any_work(shop):
    shop.sources["erp"]["truth"] = "postgresql://nobody:secret@127.0.0.1:1/erp"
    with pytest.raises(
        ConfigurationError, match=r"sources\.erp\.truth: postgresql://127\.0\.0\.1:1/erp"
    ) as raised:
        check_sources(shop.project, shop.translation)
    assert "secret" not in str(raised.value)
