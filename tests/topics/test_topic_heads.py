"""Heads of lines: they tell records apart as reading does."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.topics.files import FileTopics
from cutline.topics.lines import content_of, heads, records

LINES = {
    "as they are written": b'{"partition":0,"offset":3,"timestamp":"2026-01-02T03:04:05.000006Z",'
    b'"key":"a","headers":{"ce_id":"1","migrunid":"run-1"},"value":{"n":12345678901234567890.10}}',
    "a tombstone": b'{"partition":0,"offset":4,"key":"a","headers":{},"value":null}',
    "without a value": b'{"key":"a","offset":5,"headers":{"ce_id":"2"}}',
    "without a key": b'{"partition":0,"offset":6,"key":null,"headers":{"x":null},"value":[]}',
    "of another order, with blanks": b' { "value" : "t" , "headers":{ "ce_id" : "3" }, '
    b'"key" : "\\u00e9\\n" , "offset" : 7 } ',
    "with other things for texts": b'{"offset":"8","key":9,"headers":{"a":1,"b":{"c":2}},'
    b'"value":false}',
    "with a headers that is none": b'{"offset":10,"key":"a","headers":"none","value":1}',
    "cut off": b'{"partition":0,"offset":11,"key":"a","headers":{"ce_id":"4"},"val',
    "cut off where an object ends": b'{"partition":0,"offset":12,"key":"a","headers":{"x":"y"}',
    "no JSON": b"\xff\x00",
    "no object": b'["offset",1]',
    "empty": b"",
    "blank": b"   ",
    "with another behind it": b'{"offset":13,"key":"a"} {"offset":14,"key":"b"}x',
    "with no number": b'{"offset":15,"key":"a","value":NaN}',
    "with names within names": b'{"offset":16,"key":"a","headers":{"ce_id":"5"},'
    b'"value":{"key":"b","headers":{"ce_id":"6"},"offset":17}}',
}


@pytest.mark.parametrize("kind", LINES)
def test_the_head_of_a_line_is_what_reading_gives(
    kind: str, spark: SparkSession, tmp_path: Path
) -> None:
    topic = tmp_path / "a.b.c"
    topic.mkdir()
    (topic / "00002.jsonl").write_bytes(LINES[kind] + b"\n" + LINES["as they are written"])
    lines = spark.read.text(f"file://{topic}/00002.jsonl", lineSep="\n")
    names = ["topic", "partition", "offset", "key", "line"]
    in_headers = [f"headers.{name} AS {name}" for name in ("ce_id", "migrunid", "b")]
    expected = records(lines).selectExpr(*names, *in_headers)
    of_lines = heads(lines, "ce_id", "migrunid", "b")
    assert of_lines.select(expected.columns).collect() == expected.collect()


@pytest.mark.parametrize("value", [None, "null", '{"n":1.10,"text":"ü\\u0041"}', "[1,\n2]", '"a"'])
def test_the_content_of_a_line_is_that_of_the_value_written(
    value: str | None, spark: SparkSession, tmp_path: Path
) -> None:
    topics = FileTopics(str(tmp_path), 1)
    columns = "key string, headers map<string,string>, value string, timestamp timestamp"
    headers = {"ce_id": "1", "z": ',"value":'}
    records_of_run = spark.createDataFrame([('k,"value":', headers, value, None)], columns)
    topics.append("a.b.c", "run-1", records_of_run)
    lines = spark.read.text(f"file://{tmp_path}/a.b.c/00000.jsonl", lineSep="\n")
    [(written,)] = heads(lines).select("content").collect()
    assert records_of_run.select(content_of(F.col("value"))).collect() == [(written,)]
