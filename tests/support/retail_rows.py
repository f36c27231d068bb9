"""Plausible rows of the retail estate; a test names only the columns it is about."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

ORDERED = dt.datetime(2026, 10, 20, 9, 0, tzinfo=dt.UTC)
ALLOCATED = dt.datetime(2026, 10, 20, 10, 0, tzinfo=dt.UTC)
RELEASED = dt.datetime(2026, 10, 21, 9, 0, tzinfo=dt.UTC)
DONE = dt.datetime(2026, 10, 22, 9, 0, tzinfo=dt.UTC)
CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)

Row = dict[str, Any]


def order(no: str, status: str = "NEW", **more: Any) -> Row:
    """An ERP order with the times that its status implies."""
    row: Row = {
        "order_no": no,
        "region": "eu-west",
        "channel": "WEB",
        "customer_no": "C-1",
        "status": status,
        "currency": "EUR",
        "total_cents": 1000,
        "ordered_at": ORDERED,
        "released_at": RELEASED if status == "RELEASED" else None,
        "closed_at": DONE if status == "CLOSED" else None,
        "cancelled_at": DONE if status == "CANCL" else None,
        "updated_at": DONE,
    }
    return row | more


def line(no: str, line_no: int, sku: str, status: str = "OPEN", **more: Any) -> Row:
    """An ERP order line of two units with the times that its status implies."""
    row: Row = {
        "order_no": no,
        "line_no": line_no,
        "region": "eu-west",
        "sku": sku,
        "quantity": 2,
        "unit_price_cents": 500,
        "line_status": status,
        "ordered_at": ORDERED,
        "allocated_at": ALLOCATED if status in ("ALLOCATED", "SHIPPED") else None,
        "shipped_at": DONE if status == "SHIPPED" else None,
        "cancelled_at": DONE if status == "CANCELLED" else None,
    }
    return row | more


def pick(
    no: str, order_no: str, line_no: int, sku: str, status: str = "ALLOCATED", **more: Any
) -> Row:
    """A store's pick of two pieces."""
    row: Row = {
        "pick_no": no,
        "order_no": order_no,
        "line_no": line_no,
        "region": "eu-west",
        "store": "S-1",
        "sku": sku,
        "quantity": 2,
        "status": status,
        "allocated_at": ALLOCATED,
    }
    return row | more


PRODUCTS: list[Row] = [
    {"sku": "SKU-1", "kind": "SIMPLE"},
    {"sku": "SKU-2", "kind": "SIMPLE"},
    {"sku": "BND-1", "kind": "BUNDLE"},
    {"sku": "BND-0", "kind": "BUNDLE"},
]
COMPONENTS: list[Row] = [
    {"bundle_sku": "BND-1", "component_sku": "SKU-2", "quantity": 3},
    {"bundle_sku": "BND-1", "component_sku": "SKU-1", "quantity": 1},
]


def ends(frame: DataFrame) -> dict[str, tuple[str, str]]:
    """table:key -> (disposition, rule), for tables with one change per key."""
    return {
        f"{r['table']}:{'/'.join(str(k) for k in json.loads(r['key']))}": (
            r["disposition"],
            r["rule"],
        )
        for r in frame.select("table", "key", "disposition", "rule").collect()
    }


def events_by_key(frame: DataFrame) -> dict[str, list[tuple[str, str, Mapping[str, Any]]]]:
    """key of the row -> its events as (type, subject, payload), in the order of the facts."""
    return {
        "/".join(str(k) for k in json.loads(r["key"])): [
            (e["type"], e["subject"], json.loads(e["data"])) for e in r["events"]
        ]
        for r in frame.collect()
        if r["events"]
    }
