"""What is wrong with a database, and what the error says; never a secret."""

from __future__ import annotations

import threading
import time

import psycopg
import pytest
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.sources.postgres import table_columns
from cutline.sources.postgres.chunk_reader import ChunkReader
from support.postgres_source import TEXT, Erp, contract_of, rows_of, run_sql

pytestmark = pytest.mark.postgres

ORDERS = contract_of("orders", {"id": TEXT, "note": TEXT}, ["id"])
SLOW = {"rows_per_second": 200, "chunk_rows": 100, "connections": 2}


@pytest.fixture
def erp(postgres_url, tmp_path):
    run_sql(
        postgres_url,
        "CREATE TABLE orders (id int PRIMARY KEY, note text)",
        "INSERT INTO orders SELECT g, 'first' FROM generate_series(1, 1000) g",
        "ANALYZE orders",
    )
    return Erp(postgres_url, tmp_path, (ORDERS,))


def columns_of(erp):
    source = erp.source
    return table_columns(source.section, "erp", source.tables[0], "eu")


def refused(error: type[CutlineError], action) -> str:
    with pytest.raises(error) as raised:
        action()
    text = str(raised.value)
    assert "correct-horse-7" not in text
    assert "wrong-horse" not in text
    return text


def test_wrong_credentials(erp):
    erp.url = erp.url.replace("correct-horse-7", "wrong-horse")
    text = refused(ConfigurationError, erp.open)
    assert text.startswith("sources.erp.url: postgresql://127.0.0.1:")
    assert "password authentication failed" in text


def test_a_server_that_does_not_answer(erp):
    erp.url = "postgresql://cutline:correct-horse-7@127.0.0.1:1/postgres"
    assert "sources.erp.url: postgresql://127.0.0.1:1/postgres cannot be reached" in refused(
        ConfigurationError, erp.open
    )


def test_a_url_that_is_incomplete(erp):
    erp.url = "postgresql://cutline:correct@horse-7@127.0.0.1/postgres"
    assert "sources.erp.url is not a complete PostgreSQL URL" in refused(
        ConfigurationError, erp.open
    )


def test_a_table_that_is_not_there(erp):
    run_sql(erp.url, "ALTER TABLE orders RENAME TO order_s")
    text = refused(ConfigurationError, erp.open)
    assert "there is no table 'orders' in schema 'public'. Did you mean 'order_s'?" in text


def test_a_column_that_is_not_there(erp):
    run_sql(erp.url, "ALTER TABLE orders RENAME note TO notes")
    text = refused(ConfigurationError, lambda: columns_of(erp))
    assert "table erp.orders lacks column 'note'" in text
    assert "Did you mean 'notes'?" in text
    assert "lacks column 'note'" in refused(ConfigurationError, erp.read)


def test_bytes_of_a_column_that_holds_none(erp):
    erp.contracts = (contract_of("orders", {"id": TEXT, "note": T.BinaryType}, ["id"]),)
    assert "column 'note' is text, and contract Orders declares it as binary" in refused(
        ConfigurationError, lambda: columns_of(erp)
    )


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("REVOKE ALL ON orders FROM reader", "GRANT SELECT on the table"),
        ("ALTER TABLE orders ENABLE ROW LEVEL SECURITY", "BYPASSRLS"),
    ],
)
def test_no_right_to_a_table_or_to_all_of_its_rows(statement, advice, erp, postgres_server):
    run_sql(
        erp.url,
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'wrong-horse'",
        "GRANT SELECT ON orders TO reader",
        statement,
    )
    owner = erp.url
    try:
        erp.url = owner.replace("cutline:correct-horse-7", "reader:wrong-horse")
        for action in (erp.read, lambda: columns_of(erp)):
            text = refused(ConfigurationError, action)
            assert "because the user has no right to" in text
            assert advice in text
    finally:
        run_sql(owner, "DROP OWNED BY reader", "DROP ROLE reader")


@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        ("id >", "syntax error"),
        ("nothing = 1", 'column "nothing" does not exist'),
        ("id = 1); DROP TABLE orders; --", "its brackets do not belong together"),
        ("id = 1) OR (true", "its brackets do not belong together"),
        ("note < now()::text", "now is none that a condition on rows may ask"),
        ("random() < 0.5", "random is none that a condition on rows may ask"),
        ("note", "argument of WHERE must be type boolean"),
    ],
)
def test_a_predicate_that_is_none(predicate, why, erp):
    erp.region = {"orders": predicate}
    for action in (erp.read, lambda: columns_of(erp)):
        text = refused(ConfigurationError, action)
        assert "sources.erp.tables.orders.region: the predicate" in text
        assert why in text


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE MATERIALIZED VIEW orders AS SELECT * FROM old", "a materialized view"),
        ("CREATE FOREIGN TABLE orders (id int, note text) SERVER far", "a foreign table"),
    ],
)
def test_what_no_lock_holds_still(statement, kind, erp):
    run_sql(
        erp.url,
        "ALTER TABLE orders RENAME TO old",
        "CREATE FOREIGN DATA WRAPPER none",
        "CREATE SERVER far FOREIGN DATA WRAPPER none",
        statement,
    )
    assert f"public.orders is {kind}, which no lock holds still" in refused(
        ConfigurationError, erp.open
    )


def test_a_view_is_read_and_what_is_beneath_it_locked(erp):
    run_sql(erp.url, "ALTER TABLE orders RENAME TO old", "CREATE VIEW orders AS SELECT * FROM old")
    opened = erp.open()
    with psycopg.connect(erp.url) as impatient:
        impatient.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            impatient.execute("TRUNCATE old")
    assert len(rows_of(erp.read(opened)["orders"])) == 1000


def test_a_connection_that_is_lost_is_replaced_under_the_same_snapshot(erp, monkeypatch):
    erp.limits = {"chunk_rows": 100, "connections": 2}
    read, lost = ChunkReader.read, []

    def lose_first(reader, *chunk):
        if not lost:
            lost.append(reader)
            (process,) = reader.numbers("SELECT pg_backend_pid()")
            run_sql(erp.url, f"SELECT pg_terminate_backend({process})")
        return read(reader, *chunk)

    monkeypatch.setattr(ChunkReader, "read", lose_first)
    orders = erp.read()["orders"]
    assert lost
    assert sorted(int(r["id"]) for r in rows_of(orders)) == list(range(1, 1001))


def test_the_server_gone_in_the_middle_of_a_read(erp):
    erp.limits = SLOW
    opened = erp.open()
    began = time.monotonic()
    everyone = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cutline'"
    )
    pace_after = []

    stop = threading.Timer(0.7, lambda: pace_after.append(run_sql(erp.url, everyone)))
    stop.start()
    text = refused(RunFailed, lambda: erp.read(opened))
    assert time.monotonic() - began < 20
    assert "parts that were read whole, and have not changed since, are not read twice" in text
    assert len(rows_of(erp.read()["orders"])) == 1000
