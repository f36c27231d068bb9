"""What a column gives to a payload's field: taken as it is, cast without loss, or a fault."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context import Event, ValueObject
from cutline.engine.payloads import Payload, given_columns
from cutline.errors import ConfigurationError
from cutline.identity.columns import finished

Money = Annotated[Decimal, Field(max_digits=7, decimal_places=2)]


class Piece(ValueObject):
    """A part of a bundle."""

    quantity: Annotated[int, Field(gt=0)]
    sku: Annotated[str, Field(min_length=1)]
    note: str | None = None


class Sold(Event):
    """Everything was sold."""

    count: int | None = None
    due: dt.date | None = None
    flag: bool | None = None
    money: Money | None = None
    pieces: list[Piece] | None = None
    sent: dt.datetime | None = None
    size: Annotated[Decimal, Field(max_digits=38, decimal_places=2)] | None = None
    text: str | None = None
    words: list[str] | None = None


# field, an SQL expression for it, then its fault or its JSON text
EXPRESSIONS = [
    ("count", "7", None, "7"),
    ("count", "cast(7 as smallint)", None, "7"),
    ("count", "' 12 '", None, "12"),
    ("count", "'1.5'", "count", None),
    ("count", "cast(1.5 as decimal(38,30))", "count", None),
    ("count", "cast(2 as decimal(38,30))", None, "2"),
    ("count", "9223372036854775808", "count", None),
    ("count", "cast(1.5 as double)", "count", None),
    ("count", "cast('NaN' as double)", "count", None),
    ("count", "null", None, "null"),
    ("money", "1.10", None, '"1.10"'),
    ("money", "'1.1'", None, '"1.10"'),
    ("money", "'1.005'", "money", None),
    ("money", "'1.0050000000000000000000000001'", "money", None),
    ("money", "cast('1.000000000000000001' as decimal(38,18))", "money", None),
    ("money", "cast('99999.999' as decimal(8,3))", "money", None),
    ("money", "cast('0.10' as double)", None, '"0.10"'),
    ("money", "cast('1.005' as double)", "money", None),
    ("money", "100000", "money", None),
    ("money", "'-0.00'", None, '"0.00"'),
    ("money", "'1.00000000000000000000000000001'", "money", None),
    ("money", "'1e-40'", "money", None),
    ("money", "'1500e-3'", None, '"1.50"'),
    ("money", "'0e-9'", None, '"0.00"'),
    ("count", "'0.00000000000000000001'", "count", None),
    ("size", "'1.005'", "size", None),
    ("size", "'1.0001'", "size", None),
    ("size", "'123456789012345678901234567890123456.78'", None,
     '"123456789012345678901234567890123456.78"'),
    ("size", "' +1.500 '", None, '"1.50"'),
    ("size", "'1005e-3'", "size", None),
    ("size", "'15e1'", None, '"150.00"'),
    ("size", "'n/a'", "size", None),
    ("size", "cast('1.005' as double)", "size", None),
    ("due", "' 2026-02-28 '", None, '"2026-02-28"'),
    ("due", "'2026-2-8'", None, '"2026-02-08"'),
    ("due", "'2026-02-28 00:00:00.000'", None, '"2026-02-28"'),
    ("due", "'2026-02-28T00:00Z'", None, '"2026-02-28"'),
    ("due", "'2026-02-28 23:59:59'", "due", None),
    ("due", "'2026-02-28T00:00:00.5'", "due", None),
    ("due", "'2026-02-28 or later'", "due", None),
    ("due", "'2026-02'", "due", None),
    ("due", "'2026'", "due", None),
    ("due", "date'2026-02-28'", None, '"2026-02-28"'),
    ("due", "timestamp'2026-02-28 00:00:00'", None, '"2026-02-28"'),
    ("due", "timestamp'2026-02-28 00:00:01'", "due", None),
    ("due", "'2026-02-30'", "due", None),
    ("due", "date'0001-01-01'", None, '"0001-01-01"'),
    ("due", "date_sub(date'0001-01-01', 1)", "due", None),
    ("due", "date_add(date'9999-12-31', 1)", "due", None),
    ("sent", "timestamp'9999-12-31 23:59:59.999999'", None, '"9999-12-31T23:59:59.999999Z"'),
    ("sent", "timestamp'9999-12-31 23:59:59.999999' + interval 1 microsecond", "sent", None),
    ("sent", "timestamp'0001-01-01 00:00:00' - interval 1 microsecond", "sent", None),
    ("sent", "'soon'", "sent", None),
    ("sent", "'2026-02-28'", None, '"2026-02-28T00:00:00.000000Z"'),
    ("sent", "'2026-02-28 10:11:12+01:00'", None, '"2026-02-28T09:11:12.000000Z"'),
    ("sent", "'2026-02-28T10:11:12.123456000Z'", None, '"2026-02-28T10:11:12.123456Z"'),
    ("sent", "'2026-02-28T10:11:12.1234567Z'", "sent", None),
    ("sent", "'10:11:12'", "sent", None),
    ("sent", "'T10:11'", "sent", None),
    ("sent", "'2026'", "sent", None),
    ("flag", "'perhaps'", "flag", None),
    ("flag", "true", None, "true"),
    ("text", "'\U0001f600\n'", None, '"\U0001f600\\n"'),
    ("text", "cast(X'41FF' as string)", "text", None),
    ("text", "12", None, '"12"'),
    ("words", "array('a', cast(X'FF' as string))", "words[]", None),
    ("words", "array('a', null)", "words[]", None),
    ("words", "array(1, 2)", None, '["1","2"]'),
    # By name, whatever the order; what is left out may be null.
    (
        "pieces",
        "array(named_struct('sku', 's', 'quantity', 2))",
        None,
        '[{"note":null,"quantity":2,"sku":"s"}]',
    ),
    (
        "pieces",
        "array(named_struct('sku', 's', 'quantity', '2', 'note', 'n'))",
        None,
        '[{"note":"n","quantity":2,"sku":"s"}]',
    ),
    (
        "pieces",
        "array(named_struct('sku', 's', 'quantity', '2.5'))",
        "pieces[].quantity",
        None,
    ),
    (
        "pieces",
        "array(named_struct('sku', 's', 'quantity', 1), named_struct('sku', '', 'quantity', 1))",
        "pieces[].sku",
        None,
    ),
    ("pieces", "array(named_struct('sku', 's', 'quantity', 0L))", "pieces[].quantity", None),
    ("pieces", "array(cast(null as struct<sku:string,quantity:int>))", "pieces[]", None),
    ("pieces", "array(named_struct('sku', cast(null as string), 'quantity', 1))",
     "pieces[].sku", None),
]  # fmt: skip


def test_what_is_given_is_taken_exactly_or_named(spark: SparkSession) -> None:
    row = spark.range(1)
    columns = []
    for i, (field, sql, _, _) in enumerate(EXPRESSIONS):
        typed = row.select(F.expr(sql).alias(field)).schema
        payload = Payload(Sold, {field: F.expr(sql)}, {field: typed[field].dataType})
        columns += [
            payload.fault().alias(f"fault{i}"),
            finished(payload.json()).cast("binary").alias(f"json{i}"),
        ]
    payloads = row.select(*columns).first()
    assert payloads is not None
    for i, (field, sql, fault, json) in enumerate(EXPRESSIONS):
        expected = None if fault is None else f"payload:Sold.{fault}"
        assert payloads[f"fault{i}"] == expected, sql
        if fault is None:
            assert f'"{field}":{json}' in payloads[f"json{i}"].decode(), sql


@pytest.mark.parametrize(
    ("field", "sql", "says"),
    [
        ("sent", "5", "Sold.sent is timestamp, and the column given for it is int"),
        ("flag", "1", "Sold.flag is boolean, and the column given for it is int"),
        ("money", "date'2026-01-01'", "Sold.money is decimal(7,2), and the column"),
        ("text", "array('a')", "Sold.text is string, and the column given for it is array<string>"),
        ("words", "'a'", "Sold.words is array<string>, and the column given for it is string"),
        ("pieces", "array(named_struct('sku', 's'))", "Sold.pieces[].quantity is required but is"),
        (
            "pieces",
            "array(named_struct('sku', 's', 'quantty', 1))",
            "Sold.pieces[] has no field 'quantty'. Did you mean 'quantity'?",
        ),
    ],
)
def test_a_column_that_cannot_mean_the_field_is_refused(
    spark: SparkSession, field: str, sql: str, says: str
) -> None:
    kind = spark.range(1).select(F.expr(sql).alias(field)).schema[field].dataType
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        Payload(Sold, {field: F.expr(sql)}, {field: kind})


class Paid(Event):
    """Money came."""

    no: str
    note: str | None = None


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"noo": "1"}, "fact paid: Paid has no field 'noo'. Did you mean 'no'?"),
        ({"note": "x"}, "fact paid: Paid.no is required but has no source column"),
    ],
)
def test_fields_are_given_by_their_names(data: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        given_columns(Paid, data, "fact paid")
