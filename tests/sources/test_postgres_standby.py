"""Rows from a hot standby: what its snapshot shows, which it does not say by itself."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time

import psycopg
import pytest

from cutline.errors import ConfigurationError
from cutline.positions import PgSnapshot
from support.ports import free_port
from support.postgres_source import TEXT, Erp, answer, contract_of, rows_of, run_sql

pytestmark = pytest.mark.postgres

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])


@pytest.fixture(scope="module")
def standby(postgres_server):
    """A standby of the server: the URL of one of its databases by the primary's."""
    home = postgres_server.folder.path
    place, port, owner = home / "standby", free_port(), home.stat()
    as_user = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    subprocess.run(
        [
            postgres_server.program("pg_basebackup"),
            f"--pgdata={place}",
            f"--dbname={postgres_server.url()}",
            *("--wal-method=stream", "--write-recovery-conf", "--checkpoint=fast"),
        ],
        check=True,
        capture_output=True,
        cwd=home,
        **(as_user if os.geteuid() == 0 else {}),
    )
    settings = {"port": port, "unix_socket_directories": home, "hot_standby_feedback": "on"}
    with (home / "standby.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(postgres_server.program("postgres"), "-D", place, "--listen_addresses=127.0.0.1"),
                *("--max_replication_slots=40", "--max_wal_senders=40"),
                *(f"--{name}={value}" for name, value in settings.items()),
            ],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=home,
            **(as_user if os.geteuid() == 0 else {}),
        )
    try:
        yield lambda url: url.replace(f":{postgres_server.port}/", f":{port}/")
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(60)
        shutil.rmtree(place)


def caught_up(primary, replica):
    ((end,),) = answer(primary, "SELECT pg_current_wal_lsn()")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if answer(replica, f"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn") == [(True,)]:
                return
        except psycopg.OperationalError:
            pass
        time.sleep(0.1)
    raise AssertionError("the standby does not follow")


def test_a_standbys_snapshot_names_the_transactions_in_progress(standby, postgres_url, tmp_path):
    run_sql(
        postgres_url, "CREATE TABLE orders (id int PRIMARY KEY)", "INSERT INTO orders VALUES (1)"
    )
    replica = standby(postgres_url)
    erp = Erp(postgres_url, tmp_path, (ORDERS,), more={"replica": replica})
    with psycopg.connect(postgres_url) as straddling:
        straddling.execute("INSERT INTO orders VALUES (2)")
        (straddler,) = straddling.execute("SELECT txid_current()").fetchone()
        with psycopg.connect(postgres_url) as beside:
            beside.execute("INSERT INTO orders VALUES (3)")
            (committed,) = beside.execute("SELECT txid_current()").fetchone()
        caught_up(postgres_url, replica)
        # This is why it is asked for transaction by transaction.
        ((itself,),) = answer(replica, "SELECT pg_current_snapshot()::text")
        assert PgSnapshot.parse(itself).sees(straddler)
        opened = erp.open()
        straddling.commit()
    caught_up(postgres_url, replica)
    snapshot = PgSnapshot.parse(opened.snapshot.moment.visible)
    assert snapshot.sees(committed)
    assert not snapshot.sees(straddler)
    orders = erp.read(opened)["orders"]
    assert sorted(r["id"] for r in rows_of(orders)) == ["1", "3"]


def test_a_standby_makes_no_slot(standby, postgres_url, tmp_path):
    run_sql(postgres_url, "CREATE TABLE orders (id int PRIMARY KEY)")
    replica = standby(postgres_url)
    caught_up(postgres_url, replica)
    snapshot = {"policy": "exported-snapshot"}
    more = {"replica": replica, "changes": {"kind": "debezium", "path": "c", "snapshot": snapshot}}
    with pytest.raises(ConfigurationError, match=r"is a standby, which makes no slot"):
        Erp(postgres_url, tmp_path, (ORDERS,), more=more).open()
