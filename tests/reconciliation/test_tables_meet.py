"""The type in which two columns meet, and the number type that texts need: no Spark is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as T

from cutline_reconciliation.compare.tables.column_readings import (
    ColumnReading,
    SourceColumn,
    aligned_readings,
)
from cutline_reconciliation.compare.tables.value_digits import ValueDigits


def kind(ddl: str | None) -> T.DataType | None:
    types_by_name = {
        "string": T.StringType(), "bigint": T.LongType(), "int": T.IntegerType(), "boolean": T.BooleanType(),
        "double": T.DoubleType(), "binary": T.BinaryType(), "timestamp": T.TimestampType(),
    }  # fmt: skip
    if ddl is None or ddl in types_by_name:
        return types_by_name.get(ddl or "")
    whole, scale = ddl.removeprefix("decimal(").rstrip(")").split(",")
    return T.DecimalType(int(whole), int(scale))


FIRM = True
NUMBER, TEXT, BOOLEAN, MIXED = ({"number"}, {"text"}, {"boolean"}, {"number", "text"})
NESTED = {"nested"}
CASES = [
    # of the left, firm, its families, the same of the right: how the left and the right are read
    (None, False, (), None, False, (), "string", "string"),
    (None, False, (), "timestamp", FIRM, {"other"}, "timestamp", "timestamp"),
    (None, False, TEXT, "timestamp", FIRM, {"other"}, "timestamp", "timestamp"),
    (None, False, (), "bigint", FIRM, NUMBER, "bigint", "bigint"),
    ("bigint", False, NUMBER, "decimal(12,2)", FIRM, NUMBER, "decimal(12,2)", "decimal(12,2)"),
    ("bigint", False, NUMBER, None, False, (), "bigint", "bigint"),
    ("bigint", False, NUMBER, "decimal(5,3)", False, NUMBER, "decimal(22,3)", "decimal(22,3)"),
    ("decimal(38,0)", False, NUMBER, "decimal(38,38)", False, NUMBER, "number", "number"),
    (None, False, NUMBER, "bigint", False, NUMBER, "number", "number"),
    (None, False, NUMBER, None, False, (), "number", "number"),
    (None, False, NUMBER, "decimal(12,2)", FIRM, NUMBER, "decimal(12,2)", "decimal(12,2)"),
    ("double", False, NUMBER, None, False, NUMBER, "double", "double"),
    ("double", False, NUMBER, "decimal(5,3)", False, NUMBER, "decimal(5,3)", "decimal(5,3)"),
    ("double", False, NUMBER, "bigint", False, NUMBER, "double", "double"),
    ("binary", False, {"bytes"}, "bigint", False, NUMBER, "binary", "bigint"),
    # A text is no number and no boolean.
    (None, False, TEXT, "bigint", False, NUMBER, "string", "bigint"),
    (None, False, TEXT, "bigint", FIRM, NUMBER, "string", "bigint"),
    ("bigint", False, NUMBER, "string", FIRM, TEXT, "bigint", "string"),
    ("bigint", FIRM, NUMBER, "string", FIRM, TEXT, "bigint", "string"),
    (None, False, TEXT, "boolean", False, BOOLEAN, "string", "boolean"),
    ("bigint", False, NUMBER, "boolean", False, BOOLEAN, "bigint", "boolean"),
    # Of columns that hold both, every value says which it is.
    (None, False, MIXED, "bigint", FIRM, NUMBER, "marked", "marked"),
    (None, False, MIXED, None, False, TEXT, "marked", "marked"),
    (None, False, MIXED, None, False, MIXED, "marked", "marked"),
    (None, False, MIXED, None, False, (), "string", "string"),
    (None, False, NESTED, None, False, NESTED, "json", "json"),
    (None, False, NESTED, "string", FIRM, TEXT, "string", "string"),
    (None, False, MIXED, "timestamp", FIRM, {"other"}, "timestamp", "timestamp"),
]  # fmt: skip


def read(ddl: str) -> ColumnReading:
    if ddl in ("number", "marked", "json"):
        return ColumnReading(T.StringType(), ddl)
    return ColumnReading(kind(ddl))


@pytest.mark.parametrize(
    ("left", "left_firm", "these", "right", "right_firm", "those", "left_reading", "right_reading"),
    CASES,
)
def test_what_has_no_types_gives_way_and_a_text_is_no_number(
    left, left_firm, these, right, right_firm, those, left_reading, right_reading
) -> None:
    mine = {"a": SourceColumn("a", "", kind(left), left_firm, frozenset(these))}
    theirs = {"b": SourceColumn("b", "", kind(right), right_firm, frozenset(those))}
    assert aligned_readings(mine, theirs, {"a": "b"}) == (
        {"a": read(left_reading)},
        {"b": read(right_reading)},
    )


@pytest.mark.parametrize(
    ("reals", "right", "firm", "reading"),
    [
        (ValueDigits(1, 17, False), "decimal(5,3)", False, "decimal(19,17)"),
        (ValueDigits(16, 0, False), "decimal(5,3)", False, "decimal(22,3)"),
        (ValueDigits(1, 17, False), "decimal(24,1)", False, "number"),
        (ValueDigits(1, 340, False), "decimal(5,3)", False, "number"),
        (ValueDigits(1, 17, False), "bigint", False, "double"),
        (ValueDigits(1, 17, False), "decimal(5,3)", FIRM, "decimal(5,3)"),
    ],
)
def test_reals_beside_decimals_have_room_for_their_digits(
    reals: ValueDigits, right: str, firm: bool, reading: str
) -> None:
    mine = {"a": SourceColumn("a", "", kind("double"), False, frozenset(NUMBER))}
    mine["a"] = replace(mine["a"], value_digits=reals)
    theirs = {"a": SourceColumn("a", "", kind(right), firm, frozenset(NUMBER))}
    assert aligned_readings(mine, theirs, {"a": "a"}) == (
        {"a": read(reading)},
        {"a": read(reading)},
    )


def test_a_format_without_booleans_writes_them_as_numbers() -> None:
    mine = {
        "a": SourceColumn("a", "", T.LongType(), False, frozenset(NUMBER), without_booleans=True)
    }
    theirs = {"a": SourceColumn("a", "", T.BooleanType(), FIRM, frozenset(BOOLEAN))}
    assert aligned_readings(mine, theirs, {"a": "a"})[0] == {"a": read("boolean")}


def test_a_column_that_meets_none_keeps_its_own_type() -> None:
    mine = {"a": SourceColumn("a", "", kind("bigint")), "b": SourceColumn("b", "", None)}
    assert aligned_readings(mine, {}, {}) == ({"a": read("bigint"), "b": read("string")}, {})


@pytest.mark.parametrize(
    ("digits", "narrowest"),
    [
        (ValueDigits(18, 0, False), "bigint"),
        (ValueDigits(19, 0, False), "decimal(19,0)"),
        (ValueDigits(1, 1, False), "decimal(2,1)"),
        (ValueDigits(20, 18, False), "decimal(38,18)"),
        (ValueDigits(20, 19, False), None),
        (ValueDigits(3, 2, True), None),
    ],
)
def test_numbers_get_the_narrowest_type_that_loses_nothing(
    digits: ValueDigits, narrowest: str
) -> None:
    assert digits.kind() == kind(narrowest)
