"""Who has an exception, what it is worth, and how old it is."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.api.triage.worklist import Owners, in_order, money_of, with_work
from cutline.control.triage import Assignment
from cutline.project.gates import AcceptedExceptions

NOW = dt.datetime(2026, 11, 20, 1, tzinfo=dt.UTC)
FIRST_SEEN_AT = dt.datetime(2026, 11, 1, 23, tzinfo=dt.UTC)


def assigned(
    number: int, owner: str | None, *, rule: str | None = None, exception: str | None = None
) -> Assignment:
    return Assignment("shop", "all", number, rule, exception, owner, None, "bo", NOW)


def accepted(rule: str, owner: str) -> AcceptedExceptions:
    return AcceptedExceptions(rule=rule, max_rate=1, reason="Known.", owner=owner)


@pytest.mark.parametrize(
    ("assignments", "owner"),
    [
        ([], "desk"),
        ([assigned(1, "anna", rule="r")], "anna"),
        ([assigned(1, "anna", exception="e")], "anna"),
        ([assigned(1, "anna", exception="other")], "desk"),
        ([assigned(2, "bob", rule="r"), assigned(1, "anna", exception="e")], "bob"),
        ([assigned(2, "anna", exception="e"), assigned(1, "bob", rule="r")], "anna"),
        ([assigned(10, "cy", rule="r"), assigned(9, "anna", exception="e")], "cy"),
        # Taken away: also from whoever accepts the rule.
        ([assigned(2, None, exception="e"), assigned(1, "bob", rule="r")], None),
        ([assigned(2, None, rule="r"), assigned(1, "anna", exception="e")], None),
    ],
)
def test_the_newest_assignment_decides(
    spark: SparkSession, assignments: list[Assignment], owner: str | None
) -> None:
    owners = Owners(assignments, [accepted("r", "desk"), accepted("s", "nobody")])
    rows = spark.sql("SELECT 'e' AS id, 'r' AS rule").select(owners.owner().alias("owner"))
    assert [row["owner"] for row in rows.collect()] == [owner]


@pytest.mark.parametrize(
    ("payload", "money"),
    [
        ('{"total": 12.5, "amount": 3}', "12.5"),
        ('{"amount": "7"}', "7"),
        ('{"total": null, "amount": -2}', "-2"),
        ('{"total": "much"}', None),
        ('{"nested": {"total": 1}}', None),
        ("no JSON", None),
        (None, None),
        ('{"a b": 4}', "4"),
    ],
)
def test_the_first_field_that_is_a_number_is_the_money(
    spark: SparkSession, payload: str | None, money: str | None
) -> None:
    rows = spark.createDataFrame([(payload,)], "payload string")
    fields = ["total", "amount", "a b"]
    [row] = rows.select(money_of(F.col("payload"), fields).alias("money")).collect()
    assert row["money"] == (None if money is None else Decimal(money))


def test_most_money_comes_first_and_then_the_oldest(spark: SparkSession) -> None:
    rows = [
        ("young", "r", '{"total": 1}', FIRST_SEEN_AT),
        ("old", "r", '{"total": 1}', FIRST_SEEN_AT - dt.timedelta(days=3)),
        ("rich", "r", '{"total": 5}', FIRST_SEEN_AT),
        ("poor", "r", "{}", FIRST_SEEN_AT - dt.timedelta(days=30)),
    ]
    history = spark.createDataFrame(
        rows, "id string, rule string, payload string, first_seen_at timestamp"
    ).withColumns({"aggregate": F.lit("order"), "subject": F.col("id")})
    work = in_order(with_work(history, Owners([], []), {"old": "paid"}, ["total"], NOW))
    listed = [(r["id"], r["age_days"], r["owner"], r["discarded"]) for r in work.collect()]
    assert listed == [
        ("rich", 19, None, None),
        ("old", 22, None, "paid"),
        ("young", 19, None, None),
        ("poor", 49, None, None),
    ]
