"""Whole tables compared: counts that balance, what duplicates do, what is told in detail."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import Comparison, Rules, compare
from cutline_reconciliation.compare.counts.settings import (
    PARTITIONS,
    large_grouping,
    session_settings,
)

ITEM = "k string, v bigint, t string"
LEFT = [
    ("same", 1, "x"), ("far", 1, "x"), ("near", 10, "x"), ("lost", 1, "x"),
    ("twice-left", 1, "x"), ("twice-left", 1, "x"), ("twice-right", 1, "x"),
    ("twice-both", 1, "x"), ("twice-both", 2, "x"), (None, 1, "x"), (None, 2, "x"),
]  # fmt: skip
RIGHT = [
    ("same", 1, "x"), ("far", 3, "y"), ("near", 11, "x"), ("new", 1, "x"),
    ("twice-left", 1, "x"), ("twice-right", 1, "x"), ("twice-right", 1, "x"),
    ("twice-both", 2, "x"), ("twice-both", 1, "x"), (None, 1, "x"),
]  # fmt: skip
RULES = Rules.model_validate({"columns": {"v": {"tolerance": 1}}})


NO_ROWS = {"where": {"left": "false", "right": "v > 5"}}


def balanced(comparison: Comparison) -> Comparison:
    """The comparison itself, whose books are in order."""
    for side in ("left", "right"):
        parts = [
            getattr(comparison, f"{n}_{side}") for n in ("only", "duplicated_rows", "null_keys")
        ]
        assert getattr(comparison, f"rows_{side}") == comparison.matched + comparison.changed + sum(
            parts
        )
    for column in comparison.columns.values():
        assert column.compared == comparison.matched + comparison.changed
        assert column.within_tolerance <= sum(column.forgiven_by.values())
    return comparison


def test_each_row_is_in_one_class(spark: SparkSession, tmp_path: Path) -> None:
    left, right = spark.createDataFrame(LEFT, ITEM), spark.createDataFrame(RIGHT, ITEM)
    comparison = balanced(compare(left, right, ["k"], RULES, details_at=str(tmp_path / "details")))
    assert comparison.as_json() == {
        "key": ["k"], "rows_left": 11, "rows_right": 10, "filtered_left": 0, "filtered_right": 0,
        "matched": 2, "forgiven": 1, "changed": 1, "only_left": 1, "only_right": 1,
        "duplicate_keys_left": 2, "duplicate_keys_right": 2,
        "duplicated_rows_left": 5, "duplicated_rows_right": 5,
        "null_keys_left": 2, "null_keys_right": 1,
        "duplicate_keys_unlike": 2, "null_keys_unlike": 1,
        "columns": {
            "v": {"compared": 3, "different": 1, "within_tolerance": 1,
                  "forgiven_by": {"tolerance": 1}},
            "t": {"compared": 3, "different": 1, "within_tolerance": 0, "forgiven_by": {}},
        },
        "columns_only_left": [], "columns_only_right": [], "ignored": [],
        "forgave": {"v.tolerance": 1}, "equal": False,
    }  # fmt: skip
    details_by_key = details(comparison)
    assert {k: row[0] for k, row in details_by_key.items() if k} == {
        "far": "changed", "near": "within_tolerance", "lost": "only_left", "new": "only_right",
        "twice-left": "duplicated", "twice-right": "duplicated", "twice-both": "duplicated",
    }  # fmt: skip
    assert details_by_key["far"] == (
        "changed", 1, 1, ("far", 1, "x"), ("far", 3, "y"),
        [("v", "changed", "1", "3", 2, []), ("t", "changed", "x", "y", None, [])],
    )  # fmt: skip
    assert details_by_key["lost"] == ("only_left", 1, 0, ("lost", 1, "x"), None, [])
    assert details_by_key["twice-left"] == ("duplicated", 2, 1, None, None, [])
    assert details(compare(left, right, ["k"], RULES)) == details_by_key
    assert comparison.details is not None
    assert comparison.details.where("class = 'null_key'").count() == 3


def details(comparison: Comparison) -> dict[str | None, tuple[object, ...]]:
    assert comparison.details is not None
    return {
        r.key.k: (
            r["class"], r.rows_left, r.rows_right,
            None if r.left is None else tuple(r.left), None if r.right is None else tuple(r.right),
            [(d.column, d["class"], d.left, d.right, d.amount, d.rules) for d in r.differences],
        )
        for r in comparison.details.collect()
    }  # fmt: skip


def test_the_same_rows_in_another_order_are_equal(spark: SparkSession) -> None:
    """Duplicates and rows without a key are counted, and are what they are on both sides."""
    left = spark.createDataFrame(LEFT, ITEM)
    right = spark.createDataFrame(LEFT[::-1], ITEM).repartition(3)
    comparison = balanced(compare(left, right, ["k"]))
    assert (comparison.equal, comparison.duplicate_keys_left, comparison.null_keys_left) == (
        True,
        2,
        2,
    )
    assert (comparison.duplicate_keys_unlike, comparison.null_keys_unlike, comparison.matched) == (
        0,
        0,
        5,
    )
    one_more = spark.createDataFrame([*LEFT, LEFT[-1], LEFT[4]], ITEM)
    comparison = balanced(compare(left, one_more, ["k"]))
    assert (comparison.equal, comparison.duplicate_keys_unlike, comparison.null_keys_unlike) == (
        False,
        1,
        1,
    )


def test_the_callers_session_keeps_its_settings(spark: SparkSession) -> None:
    """Also where the comparison fails on the way."""
    name = "spark.sql.codegen.aggregate.fastHashMap.capacityBit"
    before = spark.conf.get(name)
    spark.conf.set(name, "11")
    try:
        left = spark.createDataFrame(LEFT, ITEM)
        assert compare(left, left, ["k"]).equal
        assert spark.conf.get(name) == "11"
        failing = left.withColumn("v", F.raise_error(F.lit("gone")).cast("bigint"))
        with pytest.raises(PySparkException, match="gone"):
            compare(left, failing, ["k"])
        assert spark.conf.get(name) == "11"
    finally:
        spark.conf.set(name, str(before))
    assert spark.conf.get(PARTITIONS, None) is None


def test_a_session_with_many_partitions_keeps_them(spark: SparkSession) -> None:
    """A grouping has no fewer than the caller's exchanges, however the caller asks for them."""
    assert large_grouping(spark)[PARTITIONS] == "32"
    with session_settings(spark, {"spark.sql.shuffle.partitions": "300"}):
        assert large_grouping(spark)[PARTITIONS] == "300"
        with session_settings(spark, {PARTITIONS: "500"}):
            assert large_grouping(spark)[PARTITIONS] == "500"
    assert large_grouping(spark)[PARTITIONS] == "32"


def test_empty_tables_are_equal(spark: SparkSession) -> None:
    empty = spark.createDataFrame([], ITEM)
    comparison = balanced(compare(empty, empty, ["k"]))
    assert (comparison.equal, comparison.rows_left, comparison.details) == (True, 0, None)
    full = spark.createDataFrame([("a", 1, "x")], ITEM)
    nothing = full.where("false")
    comparison = balanced(compare(nothing, nothing, ["k"]))
    assert (comparison.equal, comparison.rows_left, comparison.details) == (True, 0, None)
    comparison = balanced(compare(full, full, ["k"], Rules.model_validate(NO_ROWS)))
    assert (comparison.equal, comparison.filtered_left, comparison.filtered_right) == (True, 1, 1)
    keyless = spark.createDataFrame([(None, 1, "x")], ITEM)
    comparison = balanced(compare(keyless, nothing, ["k"]))
    assert (comparison.equal, comparison.null_keys_left, comparison.null_keys_unlike) == (
        False,
        1,
        1,
    )
    comparison = balanced(compare(empty, full, ["k"]))
    assert (comparison.equal, comparison.only_right, comparison.rows_left) == (False, 1, 0)


def test_columns_of_one_side_are_listed_and_differ(spark: SparkSession) -> None:
    """A column that is missing is not a column of nulls."""
    left = spark.sql("select 1 k, 1 v, cast(null as int) a")
    right = spark.sql("select 1 k, 1 v, 'x' b")
    comparison = compare(left, right, ["k"])
    assert (comparison.columns_only_left, comparison.columns_only_right) == (("a",), ("b",))
    assert (comparison.matched, comparison.equal, list(comparison.columns)) == (1, False, ["v"])
    ignored = compare(left, right, ["k"], Rules(ignore=("a", "b")))
    assert (ignored.equal, ignored.ignored) == (True, ("a", "b"))


def test_a_renamed_column_is_ignored_by_either_name(spark: SparkSession) -> None:
    left, right = spark.sql("select 1 k, 1 a, 5 v"), spark.sql("select 1 k, 2 b, 5 v")
    for name, ignored in (("a", ("a",)), ("b", ("b", "a"))):
        comparison = compare(left, right, ["k"], Rules(rename={"a": "b"}, ignore=(name,)))
        assert (comparison.equal, comparison.ignored) == (True, ignored)
        assert list(comparison.columns) == ["v"]
    # The left side has a column of its own of that name.
    with_namesake = left.selectExpr("*", "7 b")
    comparison = compare(with_namesake, right, ["k"], Rules(rename={"a": "b"}, ignore=("b",)))
    assert (comparison.changed, comparison.columns_only_left) == (1, ())
    with pytest.raises(ConfigurationError, match="key column k cannot be ignored"):
        compare(
            left,
            right.selectExpr("k n", "b a", "v"),
            ["k"],
            Rules(rename={"k": "n"}, ignore=("n",)),
        )


def test_keys_keep_their_boundaries_and_names(spark: SparkSession) -> None:
    left = spark.createDataFrame(
        [("a|b", "c", 1), ("x", "y", 1)], "k string, `l.m` string, `n``o` int"
    )
    right = spark.createDataFrame([("a", "b|c", 1), ("x", "y", 1)], left.schema)
    comparison = balanced(compare(left, right, ["k", "l.m"]))
    assert (comparison.matched, comparison.only_left, comparison.only_right) == (1, 1, 1)


def test_keys_of_exact_types_meet(spark: SparkSession) -> None:
    left = spark.sql("select 1 k, 5 v union all select 9007199254740993L, 5")
    right = spark.sql("select 1.0BD k, 5 v union all select 9007199254740992.0BD, 5")
    comparison = compare(left.selectExpr("cast(k as bigint) k", "v"), right, ["k"])
    assert (comparison.matched, comparison.only_left, comparison.only_right) == (1, 1, 1)


NULLS = [
    ("null,'a'", "'a',null"),
    ("null,null", "'',null"),
    ("'ab','c'", "'a','bc'"),
    ("'a|b','c'", "'a','b|c'"),
    ("null,'<null>'", "'<null>',null"),
]


def test_no_two_rows_share_a_digest(spark: SparkSession) -> None:
    """Nulls, boundaries and nested values that Spark's own hashes take for the same."""
    typed = "cast({} as string) a, cast({} as string) b"
    sides: list[DataFrame] = []
    for side in (0, 1):
        rows = [f"select {i} k, {typed.format(*p[side].split(','))}" for i, p in enumerate(NULLS)]
        sides.append(spark.sql(" union all ".join(rows)))
    assert compare(*sides, ["k"]).changed == len(NULLS)
    nested = [
        ("array(null, 1)", "array(1, null)"),
        ("array(array(1), array())", "array(array(), array(1))"),
        ("struct(cast(null as int) a, 1 b)", "struct(1 a, cast(null as int) b)"),
        ("cast(null as struct<a:int>)", "struct(cast(null as int) a)"),
        ("map('a', 1, 'b', 2)", "map('a', 2, 'b', 1)"),
        ("array(cast(null as int))", "cast(array() as array<int>)"),
        ("array(cast(X'ff' as string))", "array(cast(X'fe' as string))"),
        ("'a' collate UTF8_LCASE", "'A' collate UTF8_LCASE"),
        ("array('a' collate UTF8_LCASE)", "array('A')"),
    ]
    for left, right in nested:
        comparison = compare(
            spark.sql(f"select 1 k, {left} v"), spark.sql(f"select 1 k, {right} v"), ["k"]
        )
        assert (comparison.changed, comparison.columns["v"].different) == (1, 1), left


@pytest.mark.parametrize(
    ("left", "right", "key", "rules", "message"),
    [
        ("1 k, 1 v", "1 k, 1 v", [], {}, "at least one key column"),
        ("1 k, 1 v", "1 k, 1 v", ["kk"], {}, "kk is not on the left side. Did you mean"),
        ("1 k, 1 v", "'1' k, 1 v", ["k"], {}, "key column k is int on the left and string on the"),
        ("1 k, 1 v", "1 k, '1' v", ["k"], {}, "column v is int on the left and string on the right"),
        ("1 k, 1 V, 2 v", "1 k, '1' v", ["k"], {}, "columns V and v, which Spark cannot tell"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"columns": {"w": {}}}, "column w, which is not on both"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"columns": {"k": {"tolerance": 1}}}, "k has a tolerance"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"ignore": ["k"]}, "key column k cannot be ignored"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"ignore": ["w"]}, "ignore names column w"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"rename": {"w": "v"}}, "rename names column w"),
        ("1 k, 1 v", "1 k, 1 v, 2 w", ["k"], {"rename": {"v": "w"}}, "has two columns v"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"where": {"left": "q = 1"}}, "does not understand 'q = 1'"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"where": {"left": "v ="}}, "does not understand 'v =': [PARSE_SYNTAX_ERROR] "),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"compute": {"right": {"v": "q + 1"}}}, "'q + 1'"),
        ("1 k, 1 v, 1 w", "1 k, 1 v", ["k"], {"combine": {"left": {"v": "sum"}}}, "how column w is"),
        ("1 k, 'a' v", "1 k, 1 v", ["k"], {"combine": {"left": {"v": "sum"}}}, "cannot be summed"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"columns": {"v": {"trim": True}}}, "rule trim, but it is"),
        ("1 k, 'a' v", "1 k, 'a' v", ["k"], {"columns": {"v": {"round": 1}}}, "rule round, but"),
        ("1 k, 1 v", "1 k, 1 v", ["k"], {"columns": {"v": {"null_equals": "x"}}}, "which is no int"),
        ("1 k, now() v", "1 k, localtimestamp() v", ["k"], {}, "column v is timestamp"),
        ("1 k, now() v", "1 k, now() v", ["k"], {"columns": {"v": {"tolerance": "2 apples"}}},
         "no duration"),
        ("1 k, now() v", "1 k, localtimestamp() v", ["k"],
         {"columns": {"v": {"zone": {"left": "Europe/Berlin"}}}}, "no zone is declared"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_named(
    spark: SparkSession,
    left: str,
    right: str,
    key: list[str],
    rules: dict[str, object],
    message: str,
) -> None:
    frames = [spark.sql(f"select {text}") for text in (left, right)]
    with pytest.raises(ConfigurationError) as raised:
        compare(*frames, key, Rules.model_validate(rules))
    assert message in raised.value.what
