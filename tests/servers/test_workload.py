"""The writers do all that they promise, and know what they have committed."""

from __future__ import annotations

import json
from collections import Counter

import psycopg
import pytest

from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import start_postgres
from support.workload import Change, Workload, create_tables, stored
from support.workload.writer import Pace

pytestmark = pytest.mark.postgres

QUICK = Pace(between=0.002, long=0.1)


def renamed(change: Change) -> bool:
    _, before, after = change
    return bool(before and after and before.get("order_no") != after.get("order_no"))


def test_at_rest_the_database_holds_what_was_committed(postgres_url: str) -> None:
    create_tables(postgres_url)
    with Workload(postgres_url, seed=1, writers=3, transactions=60, pace=QUICK) as workload:
        workload.wait_for_commits(40)
        workload.rest()
        at_rest = stored(postgres_url)
        assert at_rest == workload.expected()
        workload.go_on()
        workload.finish()
    assert stored(postgres_url) == workload.expected() != at_rest


def test_everything_happens_that_a_cut_may_stumble_at(postgres_url: str) -> None:
    create_tables(postgres_url)
    with Workload(postgres_url, seed=2, writers=3, transactions=80, pace=QUICK) as workload:
        workload.finish()
    changes = [change for commit in workload.commits for change in commit.changes]
    assert any(after is None for _, _, after in changes)
    assert any(map(renamed, changes))
    assert any(before == after for _, before, after in changes)
    assert any(
        before and after and before["document"] and after["document"] == before["document"]
        for table, before, after in changes
        if table == "orders"
    )
    assert max(len(commit.changes) for commit in workload.commits) >= 6
    assert all(writer.rolled_back for writer in workload.writers)
    # Documents are stored out of line.
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute(
            "SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE relname = 'orders'"
        ).fetchone()
    assert row == (True,)


def test_one_seed_gives_one_end(postgres_url: str) -> None:
    ends = []
    for _ in range(2):
        with psycopg.connect(postgres_url) as connection:
            connection.execute("DROP TABLE IF EXISTS orders, order_lines, stock, writers")
        create_tables(postgres_url)
        with Workload(postgres_url, seed=3, writers=2, transactions=30, pace=QUICK) as workload:
            workload.finish()
        ends.append(workload.expected())
    assert ends[0] == ends[1]


def test_a_snapshot_in_the_middle_does_not_see_who_commits_late(postgres_url: str) -> None:
    create_tables(postgres_url)
    pace = Pace(between=0.002, long=0.6)
    with Workload(postgres_url, seed=4, writers=4, transactions=25, pace=pace) as workload:
        workload.wait_until_straddling()
        with psycopg.connect(postgres_url) as connection:
            row = connection.execute(
                "SELECT array(SELECT pg_snapshot_xip(s)::text::bigint), pg_snapshot_xmax(s)::text"
                "::bigint FROM pg_current_snapshot() s"
            ).fetchone()
        assert row is not None
        open_then, highest = row
        workload.finish()
    committed = {commit.xid for commit in workload.commits}
    assert committed & set(open_then)
    assert {xid for xid in committed if xid < highest} - set(open_then)


def test_a_server_that_is_killed_in_the_middle_loses_nothing_that_was_committed() -> None:
    server = start_postgres()
    try:
        url = server.url()
        create_tables(url)
        with Workload(url, seed=5, writers=3, transactions=60, pace=QUICK) as workload:
            for commits in (20, 50, 80, 110):
                workload.wait_for_commits(commits)
                server.process.kill()
                server.process.start()
            workload.finish()
        assert stored(url) == workload.expected()
        assert len(workload.commits) > 100
    finally:
        server.folder.close()


def test_debezium_tells_each_committed_change_once(
    debezium: Debezium, kafka_broker: KafkaBroker, postgres_url: str
) -> None:
    create_tables(postgres_url, "FULL")
    connector = debezium.connector(snapshot_mode="no_data", topic_creation_default_partitions="2")
    with Workload(postgres_url, seed=6, writers=3, transactions=40, pace=QUICK) as workload:
        workload.finish()
    connector.wait_until_caught_up()
    written = Counter(
        (change.table, *step)
        for commit in workload.commits
        for change in commit.changes
        for step in steps(change)
    )
    captured: Counter[tuple[str, str, str]] = Counter()
    for table, key in (("orders", "order_no"), ("order_lines", "order_no"), ("stock", "sku")):
        for message in kafka_broker.read(connector.topic(table)):
            # A tombstone follows each deletion.
            if (value := message.value()) is not None:
                change = json.loads(value)
                captured[table, change["op"], (change["after"] or change["before"])[key]] += 1
    assert captured == written


def steps(change: Change) -> list[tuple[str, str]]:
    """What Debezium tells of a change, with the order or article: of a new key two things."""
    _, before, after = change
    old, new = (row and row.get("order_no", row.get("sku")) for row in (before, after))
    if old == new:
        return [("u", str(new))]
    return [(op, str(key)) for op, key in (("d", old), ("c", new)) if key is not None]
