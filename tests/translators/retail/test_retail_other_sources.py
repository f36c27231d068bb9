"""Payments, stock, ledger, adjustments and shipments."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from cutline_translators.retail.adjustments import StockAdjustments
from cutline_translators.retail.contracts import (
    Adjustment,
    ErpOrder,
    Payment,
    Shipment,
    Stock,
    StockLedger,
)
from cutline_translators.retail.ledger import FinanceLedger
from cutline_translators.retail.payments import ShopPayments
from cutline_translators.retail.shipments import WarehouseShipments
from cutline_translators.retail.stock import StoreStock
from support.changes import changes_table, snapshot
from support.retail_rows import DONE, RELEASED, ends, events_by_key, order


def rows_of(spark: SparkSession, contract, rows):
    return changes_table(spark, contract, [snapshot(r) for r in rows])


def test_a_refunded_payment_was_captured_once(spark: SparkSession) -> None:
    def payment(no: str, status: str = "CAPTURED", of: str = "A", cents: int = 1000):
        return {
            "payment_no": no,
            "order_no": of,
            "region": "eu-west",
            "method": "card",
            "amount_cents": cents,
            "status": status,
            "paid_at": RELEASED,
        }

    rows = [
        payment("captured"),
        payment("refunded", "REFUNDED"),
        payment("failed", "FAILED"),
        payment("orphan", of="nobody"),
        payment("of-a-test", of="T"),
        payment("negative", cents=-1),
    ]
    frame = translate_changes(
        ShopPayments,
        {
            Payment: rows_of(spark, Payment, rows),
            ErpOrder: rows_of(spark, ErpOrder, [order("A"), order("T", "TESTO")]),
        },
    ).cache()
    assert {k.removeprefix("payments:"): v for k, v in ends(frame).items()} == {
        "captured": ("translated", "PaymentCaptured"),
        "refunded": ("translated", "PaymentCaptured, PaymentRefunded"),
        "failed": ("no-op", "failed-payment"),
        "orphan": ("quarantined", "payment-without-order"),
        "of-a-test": ("no-op", "payment-of-test-order"),
        "negative": ("quarantined", "contract:amount_cents:ge"),
    }
    events = {
        e["type"]: (e["subject"], e["occurrence"], e["basis"])
        for r in frame.where("key = '[\"refunded\"]'").collect()
        for e in r["events"]
    }
    assert events == {
        "PaymentCaptured": ("A", '["refunded"]', "effective"),
        "PaymentRefunded": ("A", '["refunded"]', "extract"),
    }


def test_a_parcel_that_arrived_before_it_left_is_for_a_person(spark: SparkSession) -> None:
    def parcel(no: str, status: str, left: dt.datetime | None, came: dt.datetime | None = None):
        return {
            "shipment_no": no,
            "order_no": "A",
            "region": "eu-west",
            "carrier": "X",
            "status": status,
            "dispatched_at": left,
            "delivered_at": came,
        }

    rows = [
        parcel("labelled", "LABELLED", None),
        parcel("on-its-way", "DISPATCHED", RELEASED),
        parcel("there", "DELIVERED", RELEASED, DONE),
        parcel("backwards", "DELIVERED", DONE, RELEASED),
        parcel("never-left", "DELIVERED", None, RELEASED),
        parcel("nobody-knows-when", "DELIVERED", None),
        parcel("lost", "LOST", RELEASED),
    ]
    frame = translate_changes(WarehouseShipments, {Shipment: rows_of(spark, Shipment, rows)})
    assert {k.removeprefix("shipments:"): v for k, v in ends(frame).items()} == {
        "labelled": ("no-op", "only-labelled"),
        "on-its-way": ("translated", "ShipmentDispatched"),
        "there": ("translated", "ShipmentDispatched, ShipmentDelivered"),
        "backwards": ("ambiguous", "delivered-before-dispatched"),
        "never-left": ("ambiguous", "delivered-before-dispatched"),
        "nobody-knows-when": ("translated", "ShipmentDispatched, ShipmentDelivered"),
        "lost": ("quarantined", "contract:status:isin"),
    }


def test_a_count_has_seen_what_was_booked_before_it(spark: SparkSession) -> None:
    counted = {
        "sku": "SKU-1",
        "region": "eu-west",
        "physical_quantity": 40,
        "counted_at": RELEASED,
    }

    def adjustment(no: str, booked: dt.datetime | None, sku: str = "SKU-1"):
        return {
            "adjustment_no": no,
            "sku": sku,
            "region": "eu-west",
            "delta": -2,
            "reason": "damage",
            "booked_at": booked,
        }

    rows = [
        adjustment("before", RELEASED - dt.timedelta(days=1)),
        adjustment("with-it", RELEASED),
        adjustment("after", DONE),
        adjustment("never-counted", RELEASED, sku="SKU-2"),
        adjustment("no-time", None),
    ]
    stock = rows_of(spark, Stock, [counted])
    adjusted = translate_changes(
        StockAdjustments, {Adjustment: rows_of(spark, Adjustment, rows), Stock: stock}
    ).cache()
    assert {k.removeprefix("adjustments:"): v for k, v in ends(adjusted).items()} == {
        "before": ("no-op", "already-counted"),
        "with-it": ("no-op", "already-counted"),
        "after": ("translated", "StockAdjusted"),
        "never-counted": ("translated", "StockAdjusted"),
        "no-time": ("translated", "StockAdjusted"),
    }
    assert events_by_key(adjusted)["after"][0][1:] == (
        "eu-west/SKU-1",
        {
            "adjustment_no": "after",
            "delta": -2,
            "reason": "damage",
            "region": "eu-west",
            "sku": "SKU-1",
        },
    )
    assert events_by_key(translate_changes(StoreStock, {Stock: stock})) == {
        "SKU-1/eu-west": [
            (
                "StockCounted",
                "eu-west/SKU-1",
                {"quantity": 40, "region": "eu-west", "sku": "SKU-1"},
            )
        ]
    }


def test_the_books_speak_of_the_same_subject_as_the_count(spark: SparkSession) -> None:
    row = {"sku": "SKU-1", "region": "eu-west", "financial_quantity": 41, "as_of": DONE}
    frame = translate_changes(FinanceLedger, {StockLedger: rows_of(spark, StockLedger, [row])})
    assert events_by_key(frame) == {
        "SKU-1/eu-west": [
            (
                "StockBooked",
                "eu-west/SKU-1",
                {"quantity": 41, "region": "eu-west", "sku": "SKU-1"},
            )
        ]
    }
