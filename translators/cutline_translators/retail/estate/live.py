"""The new live producer's events: beside the ERP in the last hour, alone after the cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.columns import (
    codes,
    concat_text,
    json_number,
    json_object,
    json_text,
    words_at,
)
from cutline_translators.estate.live import append_torn_record, topic_records, write_topic
from cutline_translators.estate.moments import Ints, iso
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.rows import OrderLines, Orders, order_number
from cutline_translators.retail.estate.statuses import CHANNELS
from cutline_translators.retail.estate.steps import OrderStep

SOURCE = "urn:retail:live:orders"
PREFIX = "retail"


def write_live(
    topics: Path,
    rng: np.random.Generator,
    overlap: Sequence[OrderStep],
    after_cut: tuple[Orders, OrderLines],
    items: Catalogue,
) -> None:
    """The live topics of the aggregates that new orders touch.

    Events of orders that the ERP has as well have the values of its rows, some seconds later. Two
    bad records are at the end: a torn line, and an event of a type that the context does not know.
    """
    begun, allocated = overlap
    tables: dict[str, list[pa.Table]] = {
        "customer_order": [],
        "fulfilment_line": [],
        "reservable_inventory": [],
    }
    for orders, lines in ((begun.orders_after, begun.lines_after), after_cut):
        tables["customer_order"].append(_orders_placed(rng, orders))
        tables["fulfilment_line"].append(_lines_ordered(rng, lines, items))
    tables["fulfilment_line"].append(_lines_allocated(rng, allocated.lines_after))
    tables["reservable_inventory"].append(_inventory_reserved(rng, allocated.lines_after, items))
    tables["customer_order"].append(_unknown_type(rng, begun.orders_after))
    for aggregate, aggregate_tables in tables.items():
        write_topic(
            topics / f"{PREFIX}.fulfilment.{aggregate}.live", pa.concat_tables(aggregate_tables)
        )
    append_torn_record(topics / f"{PREFIX}.fulfilment.customer_order.live" / "00000.jsonl", "SO-")


def _orders_placed(rng: np.random.Generator, orders: Orders) -> pa.Table:
    data = json_object(
        {
            "cart_no": "null",
            "channel": json_text(words_at(CHANNELS, orders.channel)),
            "currency": json_text(words_at(("EUR", "USD"), orders.region)),
            "customer_no": json_text(codes("C", orders.customer, 7)),
            "placed_at": json_text(iso(orders.ordered, ".000000")),
            "total_cents": json_number(pa.array(orders.total)),
        }
    )
    return _records(
        rng, "OrderPlaced", order_number(orders.number), orders.ordered, orders.region, data
    )


def _lines_ordered(rng: np.random.Generator, lines: OrderLines, items: Catalogue) -> pa.Table:
    place, component, pieces = items.needs(lines.sku)
    need = json_object(
        {
            "quantity": json_number(pa.array(pieces)),
            "sku": json_text(items.names(component)),
        }
    )
    ends = np.searchsorted(place, np.arange(len(lines.sku) + 1)).astype(np.int32)
    needs = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends), need), ",")
    data = json_object(
        {
            "line_no": json_number(pa.array(lines.line)),
            "needs": concat_text("[", needs, "]"),
            "order_no": json_text(order_number(lines.number)),
            "quantity": json_number(pa.array(lines.quantity)),
            "region": json_text(words_at(REGIONS, lines.region)),
            "sku": json_text(items.names(lines.sku)),
        }
    )
    return _records(rng, "LineOrdered", _line_subject(lines), lines.ordered, lines.region, data)


def _lines_allocated(rng: np.random.Generator, lines: OrderLines) -> pa.Table:
    data = json_object(
        {
            "line_no": json_number(pa.array(lines.line)),
            "order_no": json_text(order_number(lines.number)),
        }
    )
    return _records(rng, "LineAllocated", _line_subject(lines), lines.allocated, lines.region, data)


def _inventory_reserved(rng: np.random.Generator, lines: OrderLines, items: Catalogue) -> pa.Table:
    place, component, pieces = items.needs(lines.sku)
    region, sku = words_at(REGIONS, lines.region[place]), items.names(component)
    data = json_object(
        {
            "line_no": json_number(pa.array(lines.line[place])),
            "order_no": json_text(order_number(lines.number[place])),
            "quantity": json_number(pa.array(lines.quantity[place] * pieces)),
            "region": json_text(region),
            "sku": json_text(sku),
        }
    )
    subject = pc.binary_join_element_wise(region, sku, "/")
    at = lines.allocated[place]
    return _records(rng, "InventoryReserved", subject, at, lines.region[place], data)


def _unknown_type(rng: np.random.Generator, orders: Orders) -> pa.Table:
    order_no = order_number(orders.number[:1])
    data = json_object({"order_no": json_text(order_no), "template": '"thank-you"'})
    return _records(rng, "CustomerMessaged", order_no, orders.ordered[:1], orders.region[:1], data)


def _line_subject(lines: OrderLines) -> pa.Array:
    return pc.binary_join_element_wise(
        order_number(lines.number), pa.array(lines.line).cast(pa.string()), "/"
    )


def _records(
    rng: np.random.Generator, kind: str, subject: pa.Array, at: Ints, region: Ints, data: pa.Array
) -> pa.Table:
    """Records without partition and offset; the producer writes them some seconds after `at`."""
    written_at = at + rng.integers(1, 4, len(at))
    return topic_records(rng, SOURCE, kind, subject, written_at, words_at(REGIONS, region), data)
