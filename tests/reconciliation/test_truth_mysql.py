"""Truth of MySQL: asked there, as of one moment, in its own SQL."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline_reconciliation.truth import open_legacy, write_answer
from support.extracting import Extract, database
from support.mysql_source import run_mysql


@pytest.fixture
def url(mariadb_url):
    run_mysql(
        mariadb_url,
        "CREATE TABLE orders (id INT PRIMARY KEY, region TEXT, total DECIMAL(30,10), share FLOAT, at TIMESTAMP NULL)",
        "SET time_zone = '+02:00'",
        "INSERT INTO orders VALUES (1, 'eu', 1.10, 16777217, '2026-05-01 12:00'), (2, 'us', 7, 1, NULL)",
    )
    return mariadb_url


def project(tmp_path, url, **sources):
    erp = {"kind": "mysql", "url": url, "tables": {"orders": {}}}
    return Extract(tmp_path, {"erp": erp, **sources}, ()).project


def read_truth(tmp_path, url, sql, between=lambda: None, **sources):
    path = f"{tmp_path}/answer.parquet"
    with open_legacy(project(tmp_path, url, **sources), [sql], {}) as legacy:
        between()
        written = write_answer(legacy, "the truth of aggregate order", sql, "eu", path, ["subject"])
    return written, pq.read_table(path).to_pylist()


def test_the_answer_is_that_of_the_server_as_texts(url, tmp_path):
    sql = (
        "SELECT id AS subject, total, share, at, id = 1 AS is_first, NULL AS nothing FROM `erp`.orders"
        " WHERE region = :region AND ':region' <> region; -- erp.orders"
    )
    written, rows = read_truth(tmp_path, url, sql)
    assert rows == [
        {
            "subject": "1",
            "total": "1.1000000000",
            "share": "16777216",
            "at": "2026-05-01 10:00:00",
            "is_first": "1",
            "nothing": None,
        }
    ]
    assert written.rows == 1


def test_the_moment_is_that_of_opening(url, tmp_path):
    sql = "SELECT id AS subject FROM erp.orders"
    later = lambda: run_mysql(url, "INSERT INTO orders (id) VALUES (3)")  # noqa: E731
    written, _ = read_truth(tmp_path, url, sql, later)
    assert written.rows == 2
    assert read_truth(tmp_path, url, sql)[0].rows == 3


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT nothing AS subject FROM erp.orders", "Unknown column 'nothing'"),
        ("SELECT id AS subjekt FROM erp.orders", "no column 'subject'. Did you mean 'subjekt'?"),
        ("SELECT 1 AS subject FROM erp.orders; DROP TABLE orders", "SQL syntax"),
        ("SELECT id AS subject FROM erp.order_rows", "order_rows' doesn't exist"),
    ],
)
def test_a_query_that_is_none(sql, why, url, tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        read_truth(tmp_path, url, sql)
    assert why in str(raised.value)
    assert "the truth of aggregate order" in str(raised.value)
    assert "correct-horse-7" not in str(raised.value)
    assert run_mysql(url, "SELECT COUNT(*) FROM orders") == [(2,)]


def test_a_query_that_fails_in_the_middle(url, tmp_path):
    sql = "SELECT id AS subject, (SELECT region FROM erp.orders WHERE o.id = 2 OR id = 1) AS many FROM erp.orders AS o"
    with pytest.raises(
        RunFailed, match=r"aggregate order could not be read: Subquery returns more"
    ):
        read_truth(tmp_path, url, sql)


def test_a_query_to_a_server_and_a_file_at_once_is_refused(url, tmp_path):
    database(tmp_path / "shop.db", "CREATE TABLE items (id)")
    shop = {"kind": "sqlite", "path": "shop.db", "tables": {"items": {}}}
    sql = "SELECT o.id AS subject FROM erp.orders AS o JOIN shop.items AS i ON TRUE"
    with pytest.raises(
        ConfigurationError, match="sources erp, shop together, which are not in one"
    ):
        read_truth(tmp_path, url, sql, shop=shop)


def test_a_file_whose_truth_is_a_server(url, tmp_path):
    shop = {"kind": "sqlite", "path": "shop.db", "truth": url, "tables": {"orders": {}}}
    written, _ = read_truth(tmp_path, url, "SELECT id AS subject FROM shop.orders", shop=shop)
    assert written.rows == 2
