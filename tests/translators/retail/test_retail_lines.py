"""Lines and picks: what they reserve, read in two ways, and how the two readings meet."""

from __future__ import annotations

import datetime as dt

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.merge import with_verdicts
from cutline.engine.project import project
from cutline.engine.translate import translate_changes
from cutline_domains.fulfilment import FULFILMENT, RESERVABLE_INVENTORY
from cutline_translators.retail import lines_v1, lines_v2
from cutline_translators.retail.contracts import (
    BundleComponent,
    ErpOrder,
    ErpOrderLine,
    Pick,
    Product,
)
from cutline_translators.retail.picks import StorePicks
from support.changes import change, changes_table, snapshot
from support.retail_rows import (
    ALLOCATED,
    COMPONENTS,
    CUT,
    DONE,
    ORDERED,
    PRODUCTS,
    ends,
    events_by_key,
    line,
    order,
    pick,
)

LINES = [
    line("A", 1, "SKU-1", "ALLOCATED"),
    line("A", 2, "BND-1", "ALLOCATED"),
    line("A", 3, "SKU-1"),
    line("A", 4, "BND-1", "SHIPPED"),
    line("A", 5, "SKU-1", "CANCELLED"),
    line("A", 6, "SKU-1", "CANCELLED", allocated_at=ALLOCATED),
    line("A", 7, "SKU-1", "SHIPPED", allocated_at=None, shipped_at=None, ordered_at=None),
    line("A", 8, "SKU-9", "ALLOCATED"),
    line("A", 9, "BND-0", "ALLOCATED"),
    line("A", 10, "SKU-1", "ALLOCATED", quantity=-1),
    line("gone", 1, "SKU-1", "ALLOCATED"),
]
PICKS = [
    pick("P1", "A", 1, "SKU-1"),
    pick("P2", "A", 2, "SKU-1"),
    pick("P3", "A", 2, "SKU-2", quantity=6),
    pick("P4", "A", 4, "SKU-1", "PICKED"),
    pick("P5", "A", 4, "SKU-2", "PICKED", quantity=6),
    pick("P6", "A", 3, "SKU-1", "SHORT"),
    pick("P7", "A", 99, "SKU-1"),
    pick("P8", "gone", 1, "SKU-1"),
    pick("P9", "A", 1, "SKU-1", quantity=0),
]


@pytest.fixture(scope="module")
def inputs(spark: SparkSession):
    """The literal rows of all tables."""
    rows = {
        ErpOrder: [order("A", "ALLOCATED")],
        ErpOrderLine: LINES,
        Product: PRODUCTS,
        BundleComponent: COMPONENTS,
        Pick: PICKS,
    }
    return {c: changes_table(spark, c, [snapshot(r) for r in some]) for c, some in rows.items()}


@pytest.fixture(scope="module")
def first(inputs):
    """The lines as major version 1 reads them."""
    return translate_changes(lines_v1.ErpLinesV1, inputs).cache()


@pytest.fixture(scope="module")
def second(inputs):
    """The lines as major version 2 reads them."""
    return translate_changes(lines_v2.ErpLines, inputs).cache()


@pytest.fixture(scope="module")
def picks(inputs):
    """The picks, which both versions read alike."""
    return translate_changes(StorePicks, inputs).cache()


def types(frame) -> dict[str, list[str]]:
    return {key: [kind for kind, _, _ in events] for key, events in events_by_key(frame).items()}


def test_lines_that_cannot_be_read_have_a_name_in_both_versions(first, second) -> None:
    unreadable = {
        "order_lines:A/8": ("quarantined", "unknown-article"),
        "order_lines:A/9": ("quarantined", "bundle-without-components"),
        "order_lines:A/10": ("quarantined", "contract:quantity:ge"),
        "order_lines:gone/1": ("quarantined", "orphan-line"),
    }
    for version in (first, second):
        ends_by_row = ends(version)
        assert {k: v for k, v in ends_by_row.items() if v[0] != "translated"} == unreadable
        assert len(ends_by_row) == len(LINES)


def test_a_line_was_allocated_if_it_is_or_was_shipped(first) -> None:
    reserved, over = "InventoryReserved", "ReservationEnded"
    assert types(first) == {
        "A/1": ["LineOrdered", "LineAllocated", reserved],
        "A/2": ["LineOrdered", "LineAllocated", reserved],
        "A/3": ["LineOrdered"],
        "A/4": ["LineOrdered", "LineAllocated", "LineShipped", reserved, over],
        "A/5": ["LineOrdered", "LineCancelled"],
        "A/6": ["LineOrdered", "LineAllocated", "LineCancelled", reserved, over],
        "A/7": ["LineOrdered", "LineAllocated", "LineShipped", reserved, over],
    }


def test_the_first_reading_reserves_a_bundle_as_a_unit(first) -> None:
    (reserved,) = [e for e in events_by_key(first)["A/2"] if e[0] == "InventoryReserved"]
    assert reserved[1:] == (
        "eu-west/BND-1",
        {"line_no": 2, "order_no": "A", "quantity": 2, "region": "eu-west", "sku": "BND-1"},
    )


def test_the_second_reading_reserves_what_a_bundle_consists_of(second) -> None:
    events = events_by_key(second)
    reserved = sorted((s, d["quantity"]) for t, s, d in events["A/2"] if t == "InventoryReserved")
    assert reserved == [("eu-west/SKU-1", 2), ("eu-west/SKU-2", 6)]
    ended = sorted((s, d["quantity"]) for t, s, d in events["A/4"] if t == "ReservationEnded")
    assert ended == [("eu-west/SKU-1", 2), ("eu-west/SKU-2", 6)]
    simple = [(s, d["quantity"]) for t, s, d in events["A/1"] if t == "InventoryReserved"]
    assert simple == [("eu-west/SKU-1", 2)]


def test_both_readings_know_what_a_line_needs(first, second) -> None:
    bundle = [{"quantity": 1, "sku": "SKU-1"}, {"quantity": 3, "sku": "SKU-2"}]
    for version in (first, second):
        events = events_by_key(version)
        assert events["A/2"][0][2]["needs"] == bundle
        assert events["A/3"][0][2]["needs"] == [{"quantity": 1, "sku": "SKU-1"}]


def test_a_line_without_a_time_takes_that_of_its_order(first) -> None:
    (row,) = [r for r in first.collect() if r["subject"] == "A/7"]
    times_by_type = {e["type"]: (e["time"], e["basis"]) for e in row["events"]}
    assert times_by_type["LineOrdered"] == (ORDERED.replace(tzinfo=None), "effective")
    assert times_by_type["LineShipped"][1] == "extract"


def test_picks_reserve_articles_and_orphans_have_a_name(picks) -> None:
    assert {k.removeprefix("picks:"): v for k, v in ends(picks).items()} == {
        "P1": ("translated", "InventoryReserved"),
        "P2": ("translated", "InventoryReserved"),
        "P3": ("translated", "InventoryReserved"),
        "P4": ("translated", "InventoryReserved, ReservationEnded"),
        "P5": ("translated", "InventoryReserved, ReservationEnded"),
        "P6": ("no-op", "short-pick"),
        "P7": ("quarantined", "orphan-pick"),
        "P8": ("quarantined", "orphan-pick"),
        "P9": ("quarantined", "contract:quantity:ge"),
    }


def reserved(lines, picks) -> dict[str, int]:
    """subject -> pieces still reserved, after the merge."""
    lineage = Lineage("fulfilment", "eu-west", "run", F.lit(CUT))
    events = candidate_events(lines.unionByName(picks), lineage)
    timeline = with_verdicts(events, FULFILMENT).where(F.col("verdict") == "accepted")
    state = project(timeline, RESERVABLE_INVENTORY)
    return {r["subject"]: r["reserved"] for r in state.collect()}


def test_in_the_first_reading_a_bundle_is_reserved_twice(first, picks) -> None:
    assert reserved(first, picks) == {
        "eu-west/BND-1": 2,
        "eu-west/SKU-1": 4,
        "eu-west/SKU-2": 6,
    }


def test_in_the_second_reading_both_systems_speak_of_one_reservation(second, picks) -> None:
    assert reserved(second, picks) == {"eu-west/SKU-1": 4, "eu-west/SKU-2": 6}


def test_shipping_ends_a_reservation_of_before_the_snapshot(spark: SparkSession, inputs) -> None:
    then = line("A", 2, "BND-1", "ALLOCATED", allocated_at=None)
    now = then | {"line_status": "SHIPPED", "shipped_at": DONE + dt.timedelta(days=10)}
    changes = [snapshot(then), change("u", 1, before=then, after=now)]
    changed = inputs | {
        ErpOrderLine: changes_table(spark, ErpOrderLine, changes, consistent_point="0")
    }
    rows = translate_changes(lines_v2.ErpLines, changed).collect()
    event_types = [
        [e["type"] for e in r["events"]] for r in sorted(rows, key=lambda r: r["position"])
    ]
    assert event_types == [
        ["LineOrdered", "LineAllocated", "InventoryReserved", "InventoryReserved"],
        ["LineShipped", "ReservationEnded", "ReservationEnded"],
    ]
