"""A literal comparison of two runs, by translator 1 and 2 of the retail story."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from cutline_reconciliation.run_comparison import RowCluster, RowExample, RunPart
from cutline_reconciliation.run_comparison.model import ValueChange

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def example(subject: str | None, *values: tuple[str, str | None, str | None]) -> RowExample:
    return RowExample(subject, tuple(ValueChange(*value) for value in values))


EVENTS = RunPart(
    kind="events", name="", rows_left=88_312, rows_right=88_120, alike=87_000, changed=1_110,
    removed=202, added=10, more_clusters=3, count_in_more=17,
    clusters=(
        RowCluster(
            "changed", "BundleReserved", ("data.quantity", "migconfidence"), 1_093,
            (
                example(
                    "SO-1001", ("migconfidence", "exact", "inferred"), ("data.quantity", "6", "3")
                ),
                example("SO-1002", ("data.quantity", "4", None)),
            ),
        ),
        RowCluster(
            "removed", "OrderReleasedToWarehouse", (), 202,
            (example(HOSTILE, ("time", "2026-11-01 12:00:00", None), ("data", HOSTILE, None)),),
        ),
        RowCluster("added", "ExceptionHoldPlaced", (), 10, (example(None, ("data", None, "")),)),
    ),
)  # fmt: skip
STATES = RunPart(
    kind="states", name="reservable_inventory", rows_left=6_118, rows_right=6_118, alike=6_000,
    changed=118, removed=0, added=0, more_clusters=0, count_in_more=0,
    columns_only_right=("reserved_at",),
    clusters=(
        RowCluster(
            "changed", "reserved", (), 118, (example("SKU-77", ("reserved", "12", "6")),)
        ),
    ),
)  # fmt: skip
BREAKS = RunPart(
    kind="breaks", name="", rows_left=210, rows_right=20, alike=15, changed=0, removed=195, added=5,
    more_clusters=0, count_in_more=0,
    clusters=(
        RowCluster(
            "fixed", "outcome orders_to_promise", ("different",), 192,
            (example("SO-1001", ("legacy", "true", None), ("new", "false", None)),),
        ),
        RowCluster("opened", "record fulfilment_line", ("missing",), 5, (example("SO-9/1"),)),
        RowCluster("persisting", "state customer_order", ("channel", "different"), 15, ()),
    ),
)  # fmt: skip


def compared(*parts: RunPart, **more: Any) -> dict[str, Any]:
    """The document of a comparison of two runs that differ in these parts."""
    run = {"created_at": "2026-11-01T06:00:00Z", "decision": "no-go", "translation": "retail 1.4.0"}
    return {
        "format": 1,
        "cutline": "1.0",
        "project": "retail",
        "context": "fulfilment",
        "region": "eu-west",
        "left": {**run, "run_id": "fulfilment-eu-west-aaa1", "translators": {"erp-orders": "1.4"}},
        "right": {
            **run,
            "run_id": "fulfilment-eu-west-ddd4",
            "decision": "go",
            "translation": "retail 2.0.0",
            "translators": {"erp-orders": "2.0", "erp-lines": "2.0"},
        },
        "inputs_differ": ["translation", "translators"],
        "parts": [asdict(part) for part in parts],
        "states_only_left": [],
        "states_only_right": [],
    } | more


COMPARED = compared(EVENTS, STATES, BREAKS, states_only_right=["refund"])
