"""State from a timeline: every kind of declared column on literal events."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import ClassVar

from pydantic import Field
from pyspark.sql import SparkSession

from cutline.context import (
    Aggregate,
    Event,
    ValueObject,
    count,
    distinct,
    first,
    furthest_of_types,
    last_of_types,
    latest,
    total,
)
from cutline.engine.project import project, state_table


class Need(ValueObject):
    """A piece."""

    sku: str
    quantity: int


class Opened(Event):
    """It began."""

    owner: str
    at: dt.datetime
    needs: list[Need]


class Paid(Event):
    """Money came."""

    identified_by: ClassVar[tuple[str, ...]] = ("no",)
    no: int
    amount: Decimal = Field(max_digits=12, decimal_places=2)
    note: str | None = None


class Refunded(Event):
    """Money went."""

    identified_by: ClassVar[tuple[str, ...]] = ("no",)
    no: int
    amount: Decimal = Field(max_digits=12, decimal_places=2)


ACCOUNT = Aggregate(
    name="account",
    doc="An account.",
    events=(Opened, Paid, Refunded),
    state={
        "owner": latest("owner", Opened),
        "opened_at": first("at", Opened),
        "needs": latest("needs", Opened),
        "balance": total("amount", [Paid], minus=[Refunded]),
        "payments": count(Paid),
        "payments_kept": count(Paid, minus=[Refunded]),
        "refunds": count(Refunded),
        "numbers": distinct("no", Paid, Refunded),
        "first_note": first("note", Paid),
        "last_note": latest("note", Paid),
        "last": last_of_types({Opened: "opened", Paid: "paid", Refunded: "refunded"}),
        "furthest": furthest_of_types({Opened: "opened", Paid: "paid", Refunded: "refunded"}),
    },
)


def test_every_kind_of_column(spark: SparkSession) -> None:
    def row(
        subject: str, ordinal: int, type: str, data: dict[str, object], aggregate: str = "account"
    ):
        time = dt.datetime(2026, 1, 1, ordinal, tzinfo=dt.UTC)
        return (aggregate, subject, ordinal, type, time, json.dumps(data))

    opened = {
        "owner": "ann",
        "at": "2026-01-01T00:00:00.000001Z",
        "needs": [{"sku": "s", "quantity": 9007199254740993}],
    }
    rows = [
        row("a", 1, "Opened", opened),
        row("a", 2, "Refunded", {"no": 7, "amount": "0.10"}),
        row("a", 3, "Paid", {"no": 2, "amount": "9999999999.99", "note": "x"}),
        row("a", 4, "Paid", {"no": 1, "amount": "0.01", "note": None}),
        row("b", 1, "Paid", {"no": 9007199254740993, "amount": "1.00", "note": None}),
        row("other", 1, "Paid", {"no": 1, "amount": "5.00"}, aggregate="someone-else"),
    ]
    ddl = "aggregate string, subject string, ordinal int, type string, time timestamp, data string"
    frame = project(spark.createDataFrame(rows, ddl), ACCOUNT)
    table = state_table(ACCOUNT)
    assert {f.name: f.dataType.simpleString() for f in frame.schema.fields} == {
        c.name: c.type for c in table.columns
    }
    states = {r["subject"]: r.asDict(recursive=True) for r in frame.collect()}
    assert set(states) == {"a", "b"}
    a, b = states["a"], states["b"]
    assert a["owner"] == "ann"
    assert a["opened_at"] == dt.datetime(2026, 1, 1, 0, 0, 0, 1)
    assert a["needs"] == [{"quantity": 9007199254740993, "sku": "s"}]
    assert a["balance"] == Decimal("9999999999.90")
    assert (a["payments"], a["numbers"]) == (2, [1, 2, 7])
    assert (a["payments_kept"], a["refunds"]) == (1, 1)
    assert (b["payments_kept"], b["refunds"]) == (1, 0)
    assert (a["first_note"], a["last_note"]) == ("x", None)
    assert (a["last"], a["furthest"]) == ("paid", "refunded")
    assert (a["events"], a["last_time"]) == (4, dt.datetime(2026, 1, 1, 4))
    assert (b["owner"], b["opened_at"], b["balance"]) == (None, None, Decimal("1.00"))
    assert b["numbers"] == [9007199254740993]


def test_a_sum_has_all_decimal_places_of_its_field(spark: SparkSession) -> None:
    class Metered(Event):
        """A reading came."""

        kilowatts: Decimal = Field(max_digits=28, decimal_places=9)

    class Corrected(Event):
        """A reading was too high."""

        kilowatts: Decimal = Field(max_digits=28, decimal_places=9)

    meter = Aggregate(
        name="meter",
        doc="A meter.",
        events=(Metered, Corrected),
        state={
            "used": total("kilowatts", [Metered]),
            "billed": total("kilowatts", [Metered], minus=[Corrected]),
        },
    )
    readings = (
        ("Metered", "1234567890123456789.000000004"),
        ("Metered", "0.000000003"),
        ("Corrected", "0.000000001"),
    )
    rows = [
        ("meter", "m", number, type, None, json.dumps({"kilowatts": text}))
        for number, (type, text) in enumerate(readings)
    ]
    ddl = "aggregate string, subject string, ordinal int, type string, time timestamp, data string"
    (state,) = project(spark.createDataFrame(rows, ddl), meter).collect()
    assert state["used"] == Decimal("1234567890123456789.000000007")
    assert state["billed"] == Decimal("1234567890123456789.000000006")
