"""The new side's decisions, on literal states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from cutline.engine.project import state_table
from cutline_domains.fulfilment import (
    CUSTOMER_ORDER,
    FULFILMENT,
    FULFILMENT_LINE,
    RESERVABLE_INVENTORY,
)

BUNDLE = [("A", 2), ("B", 1)]


def line(order: str, no: int, sku: str, quantity: int, **more: object) -> dict[str, object]:
    needs = more.pop("needs", [(sku, 1)])
    return {
        "subject": f"{order}/{no}",
        "status": "ordered",
        "order_no": order,
        "region": "eu",
        "sku": sku,
        "quantity": quantity,
        "needs": [{"sku": s, "quantity": q} for s, q in needs],
        "allocations": 0,
    } | more


def stock(sku: str, counted: int | None, reserved: int = 0, adjusted: int = 0, region: str = "eu"):
    return {
        "subject": f"{region}/{sku}",
        "region": region,
        "sku": sku,
        "counted": counted,
        "adjusted": adjusted,
        "reserved": reserved,
    }


ORDERS = [
    {"subject": name, "status": status}
    for name, status in {
        "enough": "placed",
        "short": "placed",
        "adjusted": "placed",
        "bundle": "placed",
        "bundle-short": "placed",
        "one-line-short": "placed",
        "never-stocked": "placed",
        "all-allocated": "placed",
        "shipped-elsewhere": "placed",
        "elsewhere": "placed",
        "released": "released",
        "completed": "completed",
        "cancelled": "cancelled",
    }.items()
]
# Free: A 10 - 3 reserved - 1 bundle of two = 5; B 4 - 1 bundle = 3; C 2 - 1 lost = 1.
STOCK = [
    stock("A", 10, reserved=3),
    stock("B", 4),
    stock("C", 2, adjusted=-1),
    stock("BND", None, reserved=1),
    stock("A", 100, region="us"),
]
LINES = [
    line("enough", 1, "A", 5),
    line("short", 1, "A", 6),
    line("adjusted", 1, "C", 2),
    line("bundle", 1, "BND", 2, needs=BUNDLE),
    line("bundle-short", 1, "BND", 3, needs=BUNDLE),
    line("one-line-short", 1, "A", 1),
    line("one-line-short", 2, "B", 4),
    line("never-stocked", 1, "D", 1),
    line("all-allocated", 1, "A", 99, allocations=1),
    line("shipped-elsewhere", 1, "A", 99, status="shipped"),
    line("shipped-elsewhere", 2, "A", 99, status="cancelled"),
    line("shipped-elsewhere", 3, "B", 3),
    line("elsewhere", 1, "A", 6, region="us"),
    line("released", 1, "A", 1),
]


@pytest.fixture(scope="module")
def decided(spark: SparkSession) -> Iterator[dict[str, dict[str, str]]]:
    """outcome -> subject -> value."""
    for aggregate, rows in (
        (CUSTOMER_ORDER, ORDERS),
        (FULFILMENT_LINE, LINES),
        (RESERVABLE_INVENTORY, STOCK),
    ):
        table = state_table(aggregate)
        full = [tuple(row.get(name) for name in table.names) for row in rows]
        frame = spark.createDataFrame(full, table.ddl.replace(" NOT NULL", ""))
        frame.createOrReplaceTempView(table.name)
    yield {
        o.name: {r["subject"]: r["value"] for r in spark.sql(o.decide).collect()}
        for o in FULFILMENT.outcomes
    }
    for aggregate in (CUSTOMER_ORDER, FULFILMENT_LINE, RESERVABLE_INVENTORY):
        spark.catalog.dropTempView(state_table(aggregate).name)


def test_an_order_is_promised_if_each_waiting_line_finds_its_pieces(decided) -> None:
    assert decided["orders_to_promise"] == {
        "enough": "promise",
        "short": "wait",
        "adjusted": "wait",
        "bundle": "promise",
        "bundle-short": "wait",
        "one-line-short": "wait",
        "never-stocked": "wait",
        "shipped-elsewhere": "promise",
        "elsewhere": "promise",
    }


def test_released_and_cancelled_orders_are_those_that_got_no_further(decided) -> None:
    assert decided["orders_released"] == {"released": "released"}
    assert decided["orders_cancelled"] == {"cancelled": "cancelled"}
