"""What goes wrong at a MySQL source, each by its name and without the password."""

from __future__ import annotations

import re
import threading
import time

import pytest
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.sources.mysql import mysql_columns
from support.mysql_source import MysqlErp, run_mysql
from support.postgres_source import TEXT, contract_of
from support.servers.mariadb import start_mariadb

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])


@pytest.fixture
def erp(mariadb_url, tmp_path):
    run_mysql(
        mariadb_url,
        "CREATE TABLE orders (id INT PRIMARY KEY, place POINT, picture BLOB, flags BIT(3))",
        "INSERT INTO orders (id) SELECT seq FROM seq_1_to_50",
    )
    return MysqlErp(mariadb_url, tmp_path, (ORDERS,))


def refusal(erp: MysqlErp) -> CutlineError:
    with pytest.raises(CutlineError) as raised:
        erp.read()
    assert "horse" not in str(raised.value)
    return raised.value


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda url: url.replace("horse", "cow"), r"sources\.erp\.url: mysql://127\.0\.0\.1:\d+/test_\d+ cannot be reached: .*Access denied"),
        (lambda url: url + "_not", "cannot be reached"),
        (lambda url: url.replace("127.0.0.1:", "127.0.0.1:1"), "cannot be reached|not a complete"),
        (lambda url: url.replace("horse-7", "horse@7"), "not a complete MySQL URL"),
        (lambda url: url.rpartition("/")[0], "not a complete MySQL URL"),
        (lambda url: url + "?local_infile=1", "setting 'local_infile' is none that is passed on"),
    ],
)  # fmt: skip
def test_a_server_that_cannot_be_reached(erp, change, why):
    erp.url = change(erp.url)
    error = refusal(erp)
    assert isinstance(error, ConfigurationError)
    assert re.search(why, error.what), error.what


def test_tables_that_are_not_there_or_have_no_snapshot(erp):
    run_mysql(
        erp.url,
        "CREATE TABLE old_orders (id INT PRIMARY KEY) ENGINE = MyISAM",
        "CREATE VIEW open_orders AS SELECT id FROM orders",
    )
    for name, why in (
        ("order", r"there is no table 'order' that the user may see\. Did you mean 'orders'\?"),
        ("old_orders", "old_orders is of the engine MyISAM, and only tables of InnoDB have"),
        ("open_orders", "open_orders is a view"),
    ):
        erp.contracts = (contract_of(name, {"id": TEXT}, ["id"]),)
        assert re.search(why, refusal(erp).what)


@pytest.mark.parametrize(
    ("column", "kind", "why"),
    [
        ("ids", TEXT, r"lacks column 'ids'.*Did you mean 'id'"),
        ("place", TEXT, "column 'place' is point, which has no text that holds all of it"),
        ("picture", T.LongType, "column 'picture' is blob, and contract Orders declares it as bigint"),
        ("flags", T.BinaryType, r"column 'flags' is bit\(3\), and contract Orders declares it as binary"),
    ],
)  # fmt: skip
def test_columns_that_are_not_there_or_would_bend(erp, column, kind, why):
    erp.contracts = (contract_of("orders", {"id": TEXT, column: kind}, ["id"]),)
    assert re.search(why, refusal(erp).what)
    (table,) = erp.source.tables
    with pytest.raises(ConfigurationError, match=why):
        mysql_columns(erp.source.section, "erp", table, "eu")


@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        ("region = :region", "Unknown column 'region'"),
        ("id IN (", "brackets do not belong together"),
        ("id = ) OR (TRUE", "brackets do not belong together"),
        ("id LIKE", "SQL syntax"),
        ("RAND() < 0.5", "rand is none that a condition on rows may ask"),
        ("id < @limit", "@limit is none that a condition on rows may ask"),
        ("no_such_function(id)", "no_such_function"),
    ],
)
def test_a_condition_that_is_none(erp, predicate, why):
    erp.region = {"orders": predicate}
    error = refusal(erp)
    assert "sources.erp.tables.orders.region: the predicate" in error.what
    assert why in error.what


def test_a_user_without_rights(erp, mariadb_server):
    database = erp.url.rpartition("/")[2]
    mariadb_server.execute(
        "CREATE OR REPLACE USER reader@127.0.0.1 IDENTIFIED BY 'correct-horse-7'",
        f"GRANT SELECT ON `{database}`.* TO reader@127.0.0.1",
    )
    erp.url = mariadb_server.url(database, "reader")
    error = refusal(erp)
    assert (
        "tables orders could not be locked for the snapshot, because the user has no right"
        in error.what
    )
    assert error.next_step == "GRANT SELECT, LOCK TABLES on the database to the user."
    mariadb_server.execute(f"GRANT LOCK TABLES ON `{database}`.* TO reader@127.0.0.1")
    assert erp.read()["orders"].total_rows == 50


def test_a_snapshot_that_is_open_too_long(erp):
    erp.limits = {"snapshot_seconds": 1, "rows_per_second": 5}
    assert re.search(
        r"the snapshot has been open for \d+ seconds, longer than "
        r"sources\.erp\.limits\.snapshot_seconds \(1\)",
        refusal(erp).what,
    )


def test_a_query_that_takes_too_long(erp):
    run_mysql(
        erp.url,
        "CREATE FUNCTION slowly(id INT) RETURNS INT NO SQL RETURN id + SLEEP(0.02)",
    )
    erp.limits = {"statement_seconds": 0.2}
    erp.region = {"orders": "slowly(id) > 0"}
    assert "longer than sources.erp.limits.statement_seconds" in refusal(erp).what


def test_who_waits_too_long_ends_the_read(erp):
    erp.limits = {"waiting_seconds": 1, "rows_per_second": 2}
    opened = erp.open()

    def truncate() -> None:
        run_mysql(erp.url, "TRUNCATE orders")

    waiting = threading.Thread(target=truncate)
    waiting.start()
    with pytest.raises(RunFailed, match="another session has waited") as raised:
        erp.read(opened)
    assert "this read holds orders" in raised.value.what
    waiting.join()
    assert run_mysql(erp.url, "SELECT COUNT(*) FROM orders") == [(0,)]


@pytest.mark.mariadb
def test_a_server_that_goes_in_the_middle(tmp_path):
    server = start_mariadb()
    try:
        url = server.url(server.create_database())
        run_mysql(
            url,
            "CREATE TABLE orders (id INT PRIMARY KEY)",
            "INSERT INTO orders SELECT seq FROM seq_1_to_100000",
        )
        erp = MysqlErp(
            url, tmp_path, (ORDERS,), limits={"rows_per_second": 20000, "chunk_rows": 1000}
        )
        opened = erp.open()
        kill = threading.Timer(1, server.process.kill)
        kill.start()
        started = time.monotonic()
        with pytest.raises(CutlineError, match=r"mysql://127\.0\.0\.1:\d+/test_0") as raised:
            erp.read(opened)
        kill.join()
        assert time.monotonic() - started < 30
        assert "horse" not in str(raised.value)
        assert "run the same command again" in str(raised.value.next_step)
    finally:
        server.folder.close()
