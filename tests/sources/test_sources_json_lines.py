"""JSON lines: numbers keep their digits, and a line that is no object is not lost."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Adjustment(SourceContract):
    """One adjustment of stock."""

    adjustment_no: T.StringType = column(doc="its number", nullable=False)
    delta: T.LongType = column(doc="pieces")
    amount: Annotated[T.DecimalType, 38, 2] = column(doc="euros")
    reason: T.StringType = column(doc="why, as JSON where it is nested")

    class Config:
        metadata = table("nightly", "adjustments", key=["adjustment_no"])


def nightly(tmp_path, content):
    write(tmp_path / "in" / "adjustments.jsonl", content)
    tables = {"adjustments": {"path": "adjustments.jsonl", "region": "region = :region"}}
    sources = {"nightly": {"kind": "jsonl", "path": "in", "tables": tables}}
    return Extract(tmp_path, sources, (Adjustment,))


def test_every_line_has_its_row(spark, tmp_path):
    lines = [
        b'{"adjustment_no":"1","region":"eu","delta":-3,"amount":12345678901234567890.10,'
        b'"reason":"say \\"5, 6\\""}',
        b'{"adjustment_no":"2","region":"eu","delta":2,"amount":1.50,'
        b'"reason":{"codes": [1, 2.50, 1e5], "text":"7"}}\r',
        b'{"adjustment_no":"3","region":"us","delta":1,"amount":1,"reason":"another region"}',
        b"",
        b'{"adjustment_no":"4","region":"eu","delta":1.5,"amount":"1.005","reason":true}',
        b'{"adjustment_no":5,"region":"eu","extra":[1]}',
        b'{"adjustment_no":"6","region":"eu","del',
        b'[{"adjustment_no":"7","region":"eu"}]',
        b'{"adjustment_no":"8","region":"eu"} {"adjustment_no":"9","region":"eu"}',
        b'{"adjustment_no":"10","region":"eu","delta":1,"delta":2}',
        b'{"adjustment_no":"11","region":"eu","reason":"caf\xe9"}',
        b'{"adjustment_no":null,"region":"eu"}',
        b'{"adjustment_no":"12","region":"eu","delta":1},{}',
    ]
    extracted = nightly(tmp_path, b"\n".join(lines)).run(spark)
    malformed = (None, None, None, None, None, ["malformed-line"])
    expected = [
        ('["1"]', "1", -3, "12345678901234567890.10", 'say "5, 6"', []),
        ('["2"]', "2", 2, "1.50", '{"codes":[1,2.50,1e5],"text":"7"}', []),
        ('["4"]', "4", None, None, "true", ["wrong-type:delta", "wrong-type:amount"]),
        ('["5"]', "5", None, None, None, []),
        (None, None, None, None, None, ["not-in-encoding"]),
        (None, None, None, None, None, ["null-key:adjustment_no"]),
        *[malformed] * 5,
    ]
    assert extracted.rows(
        "nightly_adjustments",
        "key",
        "after.adjustment_no",
        "after.delta",
        "cast(after.amount as string)",
        "after.reason",
        "defects",
    ) == sorted(expected, key=repr)
    assert extracted.result.rows_in == extracted.result.rows_out == 11
    payloads = [p for (p,) in extracted.rows("nightly_adjustments", "payload") if p]
    assert '{"adjustment_no":"6","region":"eu","del' in payloads


def test_a_line_that_is_no_object_belongs_to_every_slice(spark, tmp_path):
    extract = nightly(
        tmp_path, '{"adjustment_no":"1","region":"eu","delta":1,"amount":1,"reason":""}\nnonsense\n'
    )
    assert extract.run(spark, "us").rows("nightly_adjustments", "defects") == [
        (["malformed-line"],)
    ]


@pytest.mark.parametrize("content", ["", "\n\n", "nonsense\n"])
def test_a_file_without_objects_is_an_empty_table(spark, tmp_path, content):
    sources = nightly(tmp_path, content)
    # Without an object the predicate's column is not known to be there.
    sources.sources["nightly"]["tables"]["adjustments"]["region"] = None
    assert sources.run(spark).result.rows_out == len(content.split())


def test_a_column_that_is_mostly_left_out_is_there_and_a_misspelt_one_is_not(spark, tmp_path):
    plain = '{"adjustment_no":"%d","region":"eu","delta":1,"reason":""}\n'
    lines = "".join(plain % n for n in range(1_500))
    sparse = '{"adjustment_no":"x","region":"eu","amount":7}\n'
    extracted = nightly(tmp_path, lines + sparse).run(spark)
    assert (
        extracted.lake.read(spark, "changes_nightly_adjustments").where("after.amount = 7").count()
        == 1
    )
    with pytest.raises(ConfigurationError) as raised:
        nightly(tmp_path, (lines + sparse).replace("amount", "amout")).run(spark)
    assert "lacks column 'amount'" in raised.value.what
    assert "adjustments.jsonl" in raised.value.what


LINE = '{"adjustment_no":"1","region":"eu","delta":1,"amount":1,"reason":""}'


def test_keys_that_nobody_reads_may_be_any(spark, tmp_path):
    more = {"o'clock": 1, 'q"': 2, "": 3, "c`d": 4, "e]": 5, "$": 6, "b\\s": 7, "a.b": 8}
    strange = json.loads(LINE) | {"adjustment_no": "2", "note": 1, "NOTE": 2} | more
    extracted = nightly(tmp_path, f"{LINE}\n{json.dumps(strange)}\n").run(spark)
    assert extracted.rows("nightly_adjustments", "key", "defects") == [('["1"]', []), ('["2"]', [])]


@pytest.mark.parametrize(
    ("line", "twin"),
    [
        (LINE.replace("adjustment_no", "Adjustment_No"), "Adjustment_No"),
        (LINE.replace('"reason"', '"DELTA":2,"reason"'), "DELTA"),
    ],
)
def test_a_key_in_two_spellings_is_refused(spark, tmp_path, line, twin):
    with pytest.raises(ConfigurationError) as raised:
        nightly(tmp_path, f"{LINE}\n{line}\n").run(spark)
    assert f"adjustments.jsonl has the key {twin!r}, which differs from" in raised.value.what
    assert raised.value.what.startswith("sources.nightly.tables.adjustments.path: ")


def test_a_rare_key_in_another_spelling_is_refused(spark, tmp_path):
    in_capitals = LINE.replace("amount", "AMOUNT")
    with pytest.raises(ConfigurationError, match="'AMOUNT', which differs from 'amount'"):
        nightly(tmp_path, f"{in_capitals}\n" * 1_000 + LINE).run(spark)


class Quoted(SourceContract):
    """One adjustment with a key that no path can have."""

    adjustment_no: T.StringType = column(doc="its number", nullable=False)
    clock: T.StringType = column(alias="o'clock", doc="when")

    class Config:
        metadata = table("nightly", "adjustments", key=["adjustment_no"])


def test_a_key_with_a_quote_that_is_read_is_refused(spark, tmp_path):
    line = json.dumps({"adjustment_no": "1", "region": "eu", "o'clock": "7"})
    extract = dataclasses.replace(nightly(tmp_path, line), contracts=(Quoted,))
    with pytest.raises(ConfigurationError, match="with a quote in it"):
        extract.run(spark)
