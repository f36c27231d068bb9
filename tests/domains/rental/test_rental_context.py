"""What the context of rentals declares, and what becomes of a rental: states of literal histories."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context import Requires
from cutline.engine.merge import with_verdicts
from cutline.engine.project import project
from cutline.tables.event import EVENTS
from cutline_domains.rental import RENTAL, RENTAL_CONTEXT

CUT = dt.datetime(2006, 2, 24, tzinfo=dt.UTC)
Happened = tuple[str, str, dict[str, Any]]


def started(on: str = "2005-05-24") -> Happened:
    data = {"customer_no": 130, "copy_no": 367, "film_no": 80, "store_no": 1}
    return ("RentalStarted", on, {**data, "started_at": f"{on}T00:00:00.000000Z"})


def returned(on: str) -> Happened:
    return ("RentalReturned", on, {"returned_at": f"{on}T00:00:00.000000Z"})


def paid(no: int, on: str, cents: int) -> Happened:
    return ("PaymentReceived", on, {"payment_no": no, "amount_cents": cents})


def struck(no: int, on: str, cents: int) -> Happened:
    return ("PaymentWithdrawn", on, {"payment_no": no, "amount_cents": cents})


RENTALS: dict[str, list[Happened]] = {
    "open": [started()],
    "paid at the counter": [paid(1, "2005-05-24", 299), started()],
    "paid twice": [started(), paid(1, "2005-05-24", 299), paid(2, "2005-05-27", 99)],
    "paid and back": [started(), paid(1, "2005-05-24", 299), returned("2005-05-26")],
    "payment struck": [
        started(),
        paid(1, "2005-05-24", 299),
        paid(2, "2005-05-27", 99),
        struck(1, "2005-05-28", 299),
    ],
    "paid before it began": [paid(1, "2005-05-23", 299), started()],
    "paid and never begun": [paid(1, "2005-05-24", 299)],
    "back and never begun": [returned("2005-05-26")],
    "struck from the books": [started(), ("RentalWithdrawn", "2005-05-25", {})],
    "struck after its return": [
        started(),
        returned("2005-05-26"),
        ("RentalWithdrawn", "2005-05-27", {}),
    ],
}


@pytest.fixture(scope="module")
def merged(spark: SparkSession):
    """The merge's judgement of all histories; facts are told apart by their place."""
    rows = [
        event(subject, place, *happened)
        for subject, history in RENTALS.items()
        for place, happened in enumerate(history)
    ]
    return with_verdicts(spark.createDataFrame(rows, EVENTS.ddl), RENTAL_CONTEXT).cache()


def event(subject: str, place: int, kind: str, on: str, data: dict[str, Any]) -> tuple[Any, ...]:
    """One row of the table of events."""
    attributes = {
        "id": f"{subject}-{place}",
        "source": "urn:test",
        "type": kind,
        "subject": subject,
        "time": dt.datetime.fromisoformat(on).replace(tzinfo=dt.UTC),
        "datacontenttype": "application/json",
        "partitionkey": subject,
        "sequence": f"{place:02d}",
        "migorigin": "synthetic",
        "migreplaysafe": False,
        "migconfidence": "exact",
        "migtimebasis": "effective",
        "migfactkey": f"{subject}-{place}",
        "aggregate": "rental",
        "side": "before",
        "data": json.dumps(data),
    }
    return tuple(attributes.get(name) for name in EVENTS.names)


@pytest.fixture(scope="module")
def states(spark: SparkSession, merged) -> Iterator[dict[str, Any]]:
    """The projected rentals by subject."""
    frame = project(merged.where("ordinal is not null"), RENTAL)
    frame.createOrReplaceTempView("state_rental")
    yield {row["subject"]: row for row in frame.collect()}
    spark.catalog.dropTempView("state_rental")


def test_a_return_needs_a_beginning_and_a_payment_only_expects_one() -> None:
    laws = {rule.rule for rule in RENTAL.order if isinstance(rule, Requires)}
    assert laws == {
        "RentalReturned-requires-RentalStarted",
        "PaymentWithdrawn-requires-PaymentReceived",
    }
    assert RENTAL.finding_rules() == (
        "paid-before-start",
        "paid-without-rental",
        "withdrawn-after-return",
    )


def test_what_cannot_be_is_held_and_what_is_odd_is_found(merged) -> None:
    rules_of_held = {row["id"]: row["rule"] for row in merged.where("verdict = 'held'").collect()}
    assert rules_of_held == {"back and never begun-0": "RentalReturned-requires-RentalStarted"}
    findings = merged.select("subject", F.explode("findings.rule").alias("rule")).collect()
    assert {row["subject"]: row["rule"] for row in findings} == {
        "paid before it began": "paid-before-start",
        "paid and never begun": "paid-without-rental",
        "struck after its return": "withdrawn-after-return",
    }


def test_where_a_copy_is_and_what_was_paid(states) -> None:
    rentals = {
        subject: (row["status"], row["payments"], row["paid_cents"])
        for subject, row in states.items()
    }
    assert rentals == {
        "open": ("out", 0, 0),
        "paid at the counter": ("out", 1, 299),
        "paid twice": ("out", 2, 398),
        "paid and back": ("returned", 1, 299),
        "payment struck": ("out", 1, 99),
        "paid before it began": ("out", 1, 299),
        "paid and never begun": (None, 1, 299),
    }
    back = states["paid and back"]
    assert (back["copy_no"], back["store_no"]) == (367, 1)
    assert back["returned_at"] == dt.datetime(2005, 5, 26)


def test_the_copies_that_are_out_and_the_money_of_each_rental(spark: SparkSession, states) -> None:
    out, money = (
        {row["subject"]: row["value"] for row in spark.sql(outcome.decide).collect()}
        for outcome in RENTAL_CONTEXT.outcomes
    )
    assert out == {
        "open": 367,
        "paid at the counter": 367,
        "paid twice": 367,
        "payment struck": 367,
        "paid before it began": 367,
    }
    assert money == {subject: row["paid_cents"] for subject, row in states.items()}
    assert money["paid twice"] == 398
