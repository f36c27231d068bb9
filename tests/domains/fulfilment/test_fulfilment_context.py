"""What the context declares about itself."""

from __future__ import annotations

from cutline.context import Requires
from cutline.context.payload import payload_fields
from cutline.engine.project import state_table
from cutline_domains.fulfilment import (
    CUSTOMER_ORDER,
    FULFILMENT,
    FULFILMENT_LINE,
    RESERVABLE_INVENTORY,
    SHIPMENT_LEG,
    InventoryReserved,
    LineOrdered,
    OrderCompleted,
    OrderPlaced,
    OrderReleasedToWarehouse,
    ReservationEnded,
)


def laws(aggregate) -> set[str]:
    return {rule.rule for rule in aggregate.order if isinstance(rule, Requires)}


def test_nothing_happens_to_an_order_before_it_is_placed() -> None:
    assert laws(CUSTOMER_ORDER) == {
        "PaymentCaptured-requires-OrderPlaced",
        "OrderReleasedToWarehouse-requires-OrderPlaced",
        "OrderCompleted-requires-OrderPlaced",
        "OrderCancelled-requires-OrderPlaced",
        "PaymentRefunded-requires-PaymentCaptured",
    }


def test_completion_without_a_release_is_a_finding_and_not_held() -> None:
    assert OrderReleasedToWarehouse not in {
        rule.first
        for rule in CUSTOMER_ORDER.order
        if isinstance(rule, Requires) and rule.event is OrderCompleted
    }
    assert CUSTOMER_ORDER.finding_rules() == (
        "completed-before-release",
        "completed-without-release",
        "cancelled-and-completed",
    )


def test_lines_and_shipments_have_a_beginning() -> None:
    assert laws(FULFILMENT_LINE) == {
        "LineAllocated-requires-LineOrdered",
        "LineShipped-requires-LineOrdered",
        "LineCancelled-requires-LineOrdered",
    }
    assert laws(SHIPMENT_LEG) == {"ShipmentDelivered-requires-ShipmentDispatched"}


def test_reserving_and_ending_name_the_same_occurrence() -> None:
    assert (
        InventoryReserved.identified_by
        == ReservationEnded.identified_by
        == ("order_no", "line_no", "sku")
    )
    assert laws(RESERVABLE_INVENTORY) == set()


def test_payloads_and_states_have_exact_types() -> None:
    assert {f.name: f.type for f in payload_fields(OrderPlaced)} == {
        "cart_no": "string",
        "channel": "string",
        "currency": "string",
        "customer_no": "string",
        "placed_at": "timestamp",
        "total_cents": "bigint",
    }
    assert {f.name: f.type for f in payload_fields(LineOrdered)}["needs"] == (
        "array<struct<quantity:bigint,sku:string>>"
    )
    states = {
        a.name: {c.name: c.type for c in state_table(a).columns} for a in FULFILMENT.aggregates
    }
    assert states["customer_order"]["paid_cents"] == "bigint"
    assert states["reservable_inventory"]["reserved"] == "bigint"
    assert states["shipment_leg"]["dispatched_at"] == "timestamp"


def test_every_event_says_what_has_happened() -> None:
    for aggregate in FULFILMENT.aggregates:
        for event in aggregate.events:
            assert event.__doc__
            assert event.__doc__.rstrip().endswith(".")
