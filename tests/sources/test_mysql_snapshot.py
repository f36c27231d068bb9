"""All sessions see the tables as of one moment, while others write; and nothing takes them away."""

from __future__ import annotations

import contextlib
import threading
import time

import pymysql
import pytest

from cutline.errors import RunFailed
from cutline.sources.mysql.database import MysqlDatabase
from cutline.sources.mysql.snapshot import log_end
from support.mysql_source import MysqlErp, mysql_connection, mysql_rows, run_mysql
from support.postgres_source import TEXT, contract_of

COLUMNS = {"id": TEXT, "amount": TEXT}
LEFT, RIGHT = (contract_of(name, COLUMNS, ["id"]) for name in ("left_side", "right_side"))


@pytest.fixture
def sides(mariadb_url, tmp_path):
    """Two tables whose amounts are zero together, whenever nobody is within a transaction."""
    for name in ("left_side", "right_side"):
        run_mysql(
            mariadb_url,
            f"CREATE TABLE {name} (id INT PRIMARY KEY, amount INT)",
            f"INSERT INTO {name} SELECT seq, 0 FROM seq_1_to_50",
        )
    limits = {"connections": 3, "chunk_rows": 10, "waiting_seconds": 20}
    return MysqlErp(mariadb_url, tmp_path, (LEFT, RIGHT), limits=limits)


def test_transfers_that_run_meanwhile_are_whole_or_not_there(sides):
    ended = threading.Event()
    transfers = [0]

    def transfer(number: int) -> None:
        with mysql_connection(sides.url) as connection, connection.cursor() as cursor:
            while not ended.is_set():
                with contextlib.suppress(pymysql.OperationalError):  # a deadlock
                    row = 1 + (transfers[0] * 7 + number) % 50
                    cursor.execute("BEGIN")
                    cursor.execute(f"UPDATE left_side SET amount = amount - 1 WHERE id = {row}")
                    cursor.execute(
                        f"UPDATE right_side SET amount = amount + 1 WHERE id = {51 - row}"
                    )
                    cursor.execute("COMMIT")
                    transfers[0] += 1

    writers = [threading.Thread(target=transfer, args=[n]) for n in range(2)]
    for writer in writers:
        writer.start()
    try:
        right_totals = []
        for _ in range(4):
            opened = sides.open()
            before = transfers[0]
            while transfers[0] < before + 5:
                time.sleep(0.01)
            reads = sides.read(opened)
            total = {
                n: sum(int(r["amount"]) for r in mysql_rows(read)) for n, read in reads.items()
            }
            assert total["left_side"] + total["right_side"] == 0
            right_totals.append(total["right_side"])
    finally:
        ended.set()
        for writer in writers:
            writer.join()
    assert right_totals == sorted(right_totals)
    assert right_totals[-1] > right_totals[0]


def test_a_truncate_waits_until_the_read_has_ended(sides):
    opened = sides.open()
    with mysql_connection(sides.url) as truncating, truncating.cursor() as cursor:
        cursor.execute("SET lock_wait_timeout = 1")
        for statement in ("TRUNCATE left_side", "ALTER TABLE right_side ADD COLUMN more INT"):
            with pytest.raises(pymysql.OperationalError, match="Lock wait timeout"):
                cursor.execute(statement)
        reads = sides.read(opened)
        assert [len(mysql_rows(read)) for read in reads.values()] == [50, 50]
        cursor.execute("TRUNCATE left_side")


def test_who_writes_first_is_waited_for_and_never_long(sides):
    sides.limits = {"waiting_seconds": 0.5}
    with mysql_connection(sides.url) as writing, writing.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE left_side SET amount = 1 WHERE id = 1")
        with pytest.raises(
            RunFailed, match=r"left_side, right_side could not be locked for the snapshot"
        ) as raised:
            sides.open()
        assert "sources.erp.limits.waiting_seconds" in str(raised.value)
        cursor.execute("COMMIT")
    sides.open().close()


def test_the_end_of_the_log_by_the_statement_of_every_server(mariadb_url, mariadb_server, sides):
    with contextlib.closing(
        MysqlDatabase.at(sides.source.section.url, "sources.erp.url").session()
    ) as session:
        (file, byte, *_), *_ = mariadb_server.execute("SHOW MASTER STATUS")
        assert log_end(session) == (file, byte)
