"""Values of every type of MySQL, written by SQL: they arrive as they are, or are put aside by name."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as T

from cutline.sources.rows import snapshot_changes
from support.mysql_source import MysqlErp, mysql_connection, mysql_rows, run_mysql
from support.postgres_source import TEXT, contract_of

EXTRACT_TIME = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
LABELS = ["a", "b c", "é", "😀"]
plain = st.text(st.characters(exclude_categories=("Cs",)), max_size=12).map(
    lambda t: t.replace("\0", "0")
)
single = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)
double = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
day_of_9999 = st.dates(dt.date(1, 1, 1)).map(str)
hours = st.tuples(st.sampled_from(["", "-"]), st.integers(0, 838), st.integers(0, 59), st.integers(0, 58), st.integers(0, 999999)).map(
    lambda t: f"{t[0]}{t[1]:02d}:{t[2]:02d}:{t[3]:02d}.{t[4]:06d}"
)  # fmt: skip


def decimals(digits: int, places: int) -> st.SearchStrategy[Decimal]:
    return st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda n: Decimal(f"{n}e-{places}"))


VALUES: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "tiny": ("TINYINT", st.integers(-128, 127)),
    "medium": ("MEDIUMINT UNSIGNED", st.integers(0, 2**24 - 1)),
    "big": ("BIGINT", st.integers(-(2**63), 2**63 - 1)),
    "huge": ("BIGINT UNSIGNED", st.integers(0, 2**64 - 1)),
    "exact_": ("DECIMAL(65,30)", decimals(65, 30)),
    "cents": ("DECIMAL(12,2)", decimals(12, 2)),
    "single_": ("FLOAT", single),
    "double_": ("DOUBLE", double),
    "bits": ("BIT(64)", st.integers(0, 2**64 - 1)),
    "year_": ("YEAR", st.integers(1901, 2155)),
    "day": ("DATE", day_of_9999),
    "moment": ("DATETIME(6)", st.datetimes(dt.datetime(1, 1, 1)).map(lambda d: f"{d:%H:%M:%S.%f}").flatmap(lambda t: day_of_9999.map(lambda d: f"{d} {t}"))),
    "stamp": ("TIMESTAMP(6) NULL", st.datetimes(dt.datetime(1971, 1, 1), dt.datetime(2037, 1, 1)).map(lambda d: f"{d:%Y-%m-%d %H:%M:%S.%f}")),
    "time_": ("TIME(6)", hours),
    "words": ("VARCHAR(60)", plain),
    "latin": ("VARCHAR(60) CHARACTER SET latin1", st.text("aé\xff€'\\\"", max_size=9)),
    "long_": ("LONGTEXT", plain),
    "label": ("ENUM('a','b c','é','😀')", st.sampled_from(LABELS)),
    "labels": ("SET('a','b c','é','😀')", st.lists(st.sampled_from(LABELS), unique=True).map(lambda p: ",".join(sorted(p, key=LABELS.index)))),
    "json_": ("JSON", st.sampled_from(['{"a": 1.10}', "[1,  2]", '"é"', "null", "1e400"])),
    "raw": ("VARBINARY(60)", st.binary(max_size=12)),
    "blob_": ("LONGBLOB", st.binary(max_size=12)),
}  # fmt: skip
"""By column its type, and values as Python has them or as the server shows them."""


@pytest.mark.mariadb
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rows=st.lists(
        st.fixed_dictionaries({n: st.none() | v for n, (_, v) in VALUES.items()}),
        min_size=20,
        max_size=60,
    )
)
def test_what_is_written_arrives(rows, mariadb_url, tmp_path):
    columns = ", ".join(f"{n} {kind}" for n, (kind, _) in VALUES.items())
    run_mysql(
        mariadb_url,
        "DROP TABLE IF EXISTS every_type",
        f"CREATE TABLE every_type (id INT PRIMARY KEY, {columns})",
    )
    with mysql_connection(mariadb_url) as connection, connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")
        marks = ", ".join("%s" for _ in VALUES)
        for number, row in enumerate(rows):
            values = [row[name] for name in VALUES]
            written = [repr(v) if isinstance(v, float) else v for v in values]
            cursor.execute(f"INSERT INTO every_type VALUES ({number}, {marks})", written)
    contract = contract_of(
        "every_type",
        {"id": TEXT, **dict.fromkeys(VALUES, TEXT), "raw": T.BinaryType, "blob_": T.BinaryType},
        ["id"],
    )
    (read,) = MysqlErp(mariadb_url, tmp_path, (contract,)).read().values()
    for row, arrived in zip(
        rows, sorted(mysql_rows(read), key=lambda r: int(r["id"])), strict=True
    ):
        for name, value in row.items():
            assert _meaning(name, arrived[name]) == value, name


def _meaning(name: str, text: Any) -> Any:
    if text is None or isinstance(text, bytes):
        return text
    kind = VALUES[name][0].partition("(")[0].split()[0]
    if kind in ("TINYINT", "MEDIUMINT", "BIGINT", "BIT", "YEAR"):
        return int(text)
    if kind == "DECIMAL":
        return Decimal(text)
    if kind == "DOUBLE":
        return float(text)
    if kind == "FLOAT":
        exact = float(text)
        assert struct.unpack("f", struct.pack("f", exact))[0] == exact
        return exact
    return text


ODD = {
    "zero_day": ("DATE", T.DateType, "'0000-00-00'"),
    "half_day": ("DATE", T.DateType, "'2026-02-00'"),
    "zero_moment": ("DATETIME", T.TimestampType, "'0000-00-00 00:00:00'"),
    "zero_stamp": ("TIMESTAMP NULL", T.TimestampType, "0"),
    "too_big": ("BIGINT UNSIGNED", T.LongType, "18446744073709551615"),
    "too_fine": ("DECIMAL(20,10)", Annotated[T.DecimalType, 12, 2], "1.0000000001"),
    "no_flag": ("TINYINT(1)", T.BooleanType, "2"),
    "no_text": ("BLOB", T.StringType, "X'FF00'"),
}
"""Values that the contract's type cannot hold."""
SOUND = {
    "flag": ("TINYINT(1)", T.BooleanType, "1", True),
    "bit_flag": ("BIT(1)", T.BooleanType, "b'1'", True),
    "amount": ("DECIMAL(20,10)", Annotated[T.DecimalType, 12, 2], "1.10", Decimal("1.10")),
    "day": ("DATE", T.DateType, "'1582-10-10'", dt.date(1582, 10, 10)),
    "moment": ("DATETIME(6)", T.TimestampNTZType, "'2026-05-01 12:00:00.000001'", dt.datetime(2026, 5, 1, 12, 0, 0, 1)),
    "real_": ("FLOAT", T.FloatType, "16777217", 16777216.0),
    "single_in_double": ("FLOAT", T.DoubleType, "0.1", 0.10000000149011612),
    "of_blob": ("BLOB", T.StringType, "'é'", "é"),
    "raw": ("BLOB", T.BinaryType, "X'FF00'", bytearray(b"\xff\x00")),
    "zero_as_text": ("DATE", T.StringType, "'0000-00-00'", "0000-00-00"),
    "padded": ("CHAR(5)", T.StringType, "'a '", "a"),
}  # fmt: skip


def test_what_a_contract_cannot_hold_is_put_aside_by_name(spark, mariadb_url, tmp_path):
    columns = {n: c[:3] for n, c in {**ODD, **SOUND}.items()}
    run_mysql(
        mariadb_url,
        f"CREATE TABLE odd (id INT PRIMARY KEY, {', '.join(f'{n} {c[0]}' for n, c in columns.items())})",
        "SET sql_mode = ''",
        f"INSERT INTO odd VALUES (1, {', '.join(c[2] for c in columns.values())})",
    )
    contract = contract_of("odd", {"id": TEXT, **{n: c[1] for n, c in columns.items()}}, ["id"])
    erp = MysqlErp(mariadb_url, tmp_path, (contract,))
    tables = erp.source.tables
    raw = erp.open().raw_rows(spark, tables, "eu", str(tmp_path / "rows"), lambda t: t.name)["odd"]
    changes = snapshot_changes(raw.frame, tables[0], None, position="0", extract_time=EXTRACT_TIME)
    (row,) = changes.select("after.*", "defects").collect()
    assert sorted(row["defects"]) == sorted(f"wrong-type:{name}" for name in ODD)
    assert {n: row[n] for n in SOUND} == {n: c[3] for n, c in SOUND.items()}
    assert all(row[n] is None for n in ODD)
