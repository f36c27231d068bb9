"""Row checks: what must hold between the columns of one row."""

from __future__ import annotations

import datetime as dt

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, row_check, table
from support.changes import changes_table, snapshot
from support.contracts import failed, looked_at


class Order(SourceContract):
    """One row is one order."""

    id: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status", isin=["N", "R"])
    placed: T.DateType = column(doc="when it was placed")
    released: T.DateType = column(doc="when it was released")

    @row_check
    def in_order(cls, row):
        """It was released before it was placed."""
        return row.released >= row.placed

    @row_check
    def released_when(cls, row):
        """it is released, and does not say when"""
        return (row.status != "R") | row.released.isNotNull()

    class Config:
        metadata = table("old", "orders", key=["id"])


MONDAY, TUESDAY = dt.date(2026, 11, 2), dt.date(2026, 11, 3)
ROWS = [
    {"status": "R", "placed": MONDAY, "released": TUESDAY},
    {"status": "R", "placed": TUESDAY, "released": MONDAY},
    {"status": "R", "placed": TUESDAY},
    {"status": "X", "placed": TUESDAY, "released": MONDAY},
    {},
]


def test_a_row_check_is_judged_with_the_others(spark: SparkSession) -> None:
    assert failed(spark, Order, ROWS) == [
        [],
        ["in_order"],
        ["released_when"],
        ["status:isin", "in_order"],
        [],
    ]


def test_its_docstring_is_the_reason(spark: SparkSession) -> None:
    rows = [snapshot({"id": str(i), **row}) for i, row in enumerate(ROWS)]
    frame = looked_at(changes_table(spark, Order, rows), Order)
    reasons = {r["subject"]: r["row_end"]["reason"] for r in frame.collect() if r["row_end"]}
    assert reasons["3"] == (
        "the row breaks its contract: status is none of the allowed values; "
        "It was released before it was placed"
    )


def test_pandera_finds_the_same(spark: SparkSession) -> None:
    for row in ROWS:
        frame = spark.createDataFrame([row | {"id": "1"}], Order.to_structtype())
        ours = [c for c in failed(spark, Order, [row])[0] if ":" not in c]
        errors = Order.validate(frame).pandera.errors
        theirs = [e["check"] for e in errors.get("DATA", {}).get("DATAFRAME_CHECK", [])]
        assert [c for c in theirs if c in ("in_order", "released_when")] == ours


def aggregate(cls, row):
    """they are too many"""
    return F.count(row.id) < 5


def neighbour(cls, row):
    """the one before it is greater"""
    return F.lag(row.placed).over(Window.orderBy(row.id)) <= row.placed


def chance(cls, row):
    """it had no luck"""
    return F.rand() < 0.5


def today(cls, row):
    """it is of the future"""
    return row.placed <= F.current_timestamp()


def number(cls, row):
    """it is a number"""
    return F.length(row.status)


def constant(cls, row):
    """it is Python's"""
    return len("it") < 3


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (aggregate, "contract Wrong, row check aggregate uses aggregate: it looks at other rows"),
        (neighbour, "row check neighbour uses window: it looks at other rows"),
        (chance, "row check chance uses rand: it gives another value each time"),
        (today, "row check today uses current_timestamp: it tells the time"),
        (number, "returns int, not boolean"),
        (constant, "returned bool; it must return a predicate"),
    ],
)
def test_what_does_not_tell_of_each_row_is_refused(spark: SparkSession, check, reason: str) -> None:
    class Wrong(Order):
        wrong = row_check(check)

        class Config:
            metadata = table("old", "orders", key=["id"])

    changes = changes_table(spark, Wrong, [snapshot({"id": "1"})])
    with pytest.raises(ConfigurationError, match=reason):
        looked_at(changes, Wrong)
