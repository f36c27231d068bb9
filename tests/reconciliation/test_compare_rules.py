"""What each rule forgives, what it does not, and that it says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import Rules, compare, load_rules
from cutline_reconciliation.compare.counts.settings import session_settings

EQUAL, CHANGED = "same", "changed"
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    # left, right, the column's rules, what is found: same, changed, or the rules that forgive
    ("' a'", "'a'", {"trim": True}, "trim"),
    ("'a\u00a0\t'", "'a'", {"trim": "right"}, "trim"),
    ("'a\u0085'", "'a'", {"trim": True}, "trim"),
    ("' a'", "'a'", {"trim": "right"}, CHANGED),
    ("'a b'", "'ab'", {"trim": True}, CHANGED),
    ("'a'", "'A'", {"case": "ignore"}, "case"),
    ("'\u00c9'", "'\u00e9'", {"case": "ignore"}, "case"),
    ("'\u00e9'", "'e\u0301'", {"unicode": "NFC"}, "unicode"),
    ("'\u00e9'", "'e\u0301'", {"unicode": "NFD"}, "unicode"),
    ("'\ufb01'", "'fi'", {"unicode": "NFC"}, CHANGED),
    ("'\ufb01'", "'fi'", {"unicode": "NFKC"}, "unicode"),
    ("cast(null as string)", "'x'", {"unicode": "NFC"}, CHANGED),
    ("' a'", "'A'", {"trim": True, "case": "ignore"}, "trim+case"),
    ("' a'", "'a'", {"trim": True, "case": "ignore"}, "trim"),
    ("'A'", "'ACTIVE'", {"map": {"A": "ACTIVE"}}, "map"),
    ("'ACTIVE'", "'ACTIVE'", {"map": {"A": "ACTIVE"}}, EQUAL),
    ("'ACTIVE'", "'A'", {"map": {"A": "ACTIVE"}}, CHANGED),
    ("'a '", "'Active'", {"map": {"A": "ACTIVE"}, "trim": True, "case": "ignore"}, "trim+case+map"),
    ("1", "'ACTIVE'", {"map": {"1": "ACTIVE"}}, "map"),
    ("'OPEN'", "10", {"map": {"OPEN": 10}}, "map"),
    ("'e\u0301'", "'acute'", {"map": {"\u00e9": "acute"}, "unicode": "NFD"}, "map"),
    ("'A'", "'open'", {"map": {" A": "open "}, "trim": True}, "map"),
    ("cast(null as string)", "''", {"null_equals": ""}, "null_equals"),
    ("cast(null as string)", "'Open'", {"null_equals": "Open", "case": "ignore"}, "null_equals"),
    ("cast(null as string)", "'OPEN '", {"null_equals": "Open", "case": "ignore", "trim": True},
     "trim+case+null_equals"),
    ("'\ufb01'", "cast(null as string)", {"null_equals": "fi", "unicode": "NFKC"},
     "unicode+null_equals"),
    ("0", "cast(null as int)", {"null_equals": 0}, "null_equals"),
    ("cast(null as decimal(9,2))", "0.00BD", {"null_equals": 0}, "null_equals"),
    ("cast(null as date)", "date'9999-12-31'", {"null_equals": "9999-12-31"}, "null_equals"),
    ("1", "cast(null as int)", {"null_equals": 0}, CHANGED),
    ("array(1, 2, 2)", "array(2, 1)", {"as": "set"}, "set"),
    ("array(1, 2)", "array(2, 3)", {"as": "set"}, CHANGED),
    ("timestamp'2026-11-01 10:20:30.5Z'", "timestamp'2026-11-01 10:20:30Z'",
     {"truncate": "second"}, "truncate"),
    ("timestamp'2026-11-01 22:30:00Z'", "timestamp'2026-11-01 23:30:00Z'",
     {"truncate": "day"}, "truncate"),
    ("timestamp'2026-11-01 22:30:00Z'", "timestamp'2026-11-01 23:30:00Z'",
     {"truncate": "day", "in_zone": "Europe/Berlin"}, CHANGED),
    ("timestamp'2026-11-01 23:30:00Z'", "timestamp'2026-11-02 10:00:00Z'",
     {"truncate": "day", "in_zone": "Europe/Berlin"}, "truncate"),
    # Clocks in Berlin show this hour twice.
    ("timestamp'2026-10-25 00:30:00Z'", "timestamp'2026-10-25 01:30:00Z'",
     {"truncate": "second", "in_zone": "Europe/Berlin"}, CHANGED),
    ("timestamp'2026-10-25 00:30:00Z'", "timestamp'2026-10-25 00:59:00Z'",
     {"truncate": "hour", "in_zone": "Europe/Berlin"}, "truncate"),
    ("timestamp'2026-10-24 22:30:00Z'", "timestamp'2026-10-25 22:30:00Z'",
     {"truncate": "day", "in_zone": "Europe/Berlin"}, "truncate"),
    ("timestamp'2026-11-01 10:20:00Z'", "timestamp'2026-11-01 10:40:00Z'",
     {"truncate": "hour", "in_zone": "Asia/Kolkata"}, CHANGED),
    ("timestamp'2026-11-01 10:40:00Z'", "timestamp'2026-11-01 11:20:00Z'",
     {"truncate": "hour", "in_zone": "Asia/Kolkata"}, "truncate"),
    ("double('nan')", "1d", {"relative": "0.5"}, CHANGED),
    ("double('inf')", "1d", {"relative": "0.5"}, CHANGED),
    ("double('inf')", "double('-inf')", {"relative": "0.5"}, CHANGED),
    ("1.5d", "1d", {"relative": "0.5"}, "relative"),
    ("1BD", "5BD", {"relative": "1E+2"}, "relative"),
    ("'a'", "'X'", {"map": {"A": "x", "a": "X"}, "case": "ignore"}, "case+map"),
    ("date'2026-11-01'", "date'2026-11-30'", {"truncate": "month"}, "truncate"),
    ("timestamp_ntz'2026-11-01 10:20:30'", "timestamp_ntz'2026-11-01 10:20:59'",
     {"truncate": "minute"}, "truncate"),
    ("timestamp_ntz'2026-07-01 12:00:00'", "timestamp'2026-07-01 10:00:00Z'",
     {"zone": "Europe/Berlin"}, EQUAL),
    ("timestamp_ntz'2026-12-01 12:00:00'", "timestamp'2026-12-01 10:00:00Z'",
     {"zone": "Europe/Berlin"}, CHANGED),
    ("timestamp_ntz'2026-07-01 12:00:00'", "timestamp_ntz'2026-07-01 11:00:00'",
     {"zone": {"left": "Europe/Berlin", "right": "Europe/London"}}, EQUAL),
    ("1.235BD", "1.24BD", {"round": 2}, "round"),
    ("1.234BD", "1.24BD", {"round": 2}, CHANGED),
    ("1.005D", "1.0049D", {"round": 1}, "round"),
    ("100", "101", {"tolerance": 1}, "tolerance"),
    ("100", "102", {"tolerance": 1}, CHANGED),
    ("9007199254740993L", "9007199254740991L", {"tolerance": 1}, CHANGED),
    ("10.00BD", "10.01BD", {"tolerance": 1, "minor_units": 2}, "tolerance"),
    ("10.00BD", "10.02BD", {"tolerance": 1, "minor_units": 2}, CHANGED),
    ("100.00BD", "101.00BD", {"relative": 0.01}, "relative"),
    ("100.00BD", "101.02BD", {"relative": "0.01"}, CHANGED),
    ("-100L", "-101L", {"relative": 0.01}, "relative"),
    ("100.00BD", "101.00BD", {"relative": 0.01, "tolerance": 5}, "tolerance"),
    ("1.0D", "1.0000001D", {"tolerance": 0.001}, "tolerance"),
    ("double('NaN')", "1.0D", {"tolerance": 1000}, CHANGED),
    ("double('NaN')", "double('NaN')", {"tolerance": 1}, EQUAL),
    ("cast(null as int)", "1", {"tolerance": 5}, CHANGED),
    ("cast(null as int)", "1", {"tolerance": 1, "null_equals": 0}, "null_equals+tolerance"),
    ("timestamp'2026-11-01 10:00:00Z'", "timestamp'2026-11-01 10:00:02Z'",
     {"tolerance": "2 seconds"}, "tolerance"),
    ("timestamp'2026-11-01 10:00:00Z'", "timestamp'2026-11-01 10:00:02.000001Z'",
     {"tolerance": "2 seconds"}, CHANGED),
    ("date'2026-11-01'", "date'2026-11-02'", {"tolerance": "1 day"}, "tolerance"),
]  # fmt: skip


def test_each_rule_forgives_what_it_says(spark: SparkSession) -> None:
    names = [f"c{i}" for i in range(len(CASES))]
    sides = [
        spark.sql(
            "select 1 k, " + ", ".join(f"{c[s]} {n}" for c, n in zip(CASES, names, strict=True))
        )
        for s in (0, 1)
    ]
    rules = Rules.model_validate(
        {"columns": {n: case[2] for n, case in zip(names, CASES, strict=True)}}
    )
    comparison = compare(*sides, ["k"], rules)
    assert comparison.details is not None
    differences = {d.column: d for d in comparison.details.collect()[0].differences}
    for (left, right, rule, expected), name in zip(CASES, names, strict=True):
        about = f"{left} and {right} by {rule}"
        column = comparison.columns[name]
        if expected == EQUAL:
            assert name not in differences, about
            assert (column.different, column.within_tolerance) == (0, 0), about
        elif expected == CHANGED:
            assert (differences[name]["class"], differences[name].rules) == (CHANGED, []), about
            assert (column.different, column.within_tolerance) == (1, 0), about
            assert not any(column.forgiven_by.values()), about
        else:
            assert "+".join(differences[name].rules) == expected, about
            assert (column.different, column.within_tolerance) == (0, 1), about
            counted = {rule for rule, n in column.forgiven_by.items() if n}
            assert counted == set(expected.split("+")), about


def test_rules_of_a_type_give_way_to_those_of_a_column(spark: SparkSession) -> None:
    left = spark.sql("select 1 k, 'a ' a, 'b ' b, 1.0BD c, 1 d")
    right = spark.sql("select 1 k, 'a' a, 'B' b, 1.5BD c, 1.5BD d")
    rules = Rules.model_validate(
        {
            "types": {
                "text": {"trim": True},
                "decimal": {"tolerance": 0.5},
                "integer": {"round": 0},
            },
            "columns": {"b": {"case": "ignore"}, "c": {"tolerance": "0.4"}},
        }
    )
    columns = compare(left, right, ["k"], rules).columns
    assert {n: (c.different, dict(c.forgiven_by)) for n, c in columns.items()} == {
        "a": (0, {"trim": 1}),
        "b": (0, {"trim": 1, "case": 1}),
        "c": (1, {"tolerance": 0}),
        "d": (0, {"tolerance": 1}),
    }


def test_rows_forgiven_are_matched_and_counted(spark: SparkSession) -> None:
    left = spark.sql("select * from values (1, 'a '), (2, 'b '), (3, 'c') as t(k, v)")
    right = spark.sql("select * from values (1, 'a'), (2, 'x'), (3, 'c') as t(k, v)")
    comparison = compare(
        left, right, ["k"], Rules.model_validate({"types": {"text": {"trim": True}}})
    )
    assert (comparison.matched, comparison.forgiven, comparison.changed) == (2, 1, 1)
    assert comparison.forgave == {"v.trim": 1}


def test_sides_are_made_ready_first(spark: SparkSession) -> None:
    """Columns computed, rows chosen, names made one; a composite key of one side is one of two."""
    left = spark.sql(
        "select * from values ('7/1', 100, 'x', 1), ('7/2', 250, 'y', 2), ('8/1', 5, 'z', 3) "
        "as t(position, cents, note, loaded)"
    )
    right = spark.sql(
        "select * from values (7, 1, 1.00BD, 'x'), (7, 2, 2.50BD, 'q'), (9, 1, 5.00BD, 'r') "
        "as t(order_no, line, amount, remark)"
    )
    rules = Rules.model_validate(
        {
            "compute": {
                "left": {
                    "order": "cast(split_part(position, '/', 1) as int)",
                    "line": "cast(split_part(position, '/', 2) as int)",
                    "amount": "cast(cents as decimal(9,2)) / 100",
                }
            },
            "where": {"left": "order = 7", "right": "order_no = 7"},
            "rename": {"order": "order_no", "note": "remark"},
            "ignore": ["position", "cents", "loaded"],
        }
    )
    comparison = compare(left, right, ["order", "line"], rules)
    assert (comparison.rows_left, comparison.rows_right) == (2, 2)
    assert (comparison.filtered_left, comparison.filtered_right) == (1, 1)
    assert (comparison.matched, comparison.changed, comparison.equal) == (1, 1, False)
    assert {n: c.different for n, c in comparison.columns.items()} == {"note": 1, "amount": 0}


def test_rows_of_one_key_are_combined_as_declared(spark: SparkSession) -> None:
    left = spark.sql(
        "select * from values (1, 10, 'b', 5, 1), (1, 20, 'a', 7, 2), (2, 1, 'c', 0, 3) "
        "as t(k, paid, codes, newest, lines)"
    )
    right = spark.sql(
        "select * from values (1, 30, array('a', 'b'), 7, 2L), (2, 1, array('c'), 1, 1L) "
        "as t(k, paid, codes, newest, lines)"
    )
    ways = {"paid": "sum", "codes": "set", "newest": "max", "lines": "count"}
    rules = Rules.model_validate({"combine": {"left": ways}})
    comparison = compare(left, right, ["k"], rules)
    assert (comparison.rows_left, comparison.matched, comparison.changed) == (2, 1, 1)
    assert comparison.columns["newest"].different == 1
    assert (comparison.duplicate_keys_left, comparison.filtered_left) == (0, 0)


@pytest.mark.parametrize("way", ["list", "set"])
def test_nulls_are_among_what_is_listed(spark: SparkSession, way: str) -> None:
    left = spark.sql(
        "select * from values (1, 'a'), (1, null), (2, 'b'), (3, null), (4, 'c'), (4, 'b'), "
        "(5, 'd'), (5, null) as t(k, v)"
    )
    right = spark.sql(
        "select * from values (1, array('a')), (2, array('b')), (3, array(cast(null as string))), "
        "(4, array('b', 'c')), (5, array('d')) as t(k, v)"
    )
    comparison = compare(
        left, right, ["k"], Rules.model_validate({"combine": {"left": {"v": way}}})
    )
    assert (comparison.matched, comparison.changed) == (3, 2)


def test_tolerances_of_a_kind_are_not_for_keys(spark: SparkSession) -> None:
    left = spark.sql("select * from values (1, 10), (2, 20) as t(k, v)")
    right = spark.sql("select * from values (1, 11), (3, 20) as t(k, v)")
    of_kind = {"types": {"integer": {"tolerance": 1, "relative": 0.5, "null_equals": 0}}}
    comparison = compare(left, right, ["k"], Rules.model_validate(of_kind))
    assert (comparison.forgiven, comparison.only_left, comparison.only_right) == (1, 1, 1)


def test_null_equals_a_text_in_keys_and_doubled_rows_that_texts_rules_are_for(
    spark: SparkSession,
) -> None:
    left = spark.sql("select * from values (null, 1), ('x', 2), ('x', 2) as t(k, v)")
    right = spark.sql("select * from values ('NONE ', 1), ('X', 2), ('x', 2) as t(k, v)")
    of_key = {"null_equals": "None", "case": "ignore", "trim": True}
    comparison = compare(left, right, ["k"], Rules.model_validate({"columns": {"k": of_key}}))
    assert (comparison.matched, comparison.duplicated_rows_right, comparison.equal) == (1, 2, True)
    by_number = (
        left.selectExpr("v k", "if(k = 'x', null, k) v"),
        right.selectExpr("v k", "'NONE' v"),
    )
    rules = Rules.model_validate({"columns": {"v": of_key}})
    assert compare(*by_number, ["k"], rules).equal


def test_null_equals_a_number_that_is_compared_by_its_digits(spark: SparkSession) -> None:
    left = spark.sql("select 1 k, cast(null as decimal(38,18)) v")
    right = spark.sql("select 1 k, cast(10 as decimal(38,2)) v")
    for written, forgiven in (("10.0", 1), ("1e1", 1), ("10.5", 0)):
        rules = Rules.model_validate({"columns": {"v": {"null_equals": written}}})
        assert compare(left, right, ["k"], rules).forgiven == forgiven
    with pytest.raises(ConfigurationError, match="null_equals is 'none', which is no number"):
        compare(
            left, right, ["k"], Rules.model_validate({"columns": {"v": {"null_equals": "none"}}})
        )


def test_keys_follow_their_rules(spark: SparkSession) -> None:
    left = spark.sql("select * from values ('a1 ', 1), ('B2', 2), ('c3', 3) as t(k, v)")
    right = spark.sql("select * from values ('A1', 1), ('b2', 2), ('C3', 3), ('c3', 4) as t(k, v)")
    rules = Rules.model_validate({"columns": {"k": {"trim": True, "case": "ignore"}}})
    comparison = compare(left, right, ["k"], rules)
    assert (comparison.matched, comparison.only_left, comparison.only_right) == (2, 0, 0)
    assert (comparison.duplicate_keys_left, comparison.duplicate_keys_right) == (0, 1)


def test_a_file_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(
        "columns:\n  total: {tolerance: 0.01, null_equals: 0}\n  status:\n    map: {A: ACTIVE}\n"
        "types:\n  text: {trim: true}\nrename: {id: order_id}\n"
    )
    rules = load_rules(path)
    assert str(rules.columns["total"].tolerance) == "0.01"
    assert rules.columns["total"].null_equals == "0"
    assert rules.columns["status"].map == {"A": "ACTIVE"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rules.yaml is empty"),
        ("columns: [a]", "rules.yaml: columns: must hold keys of its own"),
        ("columns:\n  a: {trimm: true}", "columns.a.trimm: unknown key. Did you mean 'trim'"),
        ("columns:\n  a: {tolerance: -1}", "columns.a.tolerance"),
        ("columns:\n  a: {case: lower}", "columns.a.case: must be 'ignore', not 'lower'"),
        ("columns:\n  a: {minor_units: 2}", "columns.a: minor_units needs a tolerance"),
        ("combine:\n  left: {a: average}", "combine.left.a: must be 'sum', 'min'"),
        ("types:\n  number: {round: 1}", "types.number"),
        ("columns:\n  a: {round: 1}\n  a: {round: 2}", "stands here again"),
        ("columns:\n  a: {zone: Europe/Berln}",
         "columns.a.zone: must be a time zone such as Europe/Berlin, UTC or +01:00, not "
         "'Europe/Berln'. Did you mean 'Europe/Berlin'?"),
        ("columns:\n  a: {zone: {right: Mars/Base}}", "columns.a.zone.right: must be a time zone"),
        ("columns:\n  a: {in_zone: posixrules}", "columns.a.in_zone: must be a time zone"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as raised:
        load_rules(path)
    assert message in raised.value.what
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("kind", "rules", "message"),
    [
        ("string", {"map": {"A": "X", "a": "Y"}, "case": "ignore"},
         "column v: map has two names for 'A' and 'a', which case: ignore takes for one value"),
        ("string", {"map": {"A": "x", "a ": "y"}, "case": "ignore", "trim": True},
         "column v: map has two names for 'A' and 'a ', which trim and case: ignore take for one value"),
        ("decimal(10,2)", {"null_equals": "0.005"},
         "column v: null_equals is '0.005', which is no decimal(10,2)"),
        ("double", {"null_equals": "12f"}, "column v: null_equals is '12f', which is no double"),
        ("int", {"null_equals": "1.5"}, "column v: null_equals is '1.5', which is no int"),
    ],
)  # fmt: skip
def test_rules_that_cannot_be_kept_are_refused(
    spark: SparkSession, kind: str, rules: dict[str, Any], message: str
) -> None:
    rows = spark.sql(f"select 1 k, cast(null as {kind}) v")
    with pytest.raises(ConfigurationError) as error:
        compare(rows, rows, ["k"], Rules.model_validate({"columns": {"v": rules}}))
    assert error.value.what.startswith(message)


def test_maps_have_no_greatest(spark: SparkSession) -> None:
    rows = spark.sql("select 1 k, map('a', 1) v")
    rules = Rules.model_validate({"combine": {"left": {"v": "max"}}})
    with pytest.raises(ConfigurationError) as error:
        compare(rows, rows, ["k"], rules)
    assert error.value.what.startswith("the left side's rows of one key cannot be combined: ")


GAP, TWICE = "2026-03-29 02:30:00", "2026-10-25 02:30:00"


@pytest.mark.parametrize(
    ("local", "instant", "key", "rules", "expected"),
    [
        (GAP, "2026-03-29 01:30:00Z", False, {}, "1 time in column at"),
        (GAP, "2026-03-29 01:30:00Z", False, {"doubled": "first"}, f"such as '{GAP[:10]}T02:30"),
        (TWICE, "2026-10-25 00:30:00Z", False, {}, "or show twice"),
        (TWICE, "2026-10-25 00:30:00Z", True, {}, "the left side has 1 time in column at"),
        (TWICE, "2026-10-25 00:30:00Z", False, {"doubled": "first"}, EQUAL),
        (TWICE, "2026-10-25 01:30:00Z", True, {"doubled": "second"}, EQUAL),
        (TWICE, "2026-10-25 01:30:00Z", False, {"doubled": "first"}, CHANGED),
        ("2026-07-01 12:00:00", "2026-07-01 10:00:00Z", True, {}, EQUAL),
    ],
)
def test_a_local_time_without_its_one_instant_is_refused(
    spark: SparkSession, local: str, instant: str, key: bool, rules: dict[str, Any], expected: str
) -> None:
    left, right = (
        spark.sql(f"select * from values (1, {kind} '{at}'), (2, null) as t(k, at)")
        for kind, at in (("timestamp_ntz", local), ("timestamp", instant))
    )
    zoned_rules = Rules.model_validate({"columns": {"at": {"zone": "Europe/Berlin", **rules}}})
    if expected in (EQUAL, CHANGED):
        comparison = compare(left, right, ["at"] if key else ["k"], zoned_rules)
        assert comparison.equal == (expected == EQUAL)
        return
    with pytest.raises(ConfigurationError) as error:
        compare(left, right, ["at"] if key else ["k"], zoned_rules)
    assert expected in error.value.what


def test_arithmetic_that_loses_what_overflows_is_refused(spark: SparkSession) -> None:
    rows = spark.range(1)
    with (
        session_settings(spark, {"spark.sql.ansi.enabled": "false"}),
        pytest.raises(ConfigurationError, match=r"arithmetic is not ANSI's"),
    ):
        compare(rows, rows, ["id"])


def test_moments_can_be_further_apart_than_is_counted(spark: SparkSession) -> None:
    left, right = (
        spark.sql(f"select 1 k, timestamp_micros({sign}9223372036854775807) v")
        for sign in ("", "-")
    )
    rules = Rules.model_validate({"columns": {"v": {"tolerance": "1 day"}}})
    assert compare(left, right, ["k"], rules).changed == 1
