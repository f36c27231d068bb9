"""Truth of PostgreSQL: asked there, as of one moment, in its own SQL."""

from __future__ import annotations

import threading
import time

import pyarrow.parquet as pq
import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.translator import Truth
from cutline_reconciliation.truth import open_legacy, write_answer
from support.extracting import Extract, database
from support.postgres_source import answer, run_sql

pytestmark = pytest.mark.postgres


@pytest.fixture
def url(postgres_url):
    run_sql(
        postgres_url,
        "CREATE SCHEMA app",
        "CREATE TABLE app.orders (id int PRIMARY KEY, region text, total numeric, at timestamptz)",
        "INSERT INTO app.orders VALUES (1, 'eu', 1.10, '2026-05-01 12:00+02'), (2, 'us', 7, NULL)",
    )
    return postgres_url


def project(tmp_path, url, **sources):
    erp = {"kind": "postgresql", "url": url, "schema": "app", "tables": {"orders": {}}}
    return Extract(tmp_path, {"erp": erp, **sources}, ()).project


def read_truth(tmp_path, url, sql, **sources):
    path = f"{tmp_path}/answer.parquet"
    with open_legacy(project(tmp_path, url, **sources), [sql], {}) as legacy:
        written = write_answer(legacy, "the truth of aggregate order", sql, "eu", path, ["subject"])
    return written, pq.read_table(path).to_pylist()


def test_the_answer_is_that_of_the_server_as_texts(url, tmp_path):
    sql = (
        "SELECT id AS subject, total, at, DATE_TRUNC('day', at) AS day FROM erp.orders"
        " WHERE region = :region AND note = ':region'; -- erp.orders"
    ).replace(" AND note = ':region'", " AND ':region' <> region")
    written, rows = read_truth(tmp_path, url, sql)
    assert rows == [
        {
            "subject": "1",
            "total": "1.10",
            "at": "2026-05-01 10:00:00+00",
            "day": "2026-05-01 00:00:00+00",
        }
    ]
    assert (written.columns, written.rows) == (("subject", "total", "at", "day"), 1)


def test_an_answer_without_rows_has_its_columns(url, tmp_path):
    written, rows = read_truth(tmp_path, url, "SELECT id AS subject FROM erp.orders WHERE false")
    assert (written.columns, rows) == (("subject",), [])


def test_all_queries_are_of_one_moment_and_nobody_empties_a_table_between(url, tmp_path):
    first = "SELECT id AS subject FROM erp.orders"
    with open_legacy(project(tmp_path, url), [first], {}) as legacy:
        run_sql(url, "INSERT INTO app.orders VALUES (3)")
        emptying = threading.Thread(target=run_sql, args=(url, "TRUNCATE app.orders"))
        emptying.start()
        while not answer(url, "SELECT 1 FROM pg_locks WHERE NOT granted"):
            time.sleep(0.01)
        for _ in range(2):
            written = write_answer(
                legacy,
                "the truth of aggregate order",
                first,
                "eu",
                f"{tmp_path}/a.parquet",
                ["subject"],
            )
            assert written.rows == 2
    emptying.join(10)
    assert answer(url, "SELECT count(*) FROM app.orders") == [(0,)]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT nothing AS subject FROM erp.orders", 'column "nothing" does not exist'),
        (
            "SELECT id AS subjekt FROM erp.orders",
            "has no column 'subject'. Did you mean 'subjekt'?",
        ),
        ("SELECT 1 AS subject FROM erp.orders; DROP TABLE app.orders", "syntax error"),
    ],
)
def test_a_query_that_is_none(sql, why, url, tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        read_truth(tmp_path, url, sql)
    assert why in str(raised.value)
    assert "correct-horse-7" not in str(raised.value)
    assert answer(url, "SELECT count(*) FROM app.orders") == [(2,)]


def test_a_query_that_fails_in_the_middle(url, tmp_path):
    with pytest.raises(RunFailed, match=r"aggregate order could not be read: .*division by zero"):
        read_truth(
            tmp_path,
            url,
            "SELECT id AS subject, 1 / (id - 1) AS broken FROM erp.orders ORDER BY id DESC",
        )


def test_a_query_to_a_server_and_a_file_at_once_is_refused(url, tmp_path):
    database(tmp_path / "shop.db", "CREATE TABLE items (id)")
    shop = {"kind": "sqlite", "path": "shop.db", "tables": {"items": {}}}
    with pytest.raises(
        ConfigurationError, match="sources erp, shop together, which are not in one"
    ):
        read_truth(
            tmp_path,
            url,
            "SELECT o.id AS subject FROM erp.orders o JOIN shop.items i ON true",
            shop=shop,
        )


def test_a_file_source_may_have_its_truth_on_a_server(url, tmp_path):
    database(tmp_path / "shop.db", "CREATE TABLE orders (id)")
    shop = {"kind": "sqlite", "path": "shop.db", "tables": {"orders": {}}, "truth": url}
    run_sql(url, "CREATE TABLE public.orders (id int)", "INSERT INTO public.orders VALUES (42)")
    _, rows = read_truth(tmp_path, url, "SELECT id AS subject FROM shop.orders", shop=shop)
    assert rows == [{"subject": "42"}]


PARTS = (
    "SELECT CASE WHEN n < 0 THEN NULL ELSE n % 100 END AS place, count(*) AS subject, sum(n) AS total"
    " FROM erp.many GROUP BY 1"
)


@pytest.fixture
def many(url):
    run_sql(
        url,
        "CREATE TABLE app.many (n int)",
        "INSERT INTO app.many SELECT generate_series(-10, 5000)",
    )
    return url


def in_parts(tmp_path, url, sql, by, meanwhile=lambda: None):
    path = f"{tmp_path}/parts.parquet"
    shop = project(tmp_path, url)
    shop.file.sources["erp"].limits.__dict__["connections"] = 3
    with open_legacy(shop, [sql], {}, in_parts=True) as legacy:
        (database,) = legacy.servers.databases.values()
        assert len(database.readers) == 3
        meanwhile()
        write_answer(legacy, "the truth of aggregate order", sql, "eu", path, ["subject"], by)
    return sorted(map(repr, pq.read_table(path).to_pylist()))


def test_an_answer_in_parts_has_the_same_rows(many, tmp_path):
    whole = sorted(map(repr, read_truth(tmp_path, many, PARTS)[1]))
    assert len(whole) == 101
    for by in ("place", "subject", "total"):
        assert in_parts(tmp_path, many, PARTS, by) == whole


def test_all_parts_are_of_one_moment(many, tmp_path):
    whole = sorted(map(repr, read_truth(tmp_path, many, PARTS)[1]))
    later = "INSERT INTO app.many SELECT generate_series(1, 900)"
    assert in_parts(tmp_path, many, PARTS, "place", lambda: run_sql(many, later)) == whole


def test_a_part_that_fails_ends_the_others(many, tmp_path):
    sql = (
        "SELECT n AS subject, CASE WHEN n = 7 THEN 1 / (n - 7) ELSE length(pg_sleep(0.05)::text) END"
        " AS slow FROM erp.many WHERE n BETWEEN 1 AND 4000"
    )
    began = time.monotonic()
    with pytest.raises(RunFailed, match=r"aggregate order could not be read: .*division by zero"):
        in_parts(tmp_path, many, sql, "subject")
    assert time.monotonic() - began < 20, "each part alone sleeps more than a minute"


def test_a_partition_that_is_none(many, tmp_path):
    with pytest.raises(ConfigurationError, match=r"has no column 'plaice'\. Did you mean 'place'"):
        in_parts(tmp_path, many, PARTS, "plaice")
    with pytest.raises(ConfigurationError, match=r"is partitioned for 'orders'.* mean 'order'"):
        Truth(aggregates={"order": "SELECT 1"}, partitioned={"orders": "subject"})
