"""A MySQL table is read in ranges of its key: every row is in one of them, whatever the key."""

from __future__ import annotations

import pytest

from cutline.sources.mysql import MysqlMoment
from support.mysql_source import MysqlErp, mysql_rows, run_mysql
from support.postgres_source import TEXT, contract_of

N = 40
WORDS = "ELT(1 + seq % 7, 'a', 'B', 'ä', 'Z', 'é', '\\'', '\\\\')"
KEYS = {
    "holes": ("id BIGINT PRIMARY KEY", "CAST(seq * seq AS SIGNED) * 1000 - 9223372036854775807"),
    "unsigned_": ("id BIGINT UNSIGNED PRIMARY KEY", "18446744073709551615 - seq * 3"),
    "exact_": ("id DECIMAL(30,9) PRIMARY KEY", "(CAST(seq AS SIGNED) - 20) * 1.000000001"),
    "words": ("id VARCHAR(20) COLLATE utf8mb4_unicode_ci PRIMARY KEY", f"CONCAT({WORDS}, seq)"),
    "latin": ("id VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY", "CONCAT('ÿ', seq, 'é')"),
    "bytes_": ("id VARBINARY(20) PRIMARY KEY", "UNHEX(MD5(seq))"),
    "moments": ("id DATETIME(6) PRIMARY KEY", "'2026-01-01' + INTERVAL seq * 7 MICROSECOND"),
    "stamps": ("id TIMESTAMP(6) PRIMARY KEY", "'2026-03-29 00:00' + INTERVAL seq * 7 MINUTE"),
    "uuids": ("id UUID PRIMARY KEY", "UUID()"),
    "unique_": ("id INT NOT NULL, UNIQUE (id)", "seq"),
    "nullable": ("id INT NULL, UNIQUE (id)", "NULLIF(seq, 3)"),
    "keyless": ("id INT", "seq % 3"),
    "reals": ("id DOUBLE PRIMARY KEY", "seq / 3"),
}
ONE_RANGE = {"nullable", "keyless", "reals"}
"""Tables without a key whose values can stand in a query as they are compared."""


@pytest.fixture
def every_key(mariadb_url, tmp_path):
    statements = []
    for name, (column, value) in KEYS.items():
        statements += [
            f"CREATE TABLE {name} ({column}, n INT)",
            f"INSERT INTO {name} SELECT {value}, seq FROM seq_1_to_{N}",
        ]
    run_mysql(mariadb_url, "SET time_zone = '+00:00'", *statements)
    contracts = tuple(contract_of(name, {"n": TEXT}, ["n"]) for name in KEYS)
    return MysqlErp(mariadb_url, tmp_path, contracts, limits={"chunk_rows": 7})


def test_ranges_leave_no_gap_and_no_overlap(every_key):
    for name, read in every_key.read().items():
        numbers = sorted(int(row["n"]) for row in mysql_rows(read))
        assert numbers == list(range(1, N + 1)), name
        assert read.total_rows == sum(read.rows.values()) == N
        assert len(read.conditions) == (1 if name in ONE_RANGE else 6), name


def test_a_key_of_several_columns(mariadb_url, tmp_path):
    run_mysql(
        mariadb_url,
        "CREATE TABLE parts (a VARCHAR(5), b INT, c INT, n INT, PRIMARY KEY (a, b, c))",
        "INSERT INTO parts SELECT ELT(1 + seq % 3, 'x', 'y', 'Y2'), CAST(seq % 4 AS SIGNED) - 2, seq, seq FROM seq_1_to_60",
    )
    (read,) = (
        MysqlErp(
            mariadb_url,
            tmp_path,
            (contract_of("parts", {"n": TEXT}, ["n"]),),
            limits={"chunk_rows": 9},
        )
        .read()
        .values()
    )
    assert sorted(int(row["n"]) for row in mysql_rows(read)) == list(range(1, 61))
    assert len(read.conditions) == 7
    assert read.conditions[1].count("`a` = ") == 2


def test_a_slice_and_what_is_beside_it(mariadb_url, tmp_path):
    run_mysql(
        mariadb_url,
        "CREATE TABLE sites (id INT PRIMARY KEY, region VARCHAR(9))",
        "INSERT INTO sites VALUES (1, 'eu'), (2, 'us')",
        "CREATE TABLE orders (id INT PRIMARY KEY, site INT, note TEXT)",
        "INSERT INTO orders SELECT seq, NULLIF(1 + seq % 3, 3), 'it''s :region' FROM seq_1_to_30",
    )
    orders = contract_of("orders", {"id": TEXT, "note": TEXT}, ["id"])
    where = (
        'site IN (SELECT id FROM sites WHERE region = :region) AND note <> ":region" -- of a slice'
    )
    erp = MysqlErp(mariadb_url, tmp_path, (orders,), {"orders": where}, {"chunk_rows": 4})
    opened = erp.open()
    assert opened.snapshot.locked == ("orders", "sites")
    (read,) = erp.read(opened).values()
    rows = mysql_rows(read)
    assert {int(row["id"]) % 3 for row in rows} == {0}
    assert {row["note"] for row in rows} == {"it's :region"}
    assert (read.total_rows, len(rows), read.rows_of_others) == (30, 10, 20)


def test_the_position_tells_the_place_in_the_log(mariadb_url, mariadb_server, tmp_path):
    run_mysql(mariadb_url, "CREATE TABLE orders (id INT PRIMARY KEY)")
    erp = MysqlErp(mariadb_url, tmp_path, (contract_of("orders", {"id": TEXT}, ["id"]),))
    (file, byte, *_), *_ = mariadb_server.execute("SHOW MASTER STATUS")
    opened = erp.open()
    opened.close()
    moment = MysqlMoment.parse(opened.position)
    assert moment.log == f"{file}:{byte}"
    assert moment.database == mariadb_url.rpartition("/")[2]
    assert MysqlMoment.parse(moment.text) == moment
