"""Positions as SQL against the classes, and values against what wrote them."""

from __future__ import annotations

import base64
import datetime as dt
import json
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

from cutline.positions import (
    ChangeNumberPosition,
    KafkaPosition,
    MongoPosition,
    MySqlPosition,
    PostgresPosition,
    SqlServerPosition,
)
from cutline.project.changes import DebeziumChanges
from cutline.sources.changes.debezium_positions import change_position
from cutline.sources.changes.decimals import scaled_text, unscaled_text
from cutline.sources.changes.modes import Modes
from cutline.sources.changes.position_sql import position
from cutline.sources.changes.unavailable import is_unavailable
from cutline.sources.changes.values import column_text, column_value
from cutline.spark import json_text
from cutline.sql.spark import literal


def wide(digits):
    return st.integers(0, 10**digits - 1)


@settings(max_examples=3, deadline=None)
@given(st.lists(st.tuples(wide(20), wide(20), wide(10), st.booleans()), min_size=40))
def test_numbers_become_the_text_that_the_classes_render(spark, several):
    rows = [(f"{'0' * zeros}{a}", str(b), str(c)) for a, b, c, zeros in several]
    frame = spark.createDataFrame(rows, "a string, b string, c string")
    rendered = frame.selectExpr(f"{position('a', 'b', 'c')} AS p").collect()
    assert [r.p for r in rendered] == [ChangeNumberPosition(a, b, c).text for a, b, c, _ in several]


def test_each_log_has_its_own_place(spark):
    sources = [
        ("postgresql", '{"sequence":"[\\"24\\",\\"30\\"]","lsn":30}', PostgresPosition(24, 30)),
        ("postgresql", '{"sequence":"[null,\\"30\\"]"}', PostgresPosition(0, 30)),
        ("postgresql", '{"sequence":null,"lsn":31}', PostgresPosition(0, 31)),
        ("postgresql", '{"sequence":"[\\"24\\",null]","lsn":null}', None),
        ("mysql", '{"file":"mysql-bin.000003","pos":154,"row":2}', MySqlPosition(3, 154, 2)),
        ("mysql", '{"file":"","pos":0,"row":0}', None),
        (
            "sqlserver",
            '{"commit_lsn":"0000002C:00000A90:0003","change_lsn":"0000002c:00000a90:0002",'
            '"event_serial_no":1}',
            SqlServerPosition(0x2C00000A900003, 0x2C00000A900002, 1),
        ),
        (
            "sqlserver",
            '{"commit_lsn":"0000002c:00000a90:0003","change_lsn":null}',
            SqlServerPosition(0x2C00000A900003),
        ),
        (
            "oracle",
            '{"scn":"2868546","commit_scn":"2868600"}',
            ChangeNumberPosition(2868600, 2868546, 7),
        ),
        ("mongodb", '{"ts_ms":1681879044000,"ord":3}', MongoPosition(1681879044, 3)),
        (
            "mongodb",
            '{"ts_ms":1681879044000,"ord":3,"lsid":"a","txnNumber":9}',
            MongoPosition(1681879044, 3, 7),
        ),
        ("mongodb", '{"ts_ms":1681879044000,"ord":3,"snapshot":"incremental"}', None),
        ("kafka", "{}", KafkaPosition(1, 12, 0)),
    ]
    cases = " UNION ALL ".join(
        f"SELECT {i} AS i, {change_position(log)} AS p FROM (SELECT parse_json({literal(whole)}) AS value,"
        f" 1 AS partition, 12L AS offset, 7L AS place, 0 AS item)"
        for i, (log, source, _) in enumerate(sources)
        for whole in [f'{{"source":{source}}}']
    )
    positions = {r.i: r.p for r in spark.sql(cases).collect()}
    assert positions == {i: None if p is None else p.text for i, (_, _, p) in enumerate(sources)}


@settings(max_examples=3, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-3, 30)), min_size=40)
)
def test_decimals_in_base64_come_back_as_they_were(spark, several):
    rows = [
        (base64.b64encode(n.to_bytes(n.bit_length() // 8 + 1, "big", signed=True)).decode(), s)
        for n, s in several
    ]
    frame = spark.createDataFrame(rows, "code string, s int")
    texts = frame.selectExpr(f"{scaled_text(unscaled_text('code'), 's')} AS t").collect()
    assert [Decimal(r.t) for r in texts] == [Decimal(f"{n}E{-s}") for n, s in several]


def test_what_is_no_number_in_base64_has_no_digits(spark):
    frame = spark.createDataFrame([("",), ("?",), ("AA",), ("A" * 24,), (None,)], "code string")
    texts = [r.t for r in frame.selectExpr(f"{unscaled_text('code')} AS t").collect()]
    assert texts == [None, None, "0", None, None]


def value(spark, text, ddl, **modes):
    """The value of the field `a` of an object, its numbers marked as the reader marks them."""
    frame = json_text.with_object(spark.createDataFrame([(text,)], "j string"), F.col("j"), "v")
    text = frame.selectExpr("v", f"{column_text('v', 'a', Modes(**modes))} AS x")
    row = text.selectExpr(f"{column_value('v', 'a', 'x', ddl, Modes(**modes))} AS r").first()
    return row.r


def test_values_by_the_modes_in_which_they_were_written(spark):
    at = dt.datetime(2020, 7, 17, 18, 0, 22, 123000, tzinfo=dt.UTC)
    local = at.replace(tzinfo=None)
    millis = int(at.timestamp() * 1000)
    day = dt.date(2020, 7, 17)

    def read_value(text, ddl, **modes):
        row = value(spark, f'{{"a":{text}}}', ddl, **modes)
        return row.astimezone(dt.UTC) if ddl == "timestamp" and row else row

    assert read_value('"2020-07-17Z"', "date") == day
    assert read_value("18460", "date") is None
    assert read_value("18460", "date", times="adaptive") == day
    assert read_value(f"{millis}", "timestamp", times="connect") == at
    assert read_value(f"{millis}000", "timestamp", times="adaptive") == at
    assert read_value(f"{millis}", "timestamp", times="adaptive", digits={"a": 3}) == at
    assert read_value(f"{millis}000000", "timestamp", times="nanoseconds") == at
    assert read_value(f"{millis}000001", "timestamp", times="nanoseconds") is None
    assert read_value(f"{millis}000", "timestamp_ntz", times="microseconds") == local
    assert read_value('"2020-07-17T18:00:22.123Z"', "timestamp_ntz") == local
    assert read_value('"2020-07-17 20:00:22.123"', "timestamp", zone="Europe/Berlin") == at
    assert read_value('"2026-03-29 02:30:00"', "timestamp", zone="Europe/Berlin") is None
    assert read_value('"2026-10-25 02:30:00"', "timestamp", zone="Europe/Berlin") is None
    assert read_value('"2020-07-17T18:00:22.123Z"', "timestamp", zone="Europe/Berlin") == at
    assert read_value('"MDk="', "decimal(9,2)", decimals="precise") == Decimal("123.45")
    assert read_value('{"scale":1,"value":"MDk="}', "decimal(9,2)", decimals="precise") == Decimal(
        "1234.5"
    )
    assert read_value('"MDk="', "decimal(9,2)") is None
    assert read_value("123.45", "decimal(9,2)", decimals="double") == Decimal("123.45")
    assert read_value('"AP8="', "binary") == b"\x00\xff"
    assert read_value('"_-8="', "binary", binary="base64-url-safe") == b"\xff\xef"
    assert read_value('"00ff"', "binary", binary="hex") == b"\x00\xff"
    assert read_value('"nine.bin"', "binary", binary="latin1") == b"nine.bin"
    assert read_value("[1,2]", "array<int>") == [1, 2]
    assert read_value('[1,"x"]', "array<int>") is None
    assert read_value(
        '{"b":"2020-07-17","c":{"k":1.50}}', "struct<b:date,c:map<string,decimal(3,2)>>"
    ) == (*(day, {"k": Decimal("1.50")}),)
    assert read_value('"{\\"b\\": 7}"', "struct<b:int>") == (7,)
    assert read_value('{"$numberLong":"1001"}', "bigint", documents=True) == 1001
    assert read_value(f'{{"$date":{millis}}}', "timestamp", documents=True) == at


def test_a_string_of_a_document_stays_whatever_it_spells(spark):
    wrapped = [
        '{"$oid":"abc"}',
        '{"$date":1788256800000}',
        '{"$date":"2026-09-01T10:00:00Z"}',
        '{"$numberLong":"5"}',
        '{"$binary":{"base64":"AP8=","subType":"00"}}',
    ]
    strings = [json.dumps(text) for text in wrapped]
    texts = values(spark, [*wrapped, *strings], "string", documents=True)
    plain = ["abc", "2026-09-01 10:00:00", "2026-09-01T10:00:00Z", "5", "AP8="]
    assert [texts[text] for text in wrapped] == plain
    assert [texts[text] for text in strings] == wrapped
    numbers = values(spark, [wrapped[3], strings[3]], "bigint", documents=True)
    assert numbers == {wrapped[3]: "5", strings[3]: None}
    lists = values(spark, [f"[{wrapped[0]},{strings[0]}]"], "array<string>", documents=True)
    assert list(lists.values()) == ['[abc, {"$oid":"abc"}]']


def values(spark, cases, ddl, **modes):
    """By value in JSON, its text in the type `ddl`; null where it cannot be read."""
    frame = spark.createDataFrame([(f'{{"a":{case}}}',) for case in cases], "j string")
    parsed = json_text.with_object(frame, F.col("j"), "v")
    text = parsed.selectExpr("v", f"{column_text('v', 'a', Modes(**modes))} AS x")
    typed = f"CAST({column_value('v', 'a', 'x', ddl, Modes(**modes))} AS string) AS r"
    return dict(zip(cases, (row.r for row in text.selectExpr(typed).collect()), strict=True))


def test_counts_at_the_ends_of_their_ranges(spark):
    seconds = 253_402_300_800
    days = {
        "-2147483648": None,
        "2147483647": None,
        "2932896": "9999-12-31",
        "2932897": None,
        "-1": "1969-12-31",
    }
    assert values(spark, days, "date", times="microseconds") == days
    for times, unit, text in (
        ("microseconds", 10**6, "9999-12-31 23:59:59.999999"),
        ("connect", 10**3, "9999-12-31 23:59:59.999"),
    ):
        moments = {
            f"{seconds * unit - 1}": text,
            f"{seconds * unit}": None,
            f"{2**63 - 1}": None,
            f"{-(2**63)}": None,
        }
        for ddl in ("timestamp", "timestamp_ntz"):
            assert values(spark, moments, ddl, times=times) == moments
    nanos = {"9223372036854775000": "2262-04-11 23:47:16.854775", f"{-(2**63)}": None}
    assert values(spark, nanos, "timestamp", times="nanoseconds") == nanos


def test_a_text_that_holds_more_than_its_json_is_refused(spark):
    texts = {
        '["a"]': "[a]",
        ' ["a"]\t': "[a]",
        "[1, 2.50]": "[1, 2.50]",
        r'["a\u0041", "\"]"]': '[aA, "]]',
        r'["\\ufdd0"]': r"[\ufdd0]",
        '["a"]["b"]': None,
        '["a"], ["b"]': None,
        '["a"] x': None,
        '["a"],': None,
        '["a"]]': None,
        '["a"': None,
        "[1][2]": None,
        "[1] 2": None,
        "[1],2": None,
        r'["a"],"\ufdd0"]': None,
        '["a"],"\ufdd0"]': None,
        "": None,
        "a": None,
    }
    read = values(spark, [json.dumps(text) for text in texts], "array<string>")
    assert {json.loads(case): value for case, value in read.items()} == texts


def test_floating_point_takes_no_number_that_it_would_round(spark):
    parts = {
        "9007199254740993": None,
        '"9007199254740993"': None,
        "9007199254740994": "9.007199254740994E15",
        "0.1": "0.1",
        '"0.1000000000000000000001"': None,
        "null": None,
    }
    assert values(spark, parts, "double") == parts
    arrays = {f"[0.5,{part}]": read and f"[0.5, {read}]" for part, read in parts.items()}
    arrays["[0.5,null]"] = "[0.5, null]"
    assert values(spark, arrays, "array<double>") == arrays


def _byte_arrays():
    """The bytes of the placeholder as arrays of numbers of several types."""
    numbers = list(b"__debezium_unavailable_value")
    decimals = [base64.b64encode(bytes([number])).decode() for number in numbers]
    scaled = [{"scale": 0, "value": code} for code in decimals]
    return [numbers, [float(n) for n in numbers], [str(n) for n in numbers], decimals, scaled]


def test_the_placeholder_of_an_unknown_value_has_many_forms(spark):
    forms = [
        "__debezium_unavailable_value",
        "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==",
        "5f5f646562657a69756d5f756e617661696c61626c655f76616c7565",
        '["__debezium_unavailable_value"]',
        '{"__debezium_unavailable_value":"__debezium_unavailable_value"}',
        '"__debezium_unavailable_value"',
        *(json.dumps(array, separators=(",", ":")) for array in _byte_arrays()),
    ]
    frame = spark.createDataFrame([(f,) for f in [*forms, "x", None]], "t string")
    section = DebeziumChanges(kind="debezium", path="x", snapshot={"policy": "in-log"})
    assert [r.u for r in frame.selectExpr(f"{is_unavailable('t', section)} AS u").collect()] == [
        *(True for _ in forms),
        False,
        False,
    ]
