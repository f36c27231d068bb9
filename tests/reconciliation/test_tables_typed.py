"""Texts beside numbers, and numbers that are written in several ways, through a comparison."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.spark import json_text
from cutline.spark.number_text import canonical_sql
from cutline_reconciliation.compare import Comparison, compare
from support.side_tables import Desk

WIDE = "1234567890123456789012345678901234567890"


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> Desk:
    return Desk(spark, tmp_path)


def compared(desk: Desk, left: str, right: str, key: str = "id", **wishes: Any) -> Comparison:
    left_side, right_side = desk.sides(left, right, [key], **wishes)
    return compare(left_side.frame, right_side.frame, [key])


def lines(desk: Desk, name: str, *values: str) -> str:
    rows = (f'{{"id":{i},"v":{value}}}' for i, value in enumerate(values))
    return desk.write(name, "\n".join(rows))


def database(desk: Desk, name: str, kind: str, *values: Any) -> str:
    with sqlite3.connect(desk.folder / name) as connection:
        connection.execute(f"CREATE TABLE t (id INTEGER, v {kind})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    connection.close()
    return f"{desk.folder / name}#t"


def parquet(desk: Desk, name: str, values: pa.Array) -> str:
    pq.write_table(pa.table({"id": list(range(len(values))), "v": values}), desk.folder / name)
    return str(desk.folder / name)


def test_a_text_is_no_number_and_no_boolean_where_both_formats_tell(desk: Desk) -> None:
    text = lines(desk, "text.jsonl", '"01234"', '"98765"')
    number = lines(desk, "number.jsonl", "1234", "98765")
    true = lines(desk, "true.jsonl", "true")
    sides = {
        "json": (text, number),
        "sqlite": (
            database(desk, "a.db", "TEXT", "01234"),
            database(desk, "b.db", "INTEGER", 1234),
        ),
        "both": (text, database(desk, "c.db", "INTEGER", 1234)),
        "parquet": (text, parquet(desk, "a.parquet", pa.array([1234, 98765]))),
        "strings": (number, parquet(desk, "b.parquet", pa.array(["1234", "98765"]))),
        "yes": (lines(desk, "yes.jsonl", '"yes"'), true),
        "one": (lines(desk, "one.jsonl", "1"), true),
    }
    for name, (left, right) in sides.items():
        for key in ("id", "v"):
            with pytest.raises(
                ConfigurationError, match=r"column v is .* on the left and"
            ) as refusal:
                compared(desk, left, right, key)
            assert name == "one" or "a text is no" in refusal.value.what
            assert key == "id" or refusal.value.what.startswith("key column v")
    comparison = compared(desk, text, number, as_text=frozenset({"v"}))
    assert (comparison.matched, comparison.changed) == (1, 1)


def test_of_columns_that_hold_both_each_value_says_which_it_is(desk: Desk) -> None:
    left = lines(desk, "l.jsonl", '"1"', "2", "1.10", '"x"', "null", "true", '"true"')
    right = lines(desk, "r.jsonl", "1", '"2"', "1.1", '"x"', "null", "true", "true")
    comparison = compared(desk, left, right)
    assert (comparison.matched, comparison.changed) == (4, 3)
    assert compared(desk, left, left).equal
    text = database(desk, "t.db", "TEXT", "1", "2", "1.10", "x", None, "true", "true")
    comparison = compared(desk, left, text)
    assert (comparison.matched, comparison.changed) == (4, 3)
    mixed = database(desk, "m.db", "BLOB", "1", 2, 1.1, "x", None, "true", "true")
    comparison = compared(desk, left, mixed)
    assert (comparison.matched, comparison.changed) == (6, 1)
    numbers = parquet(desk, "n.parquet", pa.array([1, 2, 3, 4, None, 6, 7]))
    assert compared(desk, left, numbers).matched == 2


def test_nested_values_of_json_tell_texts_from_numbers(desk: Desk) -> None:
    left = lines(desk, "l.jsonl", '{"a":[1.10,{"b":2e0}]}', '{"a":"1"}', '{"a":"1.10"}')
    right = lines(desk, "r.jsonl", '{"a":[1.1,{"b":2}]}', '{"a":1}', '{"a":"1.1"}')
    comparison = compared(desk, left, right)
    assert (comparison.matched, comparison.changed) == (1, 2)
    structs = pa.array([{"a": Decimal(1)}], pa.struct([("a", pa.decimal128(9, 2))]))
    typed = parquet(desk, "s.parquet", structs)
    assert compared(desk, lines(desk, "n.jsonl", '{"a":1.0}'), typed).equal
    with pytest.raises(ConfigurationError, match="1 value in column v that is no struct"):
        compared(desk, lines(desk, "t.jsonl", '{"a":"1.0"}'), typed)


def test_a_text_is_no_array_and_no_object_where_both_formats_tell(desk: Desk) -> None:
    text = lines(desk, "t.jsonl", '"[1]"', r'"{\"a\":1}"', "[1.10]", '"x"')
    nested = lines(desk, "n.jsonl", "[1]", '{"a":1}', "[1.1]", '"x"')
    comparison = compared(desk, text, nested)
    assert (comparison.matched, comparison.changed) == (2, 2)
    assert compared(desk, text, text).equal
    comparison = compared(desk, lines(desk, "a.jsonl", '"[1]"'), lines(desk, "b.jsonl", "[1]"))
    assert (comparison.matched, comparison.changed) == (0, 1)
    # SQLite has no form for them: there they are texts.
    assert compared(desk, lines(desk, "c.jsonl", "[1]"), database(desk, "t.db", "", "[1]")).equal


def test_of_parts_the_column_can_be_compared_as_text(desk: Desk) -> None:
    left = parquet(desk, "l.parquet", pa.array([["1"]]))
    right = parquet(desk, "r.parquet", pa.array([[1]]))
    with pytest.raises(ConfigurationError, match=r"column v\[\] is string on the left") as raised:
        compared(desk, left, right)
    assert str(raised.value.next_step).endswith("--as-text v.")


def test_a_text_is_no_bytes_where_both_formats_tell(desk: Desk) -> None:
    text, blob = database(desk, "t.db", "TEXT", "6162"), database(desk, "b.db", "BLOB", b"ab")
    with pytest.raises(ConfigurationError, match="column v is string on the left and binary"):
        compared(desk, text, blob)
    mixed = database(desk, "m.db", "", "6162", b"ab"), database(desk, "n.db", "", b"ab", b"ab")
    assert compared(desk, *mixed).matched == 1
    # JSON has no form for them.
    assert compared(desk, lines(desk, "l.jsonl", '"6162"'), blob).equal


def test_bytes_are_no_number_and_no_text_where_both_formats_tell(desk: Desk) -> None:
    blob = database(desk, "b.db", "BLOB", b"1")
    text = database(desk, "t.db", "TEXT", "31")
    binary = parquet(desk, "b.parquet", pa.array([b"1"]))
    refused = (
        (blob, parquet(desk, "n.parquet", pa.array([31]))),
        (blob, parquet(desk, "d.parquet", pa.array([Decimal(31)]))),
        (blob, parquet(desk, "s.parquet", pa.array(["31"]))),
        (blob, lines(desk, "n.jsonl", "31")),
        (text, binary),
        (database(desk, "i.db", "INTEGER", 31), binary),
        (lines(desk, "m.jsonl", "31"), binary),
    )
    for left, right in refused:
        for key in ("id", "v"):
            with pytest.raises(ConfigurationError, match=r"column v is .* on the left and"):
                compared(desk, left, right, key)
    assert compared(desk, blob, binary).equal
    assert compared(desk, lines(desk, "t.jsonl", '"31"'), binary).equal
    assert compared(desk, desk.write("t.csv", "id,v\n0,\\x31\n"), binary).equal


def test_bytes_beside_other_values_are_marked(desk: Desk) -> None:
    values = b"1", b"\x1e\x05", b"\x00", 5
    mixed = database(desk, "m.db", "", *values)
    numbers = database(desk, "n.db", "", 31, 1e5, 0, 5)
    longer = database(desk, "l.db", "", b"1", b"\x1e\x05", b"\x00\x00", 5)
    binary = parquet(desk, "b.parquet", pa.array([b"1", b"\x1e\x05", b"\x00\x00", b"5"]))
    matched = [compared(desk, mixed, other).matched for other in (mixed, numbers, longer, binary)]
    assert matched == [4, 1, 3, 2]


def test_a_text_is_no_struct_and_no_list(desk: Desk) -> None:
    numbers = parquet(desk, "l.parquet", pa.array([[1]]))
    structs = parquet(desk, "s.parquet", pa.array([{"a": 1}]))
    for text, typed in (("[1]", numbers), (r"{\"a\":1}", structs)):
        with pytest.raises(ConfigurationError, match="column v is string on the left and"):
            compared(desk, lines(desk, "t.jsonl", f'"{text}"'), typed)
    # SQLite and CSV have no form for them.
    assert compared(desk, database(desk, "t.db", "", "[1]"), numbers).equal
    assert compared(desk, desk.write("t.csv", 'id,v\n0,"{""a"": 1}"\n'), structs).equal


@pytest.mark.parametrize(
    ("kind", "stored", "texts"),
    [
        (
            pa.list_(pa.int64()),
            [1],
            ["[1]}xyz", '[1]} {"value":[2]', '[1],"w":2', "[1][2]", "[1.5]", "[01]"],
        ),
        (
            pa.struct([("a", pa.int64())]),
            {"a": 1},
            [
                "{'a': 1, 'zzz': 99}",
                "{'a': 1}",
                '{"a":1}}, more',
                '{"a":1},"bad":null',
                '{"a":2,"a":1}',
                '{"a":1},"value":{"a":1}',
            ],
        ),
        (pa.list_(pa.string()), ["?"], [r'["\ud800"]']),
        (pa.list_(pa.float64()), [0.0], ["[1e-400]"]),
        (pa.list_(pa.decimal128(9, 2)), [Decimal("1.24")], ["[1.239]", "[1e-400]"]),
        # Whether the digits are hexadecimal or base64 nobody can tell.
        (pa.list_(pa.binary()), [b"ab"], ['["6162"]', '["YWI="]']),
    ],
)
def test_only_whole_and_strict_json_is_nested(
    desk: Desk, kind: pa.DataType, stored: Any, texts: list[str]
) -> None:
    typed = parquet(desk, "t.parquet", pa.array([stored] * len(texts), kind))
    count = "1 value" if len(texts) == 1 else f"{len(texts)} values"
    with pytest.raises(ConfigurationError, match=f"{count} in column v that"):
        compared(desk, database(desk, "t.db", "TEXT", *texts), typed)


def test_a_key_is_whole_however_it_is_written(desk: Desk) -> None:
    left = desk.write("l.jsonl", '{"id":1.0,"v":1}\n{"id":1e3,"v":2}\n{"id":-0,"v":3}')
    right = desk.write("r.csv", "id,v\n1,1\n1000.00,2\n0,3\n")
    typed = str(desk.folder / "k.parquet")
    pq.write_table(pa.table({"id": [1, 1000, 0], "v": [1, 2, 3]}), typed)
    assert all(compared(desk, *sides).equal for sides in ((left, typed), (right, typed)))
    with pytest.raises(ConfigurationError, match=r"1 value in column id that is no bigint: '1.5'"):
        compared(desk, desk.write("h.csv", "id,v\n1.5,1\n"), typed)


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        ("[9007199254740993]", pa.list_(pa.float64()), [9007199254740992.0]),
        ("[0.12345678901234567891]", pa.list_(pa.float64()), [0.12345678901234568]),
        ("[16777217]", pa.list_(pa.float32()), [16777216.0]),
        ("16777216.09", pa.float32(), 16777216.0),
        # The keys of objects are texts.
        ('{"01":5}', pa.map_(pa.int32(), pa.int32()), [(1, 5)]),
    ],
)
def test_what_a_type_would_round_is_refused_at_any_depth(desk, value, kind, stored) -> None:
    typed = parquet(desk, "d.parquet", pa.array([stored], kind))
    with pytest.raises(ConfigurationError, match="1 value in column v that is no"):
        compared(desk, lines(desk, "l.jsonl", value), typed)


@pytest.mark.parametrize(
    ("text", "kind", "stored"),
    [
        ("0.1", pa.float32(), 0.1),
        ("0.10000000149011612", pa.float32(), 0.1),
        ("3.40282347E+38", pa.float32(), 3.40282347e38),
        ("[0.1,null,1e300,5]", pa.list_(pa.float64()), [0.1, None, 1e300, 5.0]),
    ],
)
def test_what_floating_point_holds_is_read(desk, text, kind, stored) -> None:
    typed = parquet(desk, "d.parquet", pa.array([stored], kind))
    assert compared(desk, lines(desk, "l.jsonl", text), typed).equal


def test_numbers_are_the_same_however_they_are_written(desk: Desk) -> None:
    written = (
        "1.10",
        WIDE + ".0",
        WIDE,
        "1e2",
        "-0.0",
        "5e-90",
        "1e99999999999",
        "9007199254740993e0",
    )
    again = "1.1", WIDE, WIDE[:-1] + "1", "100", "0", "50E-91", "10e99999999998", "9007199254740992"
    comparison = compared(desk, lines(desk, "l.jsonl", *written), lines(desk, "r.jsonl", *again))
    assert (comparison.matched, comparison.changed) == (6, 2)
    # Each side fits a decimal, both together need more than 38 digits.
    left = lines(desk, "l2.jsonl", "1.10", WIDE[:30])
    right = lines(desk, "r2.jsonl", "1.1", "0." + WIDE[:30])
    assert compared(desk, left, right).matched == 1
    wide = lines(desk, "w.jsonl", "1.10", WIDE)
    assert compared(desk, wide, desk.write("c.csv", f"id,v\n0,01.100\n1,+{WIDE}.0\n")).equal
    assert compared(desk, wide, lines(desk, "q.jsonl", '"1.1"', f'"{WIDE}"')).matched == 0
    for text in ("n/a", "12f", "0x1p3"):
        with pytest.raises(ConfigurationError, match=f"that is no number: '{text}'"):
            compared(desk, wide, desk.write("d.csv", f"id,v\n0,{text}\n"))


REALS = {
    "wide": ((1e22, 0.30000000000000004, None, 5), ("1" + "0" * 22, "0.3", "null", "5.0")),
    "small": ((2.5, 1e-300, 5e-324, -0.0), ("2.50", "2e-300", "5e-324", "0")),
    "endless": ((0.25, float("inf"), -1e300, 1e22), ("0.250", "1.5", "-1e300", "1e22")),
    "narrow": ((123456.5, 0.1250001, 3, 1e-7), ("123456.50", "0.125", "3", "0.0000001")),
}
"""Reals of SQLite and numbers of JSON; the second ones differ."""


def test_reals_meet_numbers_of_json_to_the_last_digit(desk: Desk) -> None:
    with sqlite3.connect(desk.folder / "reals.db") as connection:
        connection.execute(f"CREATE TABLE t (id INTEGER, {' REAL, '.join(REALS)} REAL)")
        reals = zip(*(of_column for of_column, _ in REALS.values()), strict=True)
        rows = [(i, *values) for i, values in enumerate(reals)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    left = f"{desk.folder / 'reals.db'}#t"
    objects = [
        ", ".join([f'"id": {i}', *(f'"{name}": {REALS[name][1][i]}' for name in REALS)])
        for i in range(4)
    ]
    right = desk.write("reals.jsonl", "\n".join(f"{{{parts}}}" for parts in objects))
    comparison = compared(desk, left, right)
    assert {name: column.different for name, column in comparison.columns.items()} == dict.fromkeys(
        REALS, 1
    )
    by_value = compared(desk, left, right, "narrow")
    assert (by_value.matched + by_value.changed, by_value.only_left, by_value.only_right) == (
        3, 1, 1,
    )  # fmt: skip


NUMBERS = st.tuples(
    st.integers(-(10**45), 10**45), st.integers(-70, 70), st.integers(0, 3), st.booleans()
)


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(NUMBERS, min_size=50, max_size=200))
def test_a_number_has_one_text(
    spark: SparkSession, numbers: list[tuple[int, int, int, bool]]
) -> None:
    rows = []
    for whole, exponent, zeros, plain in numbers:
        number = Decimal(f"{whole}e{exponent}")
        again = f"{whole}{'0' * zeros}E{exponent - zeros:+d}"
        rows.append((f"{number:f}" if plain else f"{whole}e{exponent}", again, str(number)))
    frame = spark.createDataFrame(rows, "one string, two string, number string")
    canonical_texts = (F.expr(canonical_sql(c)) for c in ("one", "two"))
    for first_text, second_text, number in frame.select(*canonical_texts, "number").collect():
        assert first_text == second_text
        assert Decimal(first_text) == Decimal(number)


def test_within_json_every_number_has_one_text(spark: SparkSession) -> None:
    line = '{"a":{"n":1.0,"t":"1.0","l":[10,2.50e1,"x"],"o":{}},"b":1.50,"c":null}'
    frame = json_text.with_object(spark.createDataFrame([(line,)], "j string"), F.col("j"), "v")
    row = frame.selectExpr(*(f"{json_text.canonical_sql('v', n)} AS {n}" for n in "abc")).first()
    assert row is not None
    assert row["a"] == '{"l":[10,25,"x"],"n":1,"o":{},"t":"1.0"}'
    assert (row["b"], row["c"]) == ("1.5", None)


def test_what_reading_a_text_loses_is_noted(desk: Desk) -> None:
    left = desk.write(
        "a.csv", "id,v,open,n\n007,+1,yes,1.10\n8, 2,true,20\n9,10,false,-03\n10,4,,\n"
    )
    table = {
        "id": [7, 8, 9, 10],
        "v": [1, 2, 10, 4],
        "open": [True, True, False, None],
        "n": pa.array([Decimal("1.1"), Decimal(20), Decimal(-3), None], pa.decimal128(9, 2)),
    }
    pq.write_table(pa.table(table), desk.folder / "b.parquet")
    left_side, right_side = desk.sides(left, str(desk.folder / "b.parquet"))
    assert compare(left_side.frame, right_side.frame, ["id"]).equal
    zeros = "without how they are written (zeros before them, a plus sign, blanks or an exponent)"
    assert left_side.notes == (
        f"left: 1 value in column id read as bigint and compared so, {zeros}: '007'",
        f"left: 2 values in column v read as bigint and compared so, {zeros}: such as ' 2'",
        "left: 1 value in column open read as boolean and compared so, without how they are written"
        " (other words than true and false): 'yes'",
        f"left: 1 value in column n read as decimal(9,2) and compared so, {zeros}: '-03'",
    )
    assert right_side.notes == ()


@pytest.mark.parametrize(
    "text", [r"x\ud800", r"\uDC00", r"\ud800\ud800\udc00", r"\\\ud83d", r"\\ud83d\ude00"]
)
def test_half_a_surrogate_pair_is_no_character(desk: Desk, text: str) -> None:
    good = lines(desk, "good.jsonl", r'"\ud83d\ude00"', r'"\\ud800"')
    assert compared(desk, good, lines(desk, "same.jsonl", '"\U0001f600"', r'"\\ud800"')).equal
    bad = lines(desk, "bad.jsonl", '"x"', f'"{text}"')
    with pytest.raises(ConfigurationError, match=r"line 2 of .* holds half of a surrogate pair"):
        compared(desk, good, bad)


def test_texts_are_advised_only_where_they_could_match(desk: Desk) -> None:
    doubles = parquet(desk, "d.parquet", pa.array([5.0, 7.0]))
    whole = parquet(desk, "i.parquet", pa.array([5, 7]))
    for right, first, second, advised in (
        (doubles, "5d", "7", False),
        (whole, "n/a", "7", True),
        (whole, "n/a", "-", False),
    ):
        left = desk.write("a.csv", f"id,v\n0,{first}\n1,{second}\n")
        with pytest.raises(ConfigurationError) as error_info:
            compared(desk, left, right)
        assert ("--as-text v" in str(error_info.value.next_step)) is advised
