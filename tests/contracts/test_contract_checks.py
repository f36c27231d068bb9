"""Each kind of check on a few values: which break it. A null breaks only `nullable`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.translator import column
from support.contracts import contract, failed

UTC = dt.UTC
NOON = dt.datetime(2026, 11, 1, 12, tzinfo=UTC)
TICK = dt.timedelta(microseconds=1)
PRICE = Annotated[T.DecimalType, 12, 2]

# type, checks, values that are good, values that are not, the rule
CASES: list[tuple[Any, dict[str, Any], list[Any], list[Any], str]] = [
    (T.LongType, {"eq": 5}, [5], [4, 6], "eq"),
    (T.LongType, {"ne": 5}, [4, 6], [5], "ne"),
    (T.LongType, {"gt": 5}, [6, 2**63 - 1], [5, -(2**63)], "gt"),
    (T.LongType, {"ge": 5}, [5, 6], [4], "ge"),
    (T.LongType, {"lt": 5}, [4], [5], "lt"),
    (T.LongType, {"le": 5}, [5], [6], "le"),
    (T.IntegerType, {"le": 2**31 - 2}, [-(2**31)], [2**31 - 1], "le"),
    (T.LongType, {"in_range": (1, 3)}, [1, 2, 3], [0, 4], "in_range"),
    (T.LongType, {"in_range": (1, 3, False, True)}, [2, 3], [1, 4], "in_range"),
    (T.LongType, {"in_range": {"min_value": 1, "max_value": 3, "include_max": False}}, [1], [3], "in_range"),
    (T.LongType, {"between": (1, 3)}, [1, 3], [0], "in_range"),
    (T.LongType, {"isin": [1, 2]}, [1, 2], [0, 3], "isin"),
    (T.LongType, {"notin": [1, 2]}, [0, 3], [1, 2], "notin"),
    (PRICE, {"ge": Decimal("0.005")}, [Decimal("0.01")], [Decimal("0.00")], "ge"),
    (PRICE, {"lt": 10**9}, [Decimal("999999999.99")], [Decimal("1000000000.00")], "lt"),
    (PRICE, {"isin": [Decimal("1.10"), 2]}, [Decimal("1.1"), Decimal(2)], [Decimal("1.11")], "isin"),
    (T.DoubleType, {"gt": 0.1}, [0.2, float("inf"), float("nan")], [0.1, -0.0], "gt"),
    (T.FloatType, {"eq": 0.5}, [0.5], [0.25], "eq"),
    (T.BooleanType, {"eq": True}, [True], [False], "eq"),
    (T.DateType, {"ge": dt.date(2026, 1, 1)}, [dt.date(2026, 1, 1)], [dt.date(2025, 12, 31)], "ge"),
    (T.DateType, {"notin": [dt.date(1, 1, 1)]}, [dt.date(1, 1, 2)], [dt.date(1, 1, 1)], "notin"),
    (T.TimestampType, {"gt": NOON}, [NOON + TICK], [NOON, NOON - TICK], "gt"),
    (T.TimestampType, {"ne": dt.datetime(1, 1, 1, tzinfo=UTC)}, [NOON], [dt.datetime(1, 1, 1, tzinfo=UTC)], "ne"),
    (T.BinaryType, {"isin": [b"\x00\xff"]}, [b"\x00\xff"], [b"\x00", b""], "isin"),
    (T.StringType, {"eq": "é"}, ["é"], ["e\u0301", "É", "é "], "eq"),
    (T.StringType, {"isin": ["A", "it's"]}, ["A", "it's"], ["a", "A ", ""], "isin"),
    (T.StringType, {"str_matches": r"SO-\d{3}"}, ["SO-123", "SO-1234"], ["xSO-123", "SO-12", "\nSO-123"], "matches"),
    (T.StringType, {"str_matches": r"^SO-\d{3}$"}, ["SO-123", "SO-123\n"], ["SO-1234"], "matches"),
    (T.StringType, {"str_contains": r"\d"}, ["a1b"], ["ab", ""], "contains"),
    (T.StringType, {"str_startswith": "a%"}, ["a%b"], ["ab", "A%"], "startswith"),
    (T.StringType, {"str_endswith": ".x"}, ["a.x", ".x"], ["ax", "a.X"], "endswith"),
    (T.StringType, {"str_length": (1, 2)}, ["a", "é😀"], ["", "abc"], "length"),
    (T.StringType, {"str_length": 2}, ["ab"], ["a", "abc"], "length"),
    (T.StringType, {"str_length": {"min_value": 2}}, ["ab"], ["a"], "length"),
    (T.StringType, {"str_length": {"max_value": 2}}, ["", "ab"], ["abc"], "length"),
]  # fmt: skip


def test_each_check_judges_each_value(spark: SparkSession) -> None:
    columns = {
        f"c{i}": (kind, column(doc="it", **checks)) for i, (kind, checks, *_) in enumerate(CASES)
    }
    rows, expected = [], []
    for i, (_, _, good, bad, rule) in enumerate(CASES):
        for value in [*good, *bad, None]:
            rows.append({f"c{i}": value})
            expected.append([f"c{i}:{rule}"] if value in bad else [])
    assert failed(spark, contract(columns), rows) == expected


def test_all_checks_that_a_row_fails_are_told_in_the_order_of_declaration(
    spark: SparkSession,
) -> None:
    rows = contract(
        {
            "status": (T.StringType, column(doc="s", nullable=False, isin=["N"], str_length=1)),
            "cents": (T.LongType, column(doc="c", ge=0, ne=-1, isin=[1, 2])),
        }
    )
    assert failed(
        spark,
        rows,
        [
            {"status": "N", "cents": 1},
            {"status": "XX", "cents": -1},
            {"status": None, "cents": None},
            {"status": None, "cents": 3},
        ],
    ) == [
        [],
        ["status:isin", "status:length", "cents:ne", "cents:ge", "cents:isin"],
        ["status:nullable"],
        ["status:nullable", "cents:isin"],
    ]


def test_a_contract_of_very_many_columns(spark: SparkSession) -> None:
    wide = contract(
        {f"c{i}": (T.LongType, column(doc="n", nullable=False, ge=i)) for i in range(120)}
    )
    (failed_checks,) = failed(spark, wide, [{f"c{i}": 60 for i in range(119)}])
    assert failed_checks == [*(f"c{i}:ge" for i in range(61, 119)), "c119:nullable"]
