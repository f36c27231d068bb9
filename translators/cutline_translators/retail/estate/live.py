"""The new live producer's events: beside the ERP in the last hour, alone after the cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline.topics.murmur2 import partition
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.columns import (
    REGIONS,
    append_lines,
    codes,
    joined,
    json_number,
    json_object,
    json_text,
    words,
)
from cutline_translators.retail.estate.moments import LIVE_START, Ints, iso
from cutline_translators.retail.estate.rows import Lines, Orders, order_number
from cutline_translators.retail.estate.statuses import CHANNELS
from cutline_translators.retail.estate.steps import Step

SOURCE = "urn:retail:live:orders"
PARTITIONS = 4
PREFIX = "retail"


def write_live(
    topics: Path,
    rng: np.random.Generator,
    overlap: Sequence[Step],
    after_cut: tuple[Orders, Lines],
    items: Catalogue,
) -> None:
    """The live topics of the aggregates that new orders touch.

    The events of orders that the ERP took in as well say the same as the ERP's rows, some seconds
    later. Two records nobody asked for stand at the end: a line that was cut off while it was
    written, and an event of a type that the context does not know.
    """
    begun, allocated = overlap
    records: dict[str, list[pa.Table]] = {
        "customer_order": [],
        "fulfilment_line": [],
        "reservable_inventory": [],
    }
    for orders, lines in ((begun.orders_after, begun.lines_after), after_cut):
        records["customer_order"].append(_placed(rng, orders))
        records["fulfilment_line"].append(_ordered(rng, lines, items))
    records["fulfilment_line"].append(_allocated(rng, allocated.lines_after))
    records["reservable_inventory"].append(_reserved(rng, allocated.lines_after, items))
    records["customer_order"].append(_unknown_type(rng, begun.orders_after))
    for aggregate, tables in records.items():
        _write(topics / f"{PREFIX}.fulfilment.{aggregate}.live", pa.concat_tables(tables))
    _cut_off(topics / f"{PREFIX}.fulfilment.customer_order.live" / "00000.jsonl")


def _placed(rng: np.random.Generator, orders: Orders) -> pa.Table:
    data = json_object(
        {
            "cart_no": "null",
            "channel": json_text(words(CHANNELS, orders.channel)),
            "currency": json_text(words(("EUR", "USD"), orders.region)),
            "customer_no": json_text(codes("C", orders.customer, 7)),
            "placed_at": json_text(iso(orders.ordered, ".000000")),
            "total_cents": json_number(pa.array(orders.total)),
        }
    )
    return _records(
        rng, "OrderPlaced", order_number(orders.number), orders.ordered, orders.region, data
    )


def _ordered(rng: np.random.Generator, lines: Lines, items: Catalogue) -> pa.Table:
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
            "needs": joined("[", needs, "]"),
            "order_no": json_text(order_number(lines.number)),
            "quantity": json_number(pa.array(lines.quantity)),
            "region": json_text(words(REGIONS, lines.region)),
            "sku": json_text(items.names(lines.sku)),
        }
    )
    return _records(rng, "LineOrdered", _line_subject(lines), lines.ordered, lines.region, data)


def _allocated(rng: np.random.Generator, lines: Lines) -> pa.Table:
    data = json_object(
        {
            "line_no": json_number(pa.array(lines.line)),
            "order_no": json_text(order_number(lines.number)),
        }
    )
    return _records(rng, "LineAllocated", _line_subject(lines), lines.allocated, lines.region, data)


def _reserved(rng: np.random.Generator, lines: Lines, items: Catalogue) -> pa.Table:
    place, component, pieces = items.needs(lines.sku)
    region, sku = words(REGIONS, lines.region[place]), items.names(component)
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
    one = order_number(orders.number[:1])
    data = json_object({"order_no": json_text(one), "template": '"thank-you"'})
    return _records(rng, "CustomerMessaged", one, orders.ordered[:1], orders.region[:1], data)


def _line_subject(lines: Lines) -> pa.Array:
    return pc.binary_join_element_wise(
        order_number(lines.number), pa.array(lines.line).cast(pa.string()), "/"
    )


def _records(
    rng: np.random.Generator, kind: str, subject: pa.Array, at: Ints, region: Ints, data: pa.Array
) -> pa.Table:
    """Records without partition and offset; `time` is when the producer wrote it."""
    said = at + rng.integers(1, 4, len(at))
    headers = json_object(
        {
            "ce_id": json_text(_ids(rng, len(at))),
            "ce_migregion": json_text(words(REGIONS, region)),
            "ce_partitionkey": json_text(subject),
            "ce_sequence": json_text(
                codes("L", (said - LIVE_START) * 1000 + np.arange(len(at)), 14)
            ),
            "ce_source": f'"{SOURCE}"',
            "ce_specversion": '"1.0"',
            "ce_subject": json_text(subject),
            "ce_time": json_text(iso(said, ".000000")),
            "ce_type": f'"{kind}"',
            "content-type": '"application/json"',
        }
    )
    return pa.table(
        {
            "subject": subject,
            "said": pa.array(said),
            "headers": headers,
            "data": data,
        }
    )


def _cut_off(path: Path) -> None:
    """Add a record of which only the beginning was written."""
    offset = path.read_bytes().count(b"\n")
    begun = (
        f'{{"partition":0,"offset":{offset},"timestamp":"2026-11-01T05:59:58.000000Z","key":"SO-'
    )
    append_lines(path, pa.array([begun]))


def _ids(rng: np.random.Generator, count: int) -> pa.Array:
    """UUIDs of version 4, but always the same ones."""
    raw = rng.integers(0, 256, (count, 16), dtype=np.uint8)
    raw[:, 6] = raw[:, 6] & 0x0F | 0x40
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80
    digits = pa.array(np.frombuffer(raw.tobytes().hex().encode(), dtype="S32").astype(str))
    cuts = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    return pc.binary_join_element_wise(
        *(pc.utf8_slice_codeunits(digits, start, stop) for start, stop in cuts), "-"
    )


def _write(folder: Path, records: pa.Table) -> None:
    order = np.argsort(records["said"].to_numpy(), kind="stable")
    records = records.take(pa.array(order)).combine_chunks()
    keys = records["subject"].combine_chunks()
    into = np.array([partition(key, PARTITIONS) for key in keys.to_pylist()], dtype=np.int64)
    for number in range(PARTITIONS):
        path = folder / f"{number:05d}.jsonl"
        path.unlink(missing_ok=True)
        mine = records.take(pa.array(np.flatnonzero(into == number)))
        columns = {name: mine[name].combine_chunks() for name in mine.column_names}
        append_lines(
            path,
            json_object(
                {
                    "partition": str(number),
                    "offset": json_number(pa.array(np.arange(mine.num_rows))),
                    "timestamp": json_text(iso(columns["said"].to_numpy(), ".250000")),
                    "key": json_text(columns["subject"]),
                    "headers": columns["headers"],
                    "value": columns["data"],
                }
            ),
        )
