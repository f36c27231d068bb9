"""The cut under load: whoever writes while a snapshot is read, each committed change is announced once.

Long transactions straddle the snapshots, and database, broker and connector are killed between them.
`CUTLINE_SEEDS` is how many workloads are tried.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.positions import PgSnapshot
from support.servers.connect import ConnectWorker, start_connect
from support.servers.debezium import Connector, Debezium
from support.servers.kafka import KafkaBroker, start_kafka
from support.servers.postgres import PostgresServer, start_postgres
from support.under_load import (
    EXPORTED,
    SALES,
    SHELVES,
    VISIBLE,
    LoadedSources,
    expected_orders,
    expected_states,
    expected_stock,
)
from support.workload import Workload, create_tables, stored
from support.workload.writer import Pace

pytestmark = [pytest.mark.debezium, pytest.mark.postgres, pytest.mark.slow]

SEEDS = range(1, int(os.environ.get("CUTLINE_SEEDS", "1")) + 1)
PACE = Pace(between=0.03, long=2.0)
"""A writer is within a long transaction most of the time."""


@dataclass
class Servers:
    """Servers that a test may kill."""

    postgres: PostgresServer
    kafka: KafkaBroker
    connect: ConnectWorker

    def connector(self, database: str) -> Connector:
        """A connector that streams, and soon goes on where its database was away."""
        return Debezium(self.connect, self.postgres, database).connector(
            [f"public.{table}" for table in ("orders", "stock")],
            snapshot_mode="no_data",
            decimal_handling_mode="string",
            time_precision_mode="isostring",
            retriable_restart_connector_wait_ms="500",
        )

    def kill_database(self, workload: Workload, connector: Connector) -> None:
        self.postgres.process.kill()
        self.postgres.process.start()
        workload.rest()
        connector.restart()
        workload.go_on()

    def kill_broker(self, workload: Workload) -> None:
        self.kafka.process.kill()
        self._miss(workload)
        self.kafka.process.start()
        workload.go_on()

    def kill_connector(self, workload: Workload, connector: Connector) -> None:
        self.connect.process.kill()
        self._miss(workload)
        self.connect.start_again()
        connector.wait_until_streaming()
        workload.go_on()

    def _miss(self, workload: Workload) -> None:
        """The writers go on for a while without a server, however long its start takes."""
        workload.wait_for_commits(len(workload.commits) + 5)
        workload.rest()


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        postgres = start_postgres()
        stack.callback(postgres.folder.close)
        kafka = start_kafka()
        stack.callback(kafka.folder.close)
        connect = start_connect(kafka)
        stack.callback(connect.folder.close)
        yield Servers(postgres, kafka, connect)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_committed_change_is_announced_once(
    spark: SparkSession, tmp_path: Path, servers: Servers, seed: int
) -> None:
    full = seed % 2 == 0
    policies = dict(
        zip((SALES, SHELVES), (EXPORTED, VISIBLE) if full else (VISIBLE, EXPORTED), strict=True)
    )
    database = servers.postgres.create_database()
    url = servers.postgres.url(database)
    create_tables(url, "FULL" if full else "DEFAULT")
    connector = servers.connector(database)
    sources = LoadedSources(spark, tmp_path, policies, connector, full=full)
    straddled: set[int] = set()
    with Workload(url, seed, writers=4, transactions=1_000, pace=PACE) as workload:

        def write(commits: int) -> None:
            workload.wait_for_commits(len(workload.commits) + commits)

        def read(source: str) -> PgSnapshot:
            # A slot waits for transactions that are open: it would wait for ever.
            if policies[source] != VISIBLE:
                return sources.read_snapshot(source)
            with workload.straddled() as straddling:
                snapshot = sources.read_snapshot(source)
            # Not all of them are in `xip`: the newest may be behind all that has ended.
            assert not [xid for xid in straddling if snapshot.sees(xid)]
            straddled.update(straddling)
            return snapshot

        write(20)
        servers.kill_database(workload, connector)
        write(20)
        sales = read(SALES)
        servers.kill_broker(workload)
        write(10)
        shelves = read(SHELVES)
        write(10)
        servers.kill_connector(workload, connector)
        write(10)
    connector.wait_until_caught_up()
    committed = {commit.xid for commit in workload.commits}
    # Somebody had written before the snapshot, and committed after it.
    assert straddled
    assert straddled <= committed, workload.interrupted
    visible = [{x for x in committed if snapshot.sees(x)} for snapshot in (sales, shelves)]
    assert visible[0] < visible[1] < committed
    sources.finish()
    orders = expected_orders(workload.commits, visible[0])
    assert sources.history() == orders | expected_stock(workload.commits, visible[1])
    assert sources.states() == expected_states(stored(url))
    certificate = sources.certificate()
    for code in ("O1", "O2", "O3", "O4", "O5", "O8"):
        assert certificate[code] == {"proven"}, code
    ends = sources.ends()
    assert ends["visible-in-snapshot: committed-before-the-snapshot"]
    assert not [end for end in ends if end.startswith(("quarantined", "ambiguous"))]
