"""Uniqueness among snapshot rows: every row of a duplicated value breaks it."""

from __future__ import annotations

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.translator import column
from support.changes import change, changes_table, position, snapshot
from support.contracts import contract, failed, looked_at

TEXT = T.StringType
LINES = contract(
    {
        "no": (TEXT, column(doc="n")),
        "line": (T.LongType, column(doc="l", ge=1, unique=True)),
    },
    unique=["no", "line"],
)


def test_every_row_of_a_duplicated_value_breaks_it(spark: SparkSession) -> None:
    rows = [
        {"no": "a", "line": 1},
        {"no": "a", "line": 1},
        {"no": "b", "line": 1},
        {"no": "a", "line": 0},
        {"no": "c", "line": 2},
    ]
    assert failed(spark, LINES, rows) == [
        ["line:unique", "no+line:unique"],
        ["line:unique", "no+line:unique"],
        ["line:unique"],
        ["line:ge"],
        [],
    ]


def test_rows_with_a_null_are_not_compared(spark: SparkSession) -> None:
    rows = [{"no": "a"}, {"no": "a"}, {"line": 1}, {"line": None}]
    assert failed(spark, LINES, rows) == [[], [], [], []]


def test_changes_are_new_images_of_rows_and_not_compared(spark: SparkSession) -> None:
    first, second = {"id": "1", "no": "a", "line": 1}, {"id": "2", "no": "b", "line": 2}
    changes = [
        snapshot(first),
        snapshot(second),
        change("u", 10, before=first, after=first | {"no": "c"}),
        change("c", 11, after=second | {"id": "3"}),
        change("d", 12, before=first),
    ]
    rows = changes_table(spark, LINES, changes, consistent_point=position(5))
    checked_rows = looked_at(rows, LINES).select("row_checks").collect()
    assert [r["row_checks"] for r in checked_rows] == [[]] * 5


def test_only_contracts_that_declare_it_pay_with_an_exchange(spark: SparkSession) -> None:
    plain = contract({"no": (TEXT, column(doc="n", nullable=False))})
    for rows, exchanges in ((plain, 0), (LINES, 2)):
        frame = looked_at(changes_table(spark, rows, [snapshot({"id": "1"})]), rows)
        plan = frame._jdf.queryExecution().executedPlan().toString()
        assert plan.count("Exchange hashpartitioning") == exchanges
