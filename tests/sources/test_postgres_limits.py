"""A legacy system does not suffer: what a read may cost, and what it says where it stops."""

from __future__ import annotations

import logging
import threading
import time

import psycopg
import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.postgres import PostgresLimits
from cutline.sources.pace import ReadPace
from support.postgres_source import DELAY, TEXT, Erp, answer, contract_of, rows_of, run_sql
from support.servers.postgres import start_postgres

pytestmark = pytest.mark.postgres

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])


@pytest.fixture
def url(postgres_url):
    run_sql(
        postgres_url,
        "CREATE TABLE orders (id int PRIMARY KEY)",
        "INSERT INTO orders SELECT generate_series(1, 1000)",
        "ANALYZE orders",
        DELAY,
    )
    return postgres_url


def refused(erp, error=RunFailed):
    with pytest.raises(error) as raised:
        erp.read()
    assert "correct-horse-7" not in str(raised.value)
    return str(raised.value)


def test_a_statement_ends_at_its_limit(url, tmp_path):
    erp = Erp(url, tmp_path, (ORDERS,), {"orders": "slowly(0.01)"}, {"statement_seconds": 0.5})
    message = refused(erp)
    assert "longer than sources.erp.limits.statement_seconds" in message
    assert "Lower sources.erp.limits.chunk_rows" in message


def test_no_more_rows_a_second_than_allowed(url, tmp_path):
    limits = {"rows_per_second": 1000, "chunk_rows": 100, "connections": 3}
    erp = Erp(url, tmp_path, (ORDERS,), limits=limits)
    opened = erp.open()
    began = time.monotonic()
    orders = erp.read(opened)["orders"]
    assert time.monotonic() - began >= 0.9
    assert len(rows_of(orders)) == 1000


def test_the_pace_counts_bytes_and_rows_of_all_connections():
    now, waits = [0.0], []
    limits = PostgresLimits(rows_per_second=100, megabytes_per_second=1)
    pace = ReadPace(limits, waits.append, lambda: now[0])
    pace.after(50, 1000)
    pace.after(50, 1000)  # another connection, at the same moment
    now[0] = 10.0
    pace.after(1, 3_000_000)
    assert waits == [0.5, 1.0, 3.0]
    assert (pace.rows, pace.bytes) == (101, 3_002_000)


def test_a_snapshot_does_not_stay_open_longer_than_allowed(url, tmp_path):
    limits = {"snapshot_seconds": 1, "rows_per_second": 100, "chunk_rows": 50}
    message = refused(Erp(url, tmp_path, (ORDERS,), limits=limits))
    assert "longer than sources.erp.limits.snapshot_seconds (1)" in message
    assert answer(
        url,
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cutline' AND state <> 'idle'",
    ) == [(0,)]


def test_a_session_does_not_wait_behind_the_read_longer_than_allowed(url, tmp_path):
    limits = {"waiting_seconds": 1, "rows_per_second": 50, "chunk_rows": 50}
    erp = Erp(url, tmp_path, (ORDERS,), limits=limits)
    opened = erp.open()
    truncate = threading.Thread(target=run_sql, args=(url, "TRUNCATE orders"))
    truncate.start()
    with pytest.raises(RunFailed, match=r"waited .* seconds for a lock on "):
        erp.read(opened)
    truncate.join(10)
    assert answer(url, "SELECT count(*) FROM orders") == [(0,)]


def test_the_read_does_not_wait_for_a_lock_longer_than_allowed(url, tmp_path):
    with psycopg.connect(url) as locking:
        locking.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        message = refused(Erp(url, tmp_path, (ORDERS,), limits={"waiting_seconds": 0.3}))
    assert (
        "another session has locked a table, or waits for it, for longer than sources.erp.limits.waiting_seconds"
        in message
    )


def test_what_the_read_costs_is_logged(url, tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("cutline.sources.postgres.watch._SHOWN_SECONDS", 0)
    run_sql(url, "SELECT pg_create_logical_replication_slot('connector', 'pgoutput')")
    limits = {"rows_per_second": 400, "chunk_rows": 100}
    with caplog.at_level(logging.INFO, "cutline"):
        Erp(url, tmp_path, (ORDERS,), limits=limits, more={"slot": "connector"}).read()
    run_sql(url, "SELECT pg_drop_replication_slot('connector')")
    (shown, *_) = [r for r in caplog.records if r.message == "reading PostgreSQL"]
    assert shown.source == "erp"
    assert 0 < shown.rows < 1000
    assert shown.snapshot_seconds > 0.5
    assert shown.longest_transaction_seconds > 0
    assert shown.slot_megabytes >= 0


def test_a_slot_that_is_not_there_stops_the_read_before_it_begins(url, tmp_path):
    message = refused(Erp(url, tmp_path, (ORDERS,), more={"slot": "connector"}), ConfigurationError)
    assert "there is no replication slot 'connector'" in message


def test_a_slot_that_is_dropped_stops_the_read(url, tmp_path):
    run_sql(url, "SELECT pg_create_logical_replication_slot('connector', 'pgoutput')")
    limits = {"rows_per_second": 100, "chunk_rows": 50}
    erp = Erp(url, tmp_path, (ORDERS,), limits=limits, more={"slot": "connector"})
    opened = erp.open()
    run_sql(url, "SELECT pg_drop_replication_slot('connector')")
    with pytest.raises(ConfigurationError, match="there is no replication slot 'connector'"):
        erp.read(opened)


def test_a_slot_that_keeps_too_much_log_stops_the_read(url, tmp_path):
    run_sql(url, "SELECT pg_create_logical_replication_slot('connector', 'pgoutput')")
    limits = {"rows_per_second": 100, "chunk_rows": 50, "slot_wal_megabytes": 1}
    erp = Erp(url, tmp_path, (ORDERS,), limits=limits, more={"slot": "connector"})
    opened = erp.open()
    run_sql(url, "CREATE TABLE more AS SELECT md5(g::text) FROM generate_series(1, 40000) g")
    with pytest.raises(
        RunFailed, match=r"keeps [0-9,]+ MB of log, more than sources.erp.limits.slot_wal"
    ):
        erp.read(opened)
    run_sql(url, "SELECT pg_drop_replication_slot('connector')")


def test_a_lost_slot_is_told_by_name(tmp_path):
    """The server keeps a megabyte of log for a slot; what the connector had not read is removed."""
    server = start_postgres(max_slot_wal_keep_size="1MB")
    try:
        url = server.url(server.create_database())
        run_sql(
            url,
            "CREATE TABLE orders (id int PRIMARY KEY)",
            "SELECT pg_create_logical_replication_slot('connector', 'pgoutput')",
        )
        for number in range(3):
            run_sql(url, f"INSERT INTO orders VALUES ({number})", "SELECT pg_switch_wal()")
        server.execute("CHECKPOINT")
        erp = Erp(url, tmp_path, (ORDERS,), more={"slot": "connector"})
        message = refused(erp, ConfigurationError)
    finally:
        server.folder.close()
    assert "replication slot 'connector' is lost" in message
    assert "Drop the slot, start the connector anew" in message
