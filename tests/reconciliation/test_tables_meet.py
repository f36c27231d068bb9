"""The type in which two columns meet, and the number type that texts need: no Spark is asked."""

from __future__ import annotations

import pytest
from pyspark.sql import types as T

from cutline_reconciliation.tables.columns import SourceColumn, meet
from cutline_reconciliation.tables.digits import Digits


def kind(ddl: str | None) -> T.DataType | None:
    known = {
        "string": T.StringType(), "bigint": T.LongType(), "int": T.IntegerType(), "boolean": T.BooleanType(),
        "double": T.DoubleType(), "binary": T.BinaryType(), "timestamp": T.TimestampType(),
    }  # fmt: skip
    if ddl is None or ddl in known:
        return known.get(ddl or "")
    whole, scale = ddl.removeprefix("decimal(").rstrip(")").split(",")
    return T.DecimalType(int(whole), int(scale))


FIRM = True
CASES = [
    # of the left, firm, of the right, firm: how the left and the right are read
    (None, False, None, False, "string", "string"),
    (None, False, "timestamp", FIRM, "timestamp", "timestamp"),
    ("bigint", False, "decimal(12,2)", FIRM, "decimal(12,2)", "decimal(12,2)"),
    ("double", False, "decimal(12,2)", FIRM, "decimal(12,2)", "decimal(12,2)"),
    ("bigint", False, "string", FIRM, "string", "string"),
    ("bigint", FIRM, "string", FIRM, "bigint", "string"),
    ("bigint", False, None, False, "bigint", "bigint"),
    ("bigint", False, "decimal(5,3)", False, "decimal(22,3)", "decimal(22,3)"),
    ("decimal(38,0)", False, "decimal(38,38)", False, "string", "string"),
    ("double", False, "decimal(5,3)", False, "decimal(5,3)", "decimal(5,3)"),
    ("double", False, "bigint", False, "double", "double"),
    ("bigint", False, "boolean", False, "boolean", "boolean"),
    ("string", False, "bigint", False, "bigint", "bigint"),
    ("binary", False, "bigint", False, "string", "string"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "left_firm", "right", "right_firm", "one", "other"), CASES)
def test_what_has_no_types_gives_way(
    left: str | None, left_firm: bool, right: str | None, right_firm: bool, one: str, other: str
) -> None:
    mine = {"a": SourceColumn("a", "", kind(left), left_firm)}
    theirs = {"b": SourceColumn("b", "", kind(right), right_firm)}
    assert meet(mine, theirs, {"a": "b"}) == ({"a": kind(one)}, {"b": kind(other)})


def test_a_column_that_meets_none_keeps_its_own_type() -> None:
    mine = {"a": SourceColumn("a", "", kind("bigint")), "b": SourceColumn("b", "", None)}
    assert meet(mine, {}, {}) == ({"a": T.LongType(), "b": T.StringType()}, {})


@pytest.mark.parametrize(
    ("digits", "found"),
    [
        (Digits(18, 0, False), "bigint"),
        (Digits(19, 0, False), "decimal(19,0)"),
        (Digits(1, 1, False), "decimal(2,1)"),
        (Digits(20, 18, False), "decimal(38,18)"),
        (Digits(20, 19, False), None),
        (Digits(3, 2, True), "double"),
        (Digits(16, 2, True), None),
    ],
)
def test_numbers_get_the_narrowest_type_that_loses_nothing(digits: Digits, found: str) -> None:
    assert digits.kind() == kind(found)
