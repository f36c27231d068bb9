"""A fact in Python has the text and the identity of the same fact in columns."""

from __future__ import annotations

import enum
import json
from decimal import Decimal
from typing import Annotated, ClassVar

import pyspark.sql.types as T
import pytest
from pydantic import Field
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, latest
from cutline.engine.translate import translate_changes
from cutline.tables.event import COMMIT
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    table,
)
from support.changes import changes_table, snapshot

pytestmark = pytest.mark.spark


class Channel(enum.Enum):
    SHOP = "shop"
    WEB = "web"


class Paid(Event):
    """An invoice was paid."""

    identified_by: ClassVar[tuple[str, ...]] = ("amount",)

    amount: Annotated[Decimal, Field(max_digits=12, decimal_places=2)]
    channel: Channel
    counter: int


INVOICE = Aggregate(
    name="invoice", doc="One invoice.", events=(Paid,), state={"amount": latest("amount", Paid)}
)
BILLING = Context(name="billing", doc="Invoices.", aggregates=(INVOICE,))


class InvoiceRow(SourceContract):
    """One invoice."""

    no: T.StringType = column(doc="its number", nullable=False)
    amount: Annotated[T.DecimalType, 10, 1] = column(doc="what was paid")
    channel: T.StringType = column(doc="where")
    counter: Annotated[T.DecimalType, 30, 0] = column(doc="of the till")

    class Config:
        metadata = table("books", "invoices", key=["no"])


class InColumns(Translator):
    """What was paid, by columns."""

    context, aggregate, version = BILLING, "invoice", "1.0.0"
    source, subject = InvoiceRow, "no"

    @fact(Paid)
    def paid(self, row):
        return Occurrence(
            data={"amount": row.amount, "channel": row.channel, "counter": row.counter},
            time_basis=COMMIT,
        )


class InPython(Translator):
    """What was paid, by a method that takes values."""

    context, aggregate, version = BILLING, "invoice", "1.0.0"
    source, subject = InvoiceRow, "no"

    @fact(Paid, per_row=True)
    def paid(self, row):
        return Occurrence(
            data={"amount": row.amount, "channel": row.channel, "counter": int(row.counter)},
            time_basis=COMMIT,
        )


def test_text_identity_and_fault_are_those_of_columns(spark: SparkSession) -> None:
    rows = [
        snapshot({"no": no, "amount": Decimal(amount), "channel": channel, "counter": counter})
        for no, amount, channel, counter in (
            ("tenth", "1.5", "web", Decimal(7)),
            ("whole", "20.0", "shop", Decimal(2**63 - 1)),
            ("too large", "1.5", "web", Decimal(2**63)),
            ("nowhere", "1.5", "phone", Decimal(7)),
        )
    ]

    def announced(translator: type[Translator]) -> dict[str, tuple[str, list[tuple[str, str]]]]:
        inputs = {InvoiceRow: changes_table(spark, InvoiceRow, rows)}
        return {
            json.loads(row["key"])[0]: (
                row["rule"],
                [(event["data"], event["occurrence"]) for event in row["events"]],
            )
            for row in translate_changes(translator, inputs).collect()
        }

    by_python = announced(InPython)
    assert by_python == announced(InColumns)
    assert by_python == {
        "tenth": ("Paid", [('{"amount":"1.50","channel":"web","counter":7}', '["1.50"]')]),
        "whole": (
            "Paid",
            [('{"amount":"20.00","channel":"shop","counter":9223372036854775807}', '["20.00"]')],
        ),
        "too large": ("payload:Paid.counter", []),
        "nowhere": ("payload:Paid.channel", []),
    }
