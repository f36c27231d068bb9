"""One moment for all tables: writers, locks, interrupted reads, and what a run captures."""

from __future__ import annotations

import threading
import time

import psycopg
import pytest

from cutline.errors import RunFailed
from cutline.positions import PgSnapshot
from cutline.sources.postgres.chunk_store import ChunkStore
from support.postgres_source import TEXT, Erp, answer, contract_of, rows_of, run_sql

pytestmark = pytest.mark.postgres

ORDERS = contract_of("orders", {"id": TEXT, "note": TEXT}, ["id"])


@pytest.fixture
def erp(postgres_url, tmp_path):
    run_sql(
        postgres_url,
        "CREATE TABLE orders (id int PRIMARY KEY, note text)",
        "INSERT INTO orders SELECT g, 'first' FROM generate_series(1, 1000) g",
        "ANALYZE orders",
    )
    return Erp(postgres_url, tmp_path, (ORDERS,), limits={"chunk_rows": 100})


def ids(table_read):
    return sorted(int(row["id"]) for row in rows_of(table_read))


def test_transactions_are_seen_or_not_as_the_captured_snapshot_says(erp):
    url = erp.url
    ids_of_transactions = {}
    with psycopg.connect(url) as straddling, psycopg.connect(url) as undone:
        for name, connection in (("straddling", straddling), ("undone", undone)):
            connection.execute(
                "INSERT INTO orders VALUES (%s, 'late')", [2000 if name == "straddling" else 3000]
            )
            ids_of_transactions[name] = connection.execute("SELECT txid_current()").fetchone()[0]
        with psycopg.connect(url) as early:
            early.execute("UPDATE orders SET note = 'early' WHERE id = 1")
            ids_of_transactions["early"] = early.execute("SELECT txid_current()").fetchone()[0]
        opened = erp.open()
        straddling.commit()
        undone.rollback()
        with psycopg.connect(url) as after:
            after.execute("UPDATE orders SET note = 'after' WHERE id = 2")
            after.execute("DELETE FROM orders WHERE id = 3")
            ids_of_transactions["after"] = after.execute("SELECT txid_current()").fetchone()[0]
    snapshot = PgSnapshot.parse(opened.snapshot.moment.visible)
    assert {n: snapshot.sees(x) for n, x in ids_of_transactions.items()} == {
        "early": True,
        "straddling": False,
        "undone": False,
        "after": False,
    }
    orders = erp.read(opened)["orders"]
    assert ids(orders) == list(range(1, 1001))
    notes = {int(r["id"]): r["note"] for r in rows_of(orders)}
    assert (notes[1], notes[2]) == ("early", "first")


def test_a_truncate_waits_for_the_read_and_empties_nothing(erp):
    opened = erp.open()
    done = []

    def empty():
        run_sql(erp.url, "TRUNCATE orders")
        done.append(time.monotonic())

    thread = threading.Thread(target=empty)
    thread.start()
    while not answer(erp.url, "SELECT 1 FROM pg_locks WHERE NOT granted"):
        time.sleep(0.01)
    orders = erp.read(opened)["orders"]
    assert (len(ids(orders)), orders.total_rows) == (1000, 1000)
    thread.join(20)
    assert done
    assert answer(erp.url, "SELECT count(*) FROM orders") == [(0,)]


def test_a_table_that_is_altered_or_dropped_waits_as_well(erp):
    opened = erp.open()
    for statement in ("ALTER TABLE orders DROP COLUMN note", "DROP TABLE orders"):
        with psycopg.connect(erp.url, autocommit=True) as impatient:
            impatient.execute("SET lock_timeout = '200ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                impatient.execute(statement.encode())
    assert len(ids(erp.read(opened)["orders"])) == 1000


def test_the_exported_snapshot_is_that_of_a_slots_consistent_point(erp):
    erp.more = {
        "changes": {
            "kind": "debezium",
            "path": "c.jsonl",
            "snapshot": {"policy": "exported-snapshot"},
        }
    }
    opened = erp.open()
    moment = opened.snapshot.moment
    run_sql(erp.url, "INSERT INTO orders VALUES (5000, 'after')")
    assert moment.exact
    ((before_now,),) = answer(erp.url, f"SELECT pg_current_wal_lsn() > '{moment.lsn}'::pg_lsn")
    assert before_now
    assert answer(erp.url, "SELECT count(*) FROM pg_replication_slots") == [(0,)]
    assert max(ids(erp.read(opened)["orders"])) == 1000


@pytest.fixture
def interrupted(erp, monkeypatch):
    """Interrupts a read after four chunks; gives how many are in the store."""

    def interrupt():
        complete = ChunkStore.complete

        def first_four(store, *chunk):
            if len(list((erp.folder / "chunks").glob("*.chunk.json"))) == 4:
                raise RunFailed("the process was killed")
            return complete(store, *chunk)

        with monkeypatch.context() as patched:
            patched.setattr(ChunkStore, "complete", first_four)
            with pytest.raises(RunFailed, match="killed"):
                erp.read()
        return len(list((erp.folder / "chunks").glob("*.chunk.json")))

    erp.limits = {**erp.limits, "connections": 1}
    return interrupt


def test_an_interrupted_read_goes_on_and_reads_again_only_what_has_changed(erp, interrupted):
    assert interrupted() == 4
    run_sql(erp.url, "UPDATE orders SET note = 'new' WHERE id IN (1, 1000)")
    opened = erp.open()
    orders = erp.read(opened)["orders"]
    now = opened.snapshot.moment.visible
    assert [p for p, chunk in orders.chunks.items() if chunk.visible != now] == [1, 2, 3]
    assert ids(orders) == list(range(1, 1001))
    assert [r["note"] for r in rows_of(orders)].count("new") == 2


CHANGES = {
    "an update": "UPDATE orders SET note = 'new' WHERE id = 1",
    "a deletion": "DELETE FROM orders WHERE id = 1",
    "one in and one out": "DELETE FROM orders WHERE id = 1; INSERT INTO orders VALUES (1, 'new')",
    "an update in a subtransaction": "BEGIN; SAVEPOINT s; UPDATE orders SET note = 'new' WHERE id = 1; RELEASE s; COMMIT",
    "the table written anew": "ALTER TABLE orders ALTER note TYPE varchar(40) USING note || '!'",
    "a column swapped": "ALTER TABLE orders DROP COLUMN note; ALTER TABLE orders ADD COLUMN note text DEFAULT 'new'",
    "another table of that name": "ALTER TABLE orders RENAME TO old; CREATE TABLE orders (id int PRIMARY KEY, note text); INSERT INTO orders SELECT id, 'other' FROM old",
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_has_changed_since_an_interruption_is_read_as_it_is_now(case, erp, interrupted):
    assert interrupted() == 4
    with psycopg.connect(erp.url, autocommit=True) as connection:
        connection.execute(CHANGES[case].encode())
    expected = answer(erp.url, "SELECT id::text, note FROM orders ORDER BY orders.id")
    orders = erp.read()["orders"]
    assert (
        sorted(((r["id"], r["note"]) for r in rows_of(orders)), key=lambda r: int(r[0])) == expected
    )


def test_a_transaction_that_was_open_at_the_interruption_is_not_missed(erp, interrupted):
    """Its rows carry ids of subtransactions, which no snapshot lists among those in progress."""
    with psycopg.connect(erp.url) as straddling:
        straddling.execute("SELECT txid_current()")
        with straddling.transaction():
            straddling.execute("UPDATE orders SET note = 'straddling' WHERE id <= 400")
        run_sql(erp.url, "UPDATE orders SET note = 'beside' WHERE id = 1000")
        assert interrupted() == 4
        straddling.commit()
    orders = erp.read()["orders"]
    assert [r["note"] for r in rows_of(orders)].count("straddling") == 400


def test_nothing_is_left_of_a_store_that_was_removed(tmp_path):
    store = ChunkStore(str(tmp_path / "chunks"))
    store.remember_bounds("bounds", [["1"]])
    assert store.bounds("bounds") == [["1"]]
    store.remove()
    assert not (tmp_path / "chunks").exists()
    store.remove()
