"""Each key in one class, each difference told, on literal tables."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from pyspark.sql import DataFrame, Row, SparkSession

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import ColumnRules
from cutline_reconciliation.compare import pair_rows as paired

ITEM = "k string, v bigint, t string"


def test_one_row_per_key_in_one_class(spark: SparkSession) -> None:
    left = spark.createDataFrame(
        [
            ("same", 1, "x"), ("far", 1, "x"), ("near", 10, "x"), ("lost", 1, "x"),
            ("twice-left", 1, "x"), ("twice-left", 1, "x"), ("twice-right", 1, "x"),
            ("twice-both", 1, "x"), ("twice-both", 2, "x"), (None, 1, "x"), (None, 2, "x"),
        ],
        ITEM,
    )  # fmt: skip
    right = spark.createDataFrame(
        [
            ("same", 1, "x"), ("far", 3, "y"), ("near", 11, "x"), ("new", 1, "x"),
            ("twice-left", 1, "x"), ("twice-right", 1, "x"), ("twice-right", 1, "x"),
            ("twice-both", 2, "x"), ("twice-both", 1, "x"), (None, 1, "x"),
        ],
        ITEM,
    )  # fmt: skip
    rows_by_key = by_key(
        paired(left, right, key=["k"], columns={"v": ColumnRules(tolerance=Decimal(1)), "t": None})
    )
    assert {k: (r["class"], r.rows_left, r.rows_right) for k, r in rows_by_key.items()} == {
        "same": ("matched", 1, 1),
        "far": ("changed", 1, 1),
        "near": ("within_tolerance", 1, 1),
        "lost": ("only_left", 1, 0),
        "new": ("only_right", 0, 1),
        "twice-left": ("duplicated", 2, 1),
        "twice-right": ("duplicated", 1, 2),
        "twice-both": ("duplicated", 2, 2),
        None: ("null_key", 2, 1),
    }
    assert [d.asDict() for d in rows_by_key["far"].differences] == [
        {
            "column": "v",
            "class": "changed",
            "left": "1",
            "right": "3",
            "amount": Decimal(2),
            "rules": [],
        },
        {"column": "t", "class": "changed", "left": "x", "right": "y", "amount": None, "rules": []},
    ]
    assert [(d.column, d["class"], d.rules) for d in rows_by_key["near"].differences] == [
        ("v", "within_tolerance", ["tolerance"])
    ]
    assert all(not r.differences for k, r in rows_by_key.items() if k not in ("far", "near"))
    assert rows_by_key["lost"].left == Row(v=1, t="x")
    assert rows_by_key["lost"].right is None
    assert rows_by_key["twice-left"].left is None


PAIRS: list[tuple[str, str, str, bool]] = [
    # what, left, right, whether they are the same
    ("bigint neighbours", "9007199254740993L", "9007199254740992L", False),
    ("bigint and int", "5L", "5", True),
    ("bigint and decimal", "9007199254740993L", "9007199254740993.00BD", True),
    ("bigint and a decimal a hair off", "9007199254740993L", "9007199254740993.01BD", False),
    ("decimal scale", "1.10BD", "1.1BD", True),
    ("zero of another scale", "cast(0 as decimal(38,38))", "0", True),
    ("wide decimals, far apart", "cast('12345678901234567890123456789012345678' as decimal(38,0))",
     "cast(12345678 as decimal(38,30))", False),
    ("wide decimals, equal", "cast('1200' as decimal(38,0))",
     "cast('1200' as decimal(38,20))", True),
    ("wide decimals, last digit", "cast('1200' as decimal(38,0))",
     "cast('1200.00000000000000000001' as decimal(38,20))", False),
    ("text of a decimal scale", "'1.10'", "'1.1'", False),
    ("null and empty", "cast(null as string)", "''", False),
    ("null and its name", "cast(null as string)", "'<null>'", False),
    ("null and null", "cast(null as string)", "cast(null as string)", True),
    ("null and zero", "cast(null as bigint)", "0L", False),
    ("trailing space", "'a'", "'a '", False),
    ("case", "'a'", "'A'", False),
    ("Unicode form", "'\u00e9'", "'e\u0301'", False),
    ("NaN", "double('NaN')", "double('NaN')", True),
    ("negative zero", "double('-0.0')", "double('0.0')", True),
    ("float in double", "float(0.5)", "double(0.5)", True),
    ("NaN in an array", "array(double('NaN'))", "array(double('NaN'))", True),
    ("negative zero in a struct", "struct(double('-0.0'))", "struct(double('0.0'))", True),
    ("one instant, two zones", "timestamp'2026-11-01 02:00:00+02:00'",
     "timestamp'2026-11-01 00:00:00Z'", True),
    ("a microsecond", "timestamp'2026-11-01 00:00:00.000001'", "timestamp'2026-11-01'", False),
    ("arrays as lists", "array(1, 2)", "array(2, 1)", False),
    ("equal arrays", "array(1, null)", "array(1, null)", True),
    ("null array and empty", "cast(null as array<int>)", "cast(array() as array<int>)", False),
    ("big neighbour in an array", "array(9007199254740993L)", "array(9007199254740992L)", False),
    ("equal structs", "struct(1 a, 'x' b)", "struct(1 a, 'x' b)", True),
    ("null struct and struct of nulls", "cast(null as struct<a:int>)",
     "struct(cast(null as int) a)", False),
    ("shifted boundary in a struct", "struct('a|b' a, 'c' b)", "struct('a' a, 'b|c' b)", False),
    ("binaries", "X'00FF'", "X'00FF'", True),
    ("binaries that differ", "X'00FF'", "X'00FE'", False),
    ("dates", "date'2026-11-01'", "date'2026-11-02'", False),
    ("maps in another order", "map('a', 1, 'b', 2)", "map('b', 2, 'a', 1)", True),
    ("maps that differ", "map('a', 1, 'b', 2)", "map('a', 2, 'b', 1)", False),
    ("null map and empty", "cast(null as map<int,int>)", "cast(map() as map<int,int>)", False),
    ("maps in arrays", "array(map('a', 1, 'b', 2))", "array(map('b', 2, 'a', 1))", True),
    ("int and bigint in an array", "array(1)", "array(1L)", True),
    ("decimal scale in a struct", "struct(1.10BD a)", "struct(1.1BD a)", True),
    ("fields in another order", "struct(1 a, 2 b)", "struct(2 b, 1 a)", True),
    ("no type and null", "null", "cast(null as int)", True),
    ("no type and a value", "null", "5", False),
]  # fmt: skip


def test_values_are_compared_exactly(spark: SparkSession) -> None:
    left, right = one_row(spark, 1), one_row(spark, 2)
    columns = [f"c{i}" for i in range(len(PAIRS))]
    row = paired(left, right, key=["k"], columns=dict.fromkeys(columns)).collect()[0]
    different = {d.column for d in row.differences}
    equal_by_pair = {what: f"c{i}" not in different for i, (what, *_) in enumerate(PAIRS)}
    assert equal_by_pair == {what: same for what, _, _, same in PAIRS}


def one_row(spark: SparkSession, side: int) -> DataFrame:
    return spark.sql(
        "select 'k' as k, " + ", ".join(f"{p[side]} as c{i}" for i, p in enumerate(PAIRS))
    )


def test_texts_are_plain_and_whole(spark: SparkSession) -> None:
    left = spark.sql(
        "select 1 k, cast(0.0000001 as decimal(20,10)) d, "
        "timestamp'2026-11-01 02:00:00.000001+02:00' t, X'0aff' b, "
        "array(struct('s' as sku, 1.50BD as q, cast(null as int) n)) a"
    )
    right = spark.sql(
        "select 1 k, cast(null as decimal(20,10)) d, timestamp'2026-11-01' t, X'' b, "
        "cast(array() as array<struct<sku:string,q:decimal(3,2),n:int>>) a"
    )
    row = paired(left, right, key=["k"], columns=dict.fromkeys("dtba")).collect()[0]
    assert [(d.left, d.right) for d in row.differences] == [
        ("0.0000001000", None),
        ("2026-11-01T00:00:00.000001Z", "2026-11-01T00:00:00.000000Z"),
        ("0AFF", ""),
        ('[{"sku":"s","q":1.50,"n":null}]', "[]"),
    ]


@pytest.mark.parametrize(
    ("left", "right", "absolute", "expected"),
    [
        ("9223372036854775807L", "-9223372036854775808L", "18446744073709551615", True),
        ("9223372036854775807L", "-9223372036854775808L", "18446744073709551614", False),
        ("1.00BD", "1.01BD", "0.01", True),
        ("1.00BD", "1.011BD", "0.01", False),
        ("1L", "2L", "0.999", False),
        ("1L", "2L", "1e60", True),
        ("1L", "cast(null as bigint)", "1e60", False),
    ],
)
def test_tolerance_is_exact(
    spark: SparkSession, left: str, right: str, absolute: str, expected: bool
) -> None:
    frames = [spark.sql(f"select 1 k, {value} v") for value in (left, right)]
    tolerance = ColumnRules(tolerance=Decimal(absolute))
    row = paired(*frames, key=["k"], columns={"v": tolerance}).collect()[0]
    assert row["class"] == ("within_tolerance" if expected else "changed")


def test_amount_is_null_where_it_does_not_fit(spark: SparkSession) -> None:
    frames = [
        spark.sql(f"select 1 k, cast('{v}' as decimal(38,0)) v") for v in ("9" * 38, "-" + "9" * 38)
    ]
    row = paired(*frames, key=["k"], columns={"v": None}).collect()[0]
    assert (row["class"], row.differences[0].amount) == ("changed", None)


def test_two_empty_frames_have_nothing_to_say(spark: SparkSession) -> None:
    empty = spark.createDataFrame([], ITEM)
    assert paired(empty, empty, key=["k"], columns={"v": None}).collect() == []


def test_keys_alone_can_be_compared(spark: SparkSession) -> None:
    left = spark.createDataFrame([("a|b", "c"), ("x", "y")], "k string, l string")
    right = spark.createDataFrame([("a", "b|c"), ("x", "y")], "k string, l string")
    rows = paired(left, right, key=["k", "l"], columns={}).collect()
    assert sorted((r.k, r.l, r["class"]) for r in rows) == [
        ("a", "b|c", "only_right"),
        ("a|b", "c", "only_left"),
        ("x", "y", "matched"),
    ]


def test_names_with_dots_and_backticks(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, 2)], "`a.b` int, `c``d` int")
    right = spark.createDataFrame([(1, 3)], "`a.b` int, `c``d` int")
    row = paired(left, right, key=["a.b"], columns={"c`d": None}).collect()[0]
    assert (row["a.b"], row["class"], row.differences[0].column) == (1, "changed", "c`d")


def test_one_exchange(spark: SparkSession) -> None:
    left = spark.createDataFrame([("a", 1, "x")], ITEM)
    plan = paired(left, left, key=["k"], columns={"v": None})
    assert plan._jdf.queryExecution().executedPlan().toString().count("Exchange") == 1


@pytest.mark.parametrize(
    ("left", "right", "options", "message"),
    [
        ("1 k, 1 v", "1 k, 1 v", {"key": []}, "at least one key column"),
        ("1 k, 1 v", "1 k, 1 v", {"key": ["k", "k"]}, "named twice"),
        ("1 k, 1 v", "1 k, 1 v", {"key": ["kk"]}, "kk is not on the left side. Did you mean"),
        ("1 k, 1 v", "1 q, 1 v", {}, "column k is not on the right side"),
        ("1 k, 1 v", "'1' k, 1 v", {}, "key column k is int on the left and string on the right"),
        ("1 k, 1 v", "1 k, 1 w", {}, "column v is not on the right side"),
        ("1 k, 1 v", "1 k, 1 v", {"columns": {"k": None}}, "cannot be compared as well"),
        ("1 left, 1 v", "1 left, 1 v", {"key": ["left"]}, "cannot be called left"),
        ("1 k, 1 v", "1 k, '1' v", {}, "column v is int on the left and string on the right"),
        ("1 k, 1 v", "1 k, double(1) v", {}, "column v is int on the left and double"),
        ("1 k, date'2026-01-01' v", "1 k, timestamp'2026-01-01' v", {}, "column v is date"),
        ("1 k, now() v", "1 k, localtimestamp() v", {}, "column v is timestamp"),
        ("1 k, parse_json('1') v", "1 k, parse_json('1') v", {}, "column v is variant"),
        ("1 k, array('1') v", "1 k, array(1L) v", {}, "column v[] is string on the left"),
        ("1 k, struct(1 a) v", "1 k, struct(1 a, 2 b) v", {}, "v has a field b on the right"),
        ("1 k, map(1, 'a') v", "1 k, map(1, 1) v", {}, "column v, its values is string"),
        ("1 k, 'a' v", "1 k, 'a' v", {"columns": {"v": ColumnRules(tolerance=Decimal(1))}},
         "column v has a tolerance, but it is compared as string"),
        ("1 k, cast(1 as decimal(38,0)) v", "1 k, 1.5BD v",
         {"columns": {"v": ColumnRules(tolerance=Decimal(1))}}, "compared as string"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_named(
    spark: SparkSession, left: str, right: str, options: dict[str, Any], message: str
) -> None:
    frames = [spark.sql(f"select {text}") for text in (left, right)]
    arguments: dict[str, Any] = {"key": ["k"], "columns": {"v": None}} | options
    with pytest.raises(ConfigurationError) as raised:
        paired(*frames, **arguments)
    assert message in raised.value.what


@pytest.mark.parametrize("absolute", ["-1", "NaN", "Infinity"])
def test_a_tolerance_is_a_number_from_zero(absolute: str) -> None:
    with pytest.raises(ValidationError):
        ColumnRules(tolerance=Decimal(absolute))


def by_key(compared: DataFrame) -> dict[str, Row]:
    return {r.k: r for r in compared.collect()}
