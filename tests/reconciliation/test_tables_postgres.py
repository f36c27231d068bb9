"""PostgreSQL as a side of a comparison: exact, read-only, and its password never shown."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline_reconciliation.compare import compare
from cutline_reconciliation.compare.tables import fetch, place
from support.side_tables import Desk, rows, typed

pytestmark = pytest.mark.postgres
HUGE = "12345678901234567890123456789012345678901234567890.5"
SETUP = f"""
CREATE SCHEMA sales;
CREATE TYPE mood AS ENUM ('glad');
CREATE TABLE sales.orders (
  id bigint, total numeric(12,2), free numeric, huge numeric, price double precision, small real,
  at timestamptz, local_at timestamp, day date, raw bytea, ok boolean, note text,
  doc json, docb jsonb, tags text[], sums numeric[], feels mood, who uuid
);
INSERT INTO sales.orders VALUES
  (9007199254740993, 1.10, 1.10, {HUGE}0, 0.1, 0.1, '2026-01-01 10:00:00.123456+13:45',
   '2026-01-01 10:00:00', '2026-01-01', '\\xdeadbeef00', true, E'a,"b"\\nc\\\\',
   '{{"b": 1.10, "a": [1, null]}}', '{{"b": 1.10, "a": [1, null]}}', '{{a,NULL,"c,d"}}',
   '{{1.10,12345678901234567890.123}}', 'glad', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
  (2, NULL, 0.25, 7, 'NaN', '-Infinity', NULL, NULL, NULL, '', false, '',
   NULL, NULL, '{{}}', NULL, NULL, NULL);
CREATE TABLE public."Odd.Name" (id int);
CREATE TABLE alone (only_one text);
INSERT INTO alone VALUES (NULL), (''), ('\\.'), ('x');
CREATE TABLE nothing ();
CREATE TABLE empty (id int, name text);
"""


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> Desk:
    return Desk(spark, tmp_path)


@pytest.fixture
def url(postgres_url: str) -> str:
    with psycopg.connect(postgres_url) as connection:
        connection.execute(SETUP.encode())
    return postgres_url


def test_every_type_is_read_exactly(desk: Desk, url: str) -> None:
    left_side, right_side = desk.sides(f"{url}#sales.orders", f"{url}#sales.orders")
    instant = dt.datetime(2025, 12, 31, 20, 15, 0, 123456)
    big, two = rows(left_side)[1], rows(left_side)[0]
    assert typed(left_side) == typed(right_side)
    assert typed(left_side) | {"tags": "", "sums": ""} == {
        "id": "bigint", "total": "decimal(12,2)", "free": "decimal(3,2)", "huge": "string",
        "price": "double", "small": "float", "at": "timestamp", "local_at": "timestamp_ntz",
        "day": "date", "raw": "binary", "ok": "boolean", "note": "string", "doc": "string",
        "docb": "string", "tags": "", "sums": "", "feels": "string", "who": "string",
    }  # fmt: skip
    assert big[:6] == (
        9007199254740993,
        Decimal("1.10"),
        Decimal("1.10"),
        HUGE,
        0.1,
        pytest.approx(0.1),
    )
    assert (
        big[6] == instant.replace(tzinfo=None)
        or big[6].astimezone(dt.UTC).replace(tzinfo=None) == instant
    )
    assert big[7:12] == (
        dt.datetime(2026, 1, 1, 10), dt.date(2026, 1, 1), bytearray(b"\xde\xad\xbe\xef\x00"),
        True, 'a,"b"\nc\\',
    )  # fmt: skip
    assert big[12:14] == ('{"a":[1,null],"b":1.1}',) * 2
    assert big[14] == ["a", None, "c,d"]
    assert big[15] == "[1.1,12345678901234567890.123]"
    assert two[1:4] == (None, Decimal("0.25"), "7")
    assert str(two[4]), str(two[5]) == ("nan", "-inf")
    assert two[9:12] == (bytearray(b""), False, "")
    assert left_side.notes == (
        "left: the numbers of column huge need more digits than a decimal of 38, or are none",
    )


def test_a_query_a_view_of_one_column_and_an_empty_table(desk: Desk, url: str) -> None:
    query = "WITH o AS (SELECT id, note FROM sales.orders) SELECT * FROM o ORDER BY id; -- all"
    left_side, right_side = desk.sides(url, f"{url}#empty", queries=(query, None))
    assert [r[0] for r in rows(left_side)] == [2, 9007199254740993]
    assert rows(right_side) == []
    assert typed(right_side) == {"id": "int", "name": "string"}
    alone, odd = desk.sides(f"{url}#alone", f"{url}#Odd.Name", key=["only_one"])
    assert {r[0] for r in rows(alone)} == {None, "", "\\.", "x"}
    assert len(rows(alone)) == 4
    assert typed(odd) == {"id": "int"}


def test_texts_are_read_in_its_types(desk: Desk, url: str) -> None:
    file = desk.write(
        "orders.csv",
        "id,total,at,raw,tags,ok\n"
        '9007199254740993,1.1,2025-12-31 21:15:00.123456+01:00,\\xDEADBEEF00,"[""a"",null,""c,d""]",t\n'
        '2,0.005,,,"[]",false\n',
    )
    left_side, right_side = desk.sides(file, f"{url}#sales.orders")
    assert typed(left_side) == {
        "id": "bigint", "total": "decimal(22,3)", "at": "timestamp", "raw": "binary",
        "tags": "array<string>", "ok": "boolean",
    }  # fmt: skip
    mine, theirs = rows(left_side), right_side.frame.select(*left_side.frame.columns)
    assert [r[0] for r in mine] == [2, 9007199254740993]
    assert mine[0][1] == Decimal("0.005")
    assert left_side.frame.select("at", "raw", "tags", "ok").exceptAll(
        theirs.select("at", "raw", "tags", "ok")
    ).collect() == [(None, None, [], False)]


def test_in_json_a_text_is_no_number_no_boolean_and_no_object(desk: Desk, url: str) -> None:
    texts = ('"01"', '"true"', '"null"', '"1"', '"[1]"', '"x"')
    others = ('"01"', "true", "null", "1", "[1]", '"x"')
    with psycopg.connect(url) as connection:
        for name, values in {"ja": texts, "jb": others, "jn": ("2.50", "10", "-1")}.items():
            connection.execute(f"CREATE TABLE {name} (id int, v jsonb)".encode())
            rows_of = ", ".join(f"({i}, '{value}')" for i, value in enumerate(values))
            connection.execute(f"INSERT INTO {name} VALUES {rows_of}".encode())

    def matched(left: str, right: str) -> int:
        sides = desk.sides(left, right)
        return compare(sides[0].frame, sides[1].frame, ["id"]).matched

    ja, jb, jn = (f"{url}#{name}" for name in ("ja", "jb", "jn"))
    assert [matched(ja, ja), matched(jb, jb), matched(ja, jb)] == [6, 6, 2]
    lines = "\n".join(f'{{"id":{i},"v":{value}}}' for i, value in enumerate(others))
    in_lines = desk.write("b.jsonl", lines)
    assert [matched(jb, in_lines), matched(in_lines, ja)] == [5, 2]
    strings = desk.write("s.csv", "id,v\n0,01\n1,true\n2,null\n3,1\n4,[1]\n5,x\n")
    assert matched(ja, strings) == 6
    numbers = desk.write("n.csv", "id,v\n0,2.5\n1,10.0\n2,-1\n")
    assert matched(jn, numbers) == 3
    pq.write_table(pa.table({"id": [0, 1], "v": ["01", "true"]}), desk.folder / "s.parquet")
    assert matched(ja, str(desk.folder / "s.parquet")) == 2
    pq.write_table(pa.table({"id": [0, 1], "v": ["2.5", "10"]}), desk.folder / "t.parquet")
    assert matched(jn, str(desk.folder / "t.parquet")) == 0


@pytest.mark.parametrize(
    ("after", "query", "message", "then"),
    [
        (
            "#sales.ordres",
            None,
            "has no table 'sales.ordres'. Did you mean 'sales.orders'?",
            "It has:",
        ),
        ("#nothing", None, "has no column", ""),
        ("", None, "comes with neither a table nor a query", "--left-query"),
        ("#alone", "SELECT 1", "comes with a table and a query", ""),
        ("", "SELECT nope FROM alone", 'column "nope" does not exist', "Mend --left-query."),
        ("", "SELECT 1 AS a, 2 AS A", "has the column 'A' twice", "Rename it"),
        ("", "SELECT 1 AS a, 2 AS a", "has the column 'a' twice", "Rename it"),
        ("", "DELETE FROM alone RETURNING *", "cannot be asked", "Mend"),
    ],
)
def test_what_is_written_wrong_is_said(
    url: str, tmp_path: Path, after: str, query: str | None, message: str, then: str
) -> None:
    quoted = query.replace(" AS A", ' AS "A"') if query else None
    with pytest.raises(ConfigurationError) as error_info:
        fetch(place("left", url + after, quoted), str(tmp_path / "scratch"))
    assert message in error_info.value.what
    assert then in error_info.value.next_step
    assert "correct-horse" not in str(error_info.value)


def test_it_never_writes_and_what_fails_on_the_way_is_no_usage(url: str, tmp_path: Path) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS $$ INSERT INTO alone VALUES ('sly') RETURNING 1 $$"
        )
    for query, message in (
        ("SELECT sly()", "read-only"),
        ("SELECT 1/(id - 2) AS x FROM sales.orders", "division by zero"),
    ):
        with pytest.raises(RunFailed) as failure:
            fetch(place("left", url, query), str(tmp_path / message))
        assert message in failure.value.what
        assert "correct-horse" not in str(failure.value)


def test_a_server_that_cannot_be_reached_is_told_without_its_password(
    url: str, tmp_path: Path
) -> None:
    wrong = url.replace("correct-horse-7", "hunter%232-secret")
    for bad in (wrong, url.replace("@127.0.0.1:", "@127.0.0.1:1"), url + "_gone"):
        with pytest.raises(ConfigurationError) as refusal:
            fetch(place("right", f"{bad}#alone"), str(tmp_path / "scratch"))
        text = str(refusal.value)
        assert "right: postgresql://127.0.0.1:" in text
        assert not any(secret in text for secret in ("hunter", "secret", "correct-horse"))
    for odd in ("postgresql://", "postgresql://u:p@ss@host/db#t", "postgresql://host#t"):
        with pytest.raises(ConfigurationError, match="not a complete PostgreSQL URL") as refusal:
            place("left", odd)
        assert "ss@host" not in str(refusal.value)


def test_the_password_may_stand_in_the_environment(
    desk: Desk, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = url.replace(":correct-horse-7", "")
    monkeypatch.setenv("PGPASSWORD", "correct-horse-7")
    fetch(place("left", f"{bare}#alone"), str(tmp_path / "by-environment"))
    monkeypatch.delenv("PGPASSWORD")
    host = bare.partition("@")[2].partition("/")[0]
    passes = tmp_path / "pgpass"
    passes.write_text(f"{host}:*:cutline:correct-horse-7\n")
    passes.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passes))
    fetch(place("left", f"{bare}#alone"), str(tmp_path / "by-file"))
