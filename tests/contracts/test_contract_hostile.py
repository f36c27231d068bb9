"""Hostile values: whatever a row holds, the pass ends, and each row has its verdict."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.translator import column
from support.contracts import contract, failed

TEXTS = [
    "",
    "\x00",
    "a\x00b",
    "".join(map(chr, range(32))),
    "\r\n\u2028\u2029\x85",
    "\u202eevil\ufeff",
    "😀" * 3,
    "e\u0301",
    "$1 \\1 \\E ${x} %s {{7*7}} <script>",
    "'; drop table orders; --",
    "ab" * 1_000_000,
    "😀" * 200_000,
    "(" * 100_000,
]


def test_texts(spark: SparkSession) -> None:
    rows = contract(
        {
            "eq": (T.StringType, column(doc="t", isin=["a\x00b", "'; drop table orders; --"])),
            "dots": (T.StringType, column(doc="t", str_matches=r"^(?:ab)*+$")),
            "lazy": (T.StringType, column(doc="t", str_contains=r"\w*?(?:[.(]|$){1,3}x")),
            "start": (T.StringType, column(doc="t", str_startswith="\x00")),
            "short": (T.StringType, column(doc="t", str_length=(1, 3))),
        }
    )
    failed_checks = failed(
        spark, rows, [dict.fromkeys(("eq", "dots", "start", "short"), t) for t in TEXTS]
    )
    for text, broken in zip(TEXTS, failed_checks, strict=True):
        assert broken == [
            *(["eq:isin"] if text not in ("a\x00b", "'; drop table orders; --") else []),
            *(["dots:matches"] if text.replace("ab", "") else []),
            *(["start:startswith"] if not text.startswith("\x00") else []),
            *(["short:length"] if not 1 <= len(text) <= 3 else []),
        ]
    # A pattern that tries every start costs the square of the length: of a short text, no more.
    assert failed(spark, rows, [{"lazy": "(" * 2000}]) == [["lazy:contains"]]


EDGES = [
    (T.ByteType, [-(2**7), 2**7 - 1], 0),
    (T.ShortType, [-(2**15), 2**15 - 1], 0),
    (T.IntegerType, [-(2**31), 2**31 - 1], 0),
    (T.LongType, [-(2**63), 2**63 - 1], 0),
    (Annotated[T.DecimalType, 38, 0], [Decimal("9" * 38), Decimal("-" + "9" * 38)], 0),
    (Annotated[T.DecimalType, 38, 38], [Decimal("0." + "9" * 38), -Decimal("1E-38")], Decimal(0)),
    (T.DoubleType, [5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), -0.0], 1.5),
    (T.FloatType, [1.401298464324817e-45, 3.4028234663852886e38, float("nan")], 1.5),
    (T.DateType, [dt.date.min, dt.date(1582, 10, 10), dt.date.max], dt.date(2026, 1, 1)),
    (
        T.TimestampType,
        [
            dt.datetime.min.replace(tzinfo=dt.UTC),
            dt.datetime(1582, 10, 10, tzinfo=dt.UTC),
            dt.datetime.max.replace(tzinfo=dt.UTC),
        ],
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    ),
    (T.BinaryType, [b"", bytes(range(256)), b"x" * 1_000_000], b"y"),
]  # fmt: skip


def test_the_edges_of_every_type_equal_themselves_and_nothing_else(spark: SparkSession) -> None:
    columns, rows, expected = {}, [], []
    for i, (kind, edges, ordinary) in enumerate(EDGES):
        finite = [e for e in edges if e == e and e not in (float("inf"), float("-inf"))]
        columns[f"in{i}"] = (kind, column(doc="it", isin=finite))
        columns[f"out{i}"] = (kind, column(doc="it", notin=[*finite, ordinary]))
        for edge in edges:
            listed = edge in finite
            rows.append({f"in{i}": edge, f"out{i}": edge})
            expected.append([f"out{i}:notin"] if listed else [f"in{i}:isin"])
    assert failed(spark, contract(columns), rows) == expected
