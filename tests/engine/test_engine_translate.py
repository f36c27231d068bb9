"""What a row means: dispositions and events from literal rows."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.translate import translate_changes
from cutline.errors import ConfigurationError
from cutline.identity.keys import event_id, fact_key
from cutline.translator import Occurrence, Translator, fact, removed
from support.changes import EXTRACTED, change, changes_table, position, snapshot
from support.shop import (
    MORNING,
    SHOP,
    Cancelled,
    ComposedOrders,
    Lines,
    OldCart,
    OldLine,
    OldOrder,
    OldPiece,
    Orders,
    Placed,
    StrictCart,
    StrictlyComposed,
    order,
)


def ends(frame) -> dict[str, tuple[str, str, list[str]]]:
    """key -> (disposition, rule, event types), for tables with one change per key."""
    return {
        json.loads(r["key"])[0]: (r["disposition"], r["rule"], [e["type"] for e in r["events"]])
        for r in frame.collect()
    }


def trail(frame) -> list[tuple[str, str, str, list[str]]]:
    """(op, table, disposition, event types) by position."""
    rows = sorted(frame.collect(), key=lambda r: (r["position"], r["table"]))
    return [(r["op"], r["table"], r["disposition"], [e["type"] for e in r["events"]]) for r in rows]


CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)


def test_each_snapshot_row_has_the_one_end_that_its_rules_give(spark: SparkSession) -> None:
    rows = [
        snapshot(order("new")),
        snapshot(order("released", "R")),
        snapshot(order("unreadable", "?")),
        snapshot(order("both", "C", released_at=MORNING)),
        snapshot(order("test", "T")),
        snapshot(order("against-contract", "Q")),
        snapshot(order("negative", cents=-1)),
        snapshot(order("no-cents", cents=None)),
        snapshot(order("bad-channel", channel="fax")),
        snapshot(order("broken"), defects=["wrong-type:cents"]),
    ]
    ends_by_order = ends(
        translate_changes(Orders, {OldOrder: changes_table(spark, OldOrder, rows)})
    )
    assert ends_by_order == {
        "new": ("translated", "Placed", ["Placed"]),
        "released": ("translated", "Placed, Released", ["Placed", "Released"]),
        "unreadable": ("quarantined", "unreadable-status", []),
        "both": ("ambiguous", "cancelled-and-released", []),
        "test": ("no-op", "test-order", []),
        "against-contract": ("quarantined", "contract:status:isin", []),
        "negative": ("quarantined", "contract:cents:ge", []),
        "no-cents": ("quarantined", "payload:Placed.cents", []),
        "bad-channel": ("quarantined", "payload:Placed.channel", []),
        "broken": ("quarantined", "wrong-type:cents", []),
    }


def test_what_a_person_must_look_at_keeps_its_payload_and_a_sentence(spark: SparkSession) -> None:
    rows = [snapshot(order("a", "?")), snapshot(order("b")), snapshot(order("c", "Q", cents=-1))]
    frame = translate_changes(Orders, {OldOrder: changes_table(spark, OldOrder, rows)})
    reason_and_payload = {
        json.loads(r["key"])[0]: (r["reason"], r["payload"]) for r in frame.collect()
    }
    assert reason_and_payload["a"][0] == "Nobody can read this status."
    assert json.loads(reason_and_payload["a"][1])["status"] == "?"
    assert reason_and_payload["b"] == (None, None)
    assert reason_and_payload["c"][0] == (
        "the row breaks its contract: status is none of the allowed values; cents is below 0"
    )


def test_a_fact_is_the_rising_edge_of_its_predicate(spark: SparkSession) -> None:
    n, r, x, c = (order("o", s) for s in "NRXC")
    rows = [
        snapshot(n),
        change("u", 10, before=n, after=r),
        change("u", 20, before=r, after=x),
        change("u", 30, before=x, after=c),
    ]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    assert trail(translate_changes(Orders, {OldOrder: changes})) == [
        ("r", "orders", "translated", ["Placed"]),
        ("u", "orders", "translated", ["Released"]),
        ("u", "orders", "no-op", []),
        ("u", "orders", "translated", ["Cancelled"]),
    ]


def test_missing_before_images_are_carried_forward_and_never_taken_for_nulls(
    spark: SparkSession,
) -> None:
    rows = [
        snapshot(order("known")),
        change("u", 10, after=order("known", "R")),
        change("u", 11, after=order("known", "R", cents=7)),
        change("u", 12, after=order("stranger", "R")),
        change("c", 13, after=order("fresh")),
        change("u", 14, before=order("told"), after=order("told", "R")),
        change("d", 15, before=order("fresh")),
        change("u", 3, before=order("early"), after=order("early", "R")),
    ]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    frame = translate_changes(Orders, {OldOrder: changes})
    rules_by_position = sorted(
        (r["position"][:20].lstrip("0"), json.loads(r["key"])[0], r["rule"])
        for r in frame.collect()
    )
    assert rules_by_position == [
        ("", "known", "Placed"),
        ("10", "known", "Released"),
        ("11", "known", "nothing-to-announce"),
        ("12", "stranger", "no-prior-image"),
        ("13", "fresh", "Placed"),
        ("14", "told", "Released"),
        ("15", "fresh", "deletion-without-meaning"),
        ("3", "early", "committed-before-the-snapshot"),
    ]


def test_parts_are_composed_and_a_fact_rises_whichever_source_moved(spark: SparkSession) -> None:
    cart = {"cart": "c1", "no": "o1", "channel": "web"}
    stray = {"cart": "c9", "no": "nobody", "channel": "web"}
    inputs = {
        OldOrder: changes_table(
            spark,
            OldOrder,
            [
                snapshot(order("o1", channel=None)),
                snapshot(order("o2", channel=None)),
                snapshot(order("o3", "Q")),
                change("u", 10, after=order("o1", "R")),
            ],
            consistent_point=position(5),
        ),
        OldCart: changes_table(
            spark,
            OldCart,
            [
                snapshot(cart),
                snapshot(stray),
                snapshot({"cart": "c3", "no": "o3", "channel": "web"}),
                snapshot({"cart": "c4", "no": None, "channel": "web"}),
            ],
        ),
    }
    frame = translate_changes(ComposedOrders, inputs)
    row_ends = sorted(
        (r["table"], json.loads(r["key"])[0], r["op"], r["rule"], len(r["events"]))
        for r in frame.collect()
    )
    assert row_ends == [
        ("carts", "c1", "r", "Placed", 0),
        ("carts", "c3", "r", "part-missing:order", 0),
        ("carts", "c4", "r", "subject-missing", 0),
        ("carts", "c9", "r", "part-missing:order", 0),
        ("orders", "o1", "r", "Placed", 1),
        ("orders", "o1", "u", "Released", 1),
        ("orders", "o2", "r", "Placed", 1),
        ("orders", "o3", "r", "contract:status:isin", 0),
    ]
    data = {
        json.loads(e["data"])["order"]: json.loads(e["data"])["channel"]
        for r in frame.collect()
        for e in r["events"]
        if e["type"] == "Placed"
    }
    assert data == {"o1": "web", "o2": "store"}


def test_two_rows_where_a_subject_has_one_are_for_a_person(spark: SparkSession) -> None:
    inputs = {
        OldOrder: changes_table(spark, OldOrder, [snapshot(order("o1"))]),
        OldCart: changes_table(
            spark,
            OldCart,
            [snapshot({"cart": c, "no": "o1", "channel": "web"}) for c in ("c1", "c2")],
        ),
    }
    rows = translate_changes(ComposedOrders, inputs).collect()
    assert {(r["disposition"], r["rule"]) for r in rows} == {("ambiguous", "several-rows:cart")}
    assert len(rows) == 3


def test_a_second_row_that_a_change_brings_is_for_a_person_while_it_stands(
    spark: SparkSession,
) -> None:
    """The images in between are of two carts: the order's own changes are ambiguous as well."""
    first = {"cart": "c1", "no": "o1", "channel": "web"}
    second = {"cart": "c2", "no": "o1", "channel": "store"}
    inputs = {
        OldOrder: changes_table(
            spark,
            OldOrder,
            [
                snapshot(order("o1")),
                change("u", 30, before=order("o1"), after=order("o1", cents=7)),
                change("u", 50, before=order("o1", cents=7), after=order("o1", "R")),
            ],
            consistent_point=position(1),
        ),
        OldCart: changes_table(
            spark,
            OldCart,
            [
                snapshot(first),
                change("c", 20, after=second),
                change("d", 40, before=second),
                change("u", 45, before=first, after=first),
            ],
            consistent_point=position(1),
        ),
    }
    rows = translate_changes(ComposedOrders, inputs).where("op <> 'r'").collect()
    assert [(r["op"], r["rule"]) for r in sorted(rows, key=lambda r: r["source_time"])] == [
        ("c", "several-rows:cart"),
        ("u", "several-rows:cart"),
        # The first cart still stands, and nothing carries its image on until it is seen again.
        ("d", "several-rows:cart"),
        ("u", "nothing-to-announce"),
        ("u", "Released"),
    ]


def test_an_optional_part_that_cannot_be_read_is_not_absent(spark: SparkSession) -> None:
    orders = [snapshot(order(no)) for no in ("o1", "o2")]
    carts = [{"cart": "c1", "no": "o1", "channel": None}]
    inputs = {
        OldOrder: changes_table(spark, OldOrder, orders),
        StrictCart: changes_table(spark, StrictCart, [snapshot(row) for row in carts]),
    }
    rows = translate_changes(StrictlyComposed, inputs).orderBy("table", "key").collect()
    assert [(r["key"], r["disposition"], r["rule"]) for r in rows] == [
        ('["o1"]', "quarantined", "part-unreadable:cart"),
        ('["o2"]', "translated", "Placed"),
        ('["c1"]', "quarantined", "contract:channel:nullable"),
    ]


class CancelledWithTheirCarts(StrictlyComposed):
    """The same, of orders that end with their carts."""

    @removed(Cancelled, part="cart")
    def without_cart(self, row):
        return Occurrence(when=False, time_basis="commit", data={"order": row.order.no})


BROKEN, UNREADABLE = "contract:channel:nullable", "part-unreadable:cart"
CARTS: dict[str, tuple[list[tuple[str, str, str]], list[str]]] = {
    # By subject: the op of a change of its cart with the channels before and after, `?` for one
    # that cannot be read, or a change of the order; and the rule of each.
    "mended": (
        [("c", "", "?"), ("order", "", ""), ("u", "?", "web"), ("order", "", "")],
        [BROKEN, UNREADABLE, "nothing-to-announce", "nothing-to-announce"],
    ),
    "mended and deleted": (
        [("c", "", "?"), ("u", "?", "web"), ("d", "web", ""), ("order", "", "")],
        [BROKEN, "nothing-to-announce", "Cancelled", "nothing-to-announce"],
    ),
    "broken and deleted": (
        [("c", "", "web"), ("u", "web", "?"), ("order", "", ""), ("d", "?", ""), ("order", "", "")],
        ["nothing-to-announce", BROKEN, UNREADABLE, "Cancelled", "nothing-to-announce"],
    ),
    "never readable": (
        [("c", "", "?"), ("order", "", ""), ("d", "?", ""), ("order", "", "")],
        [BROKEN, UNREADABLE, "nothing-to-announce", "nothing-to-announce"],
    ),
}


def test_an_optional_part_is_unreadable_until_it_is_mended_or_deleted(
    spark: SparkSession,
) -> None:
    orders, carts = [], []
    for no, (steps, _) in CARTS.items():
        orders.append(snapshot(order(no)))
        for nth, (op, before, after) in enumerate(steps):
            if op == "order":
                orders.append(change("u", 10 + nth, before=order(no), after=order(no, cents=nth)))
                continue
            images = [
                {"cart": no, "no": no, "channel": None if channel == "?" else channel}
                if channel
                else None
                for channel in (before, after)
            ]
            carts.append(change(op, 10 + nth, before=images[0], after=images[1]))
    inputs = {
        OldOrder: changes_table(spark, OldOrder, orders, consistent_point=position(1)),
        StrictCart: changes_table(spark, StrictCart, carts, consistent_point=position(1)),
    }
    rows = translate_changes(CancelledWithTheirCarts, inputs).where("op <> 'r'").collect()
    rules = {
        no: [r["rule"] for r in sorted(rows, key=lambda r: r["position"]) if r["subject"] == no]
        for no in CARTS
    }
    assert rules == {no: ends for no, (_, ends) in CARTS.items()}


def test_each_announces_one_event_per_element_and_only_for_new_elements(
    spark: SparkSession,
) -> None:
    line = {"no": "o1", "sku": "B", "quantity": 2, "reserved": False}
    reserved_line = line | {"reserved": True}
    inputs = {
        OldOrder: changes_table(spark, OldOrder, [snapshot(order("o1"))]),
        OldPiece: changes_table(
            spark,
            OldPiece,
            [snapshot({"bundle": "B", "sku": s, "pieces": n}) for s, n in (("s1", 1), ("s2", 3))],
        ),
        OldLine: changes_table(
            spark,
            OldLine,
            [
                snapshot(line),
                change("u", 10, before=line, after=reserved_line),
                change("u", 11, before=reserved_line, after=reserved_line | {"quantity": 5}),
                snapshot({"no": "gone", "sku": "B", "quantity": 1, "reserved": True}),
            ],
            consistent_point=position(5),
        ),
    }
    frame = translate_changes(Lines, inputs)
    announced = sorted(
        (r["position"][:20].lstrip("0"), r["rule"], [e["data"] for e in r["events"]])
        for r in frame.collect()
    )
    assert announced == [
        ("", "nothing-to-announce", []),
        ("", "orphan-line", []),
        (
            "10",
            "Reserved",
            [
                '{"order":"o1","quantity":2,"sku":"s1"}',
                '{"order":"o1","quantity":6,"sku":"s2"}',
            ],
        ),
        ("11", "nothing-to-announce", []),
    ]


def test_events_carry_recomputable_ids_and_say_what_their_time_means(spark: SparkSession) -> None:
    rows = [
        snapshot(order("o1", "C", placed_at=MORNING)),
        change("u", 10, after=order("o2", "C"), before=order("o2"), at="2026-11-01T05:00:00+00:00"),
    ]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    lineage = Lineage("shop", "eu", "run-1", F.lit(EXTRACTED))
    events = candidate_events(translate_changes(Orders, {OldOrder: changes}), lineage).collect()
    by = {(e["subject"], e["type"]): e for e in events}
    assert set(by) == {("o1", "Placed"), ("o1", "Cancelled"), ("o2", "Cancelled")}
    placed = by["o1", "Placed"]
    assert placed["id"] == event_id("urn:cutline:shop:old", "shop", "Placed", "o1", None, 1)
    assert placed["migfactkey"] == fact_key("shop", "Placed", "o1", None)
    assert placed["data"] == '{"cents":100,"channel":"web","order":"o1"}'
    # Nothing says that `placed_at` is never written again.
    assert (placed["migtimebasis"], placed["migconfidence"]) == ("effective", "inferred")
    extract, commit = by["o1", "Cancelled"], by["o2", "Cancelled"]
    assert (extract["migtimebasis"], extract["migconfidence"]) == ("extract", "approximate")
    assert (commit["migtimebasis"], commit["migconfidence"]) == ("commit", "approximate")
    assert commit["time"].isoformat() == "2026-11-01T05:00:00"
    assert not placed["migreplaysafe"]
    assert len({e["sequence"] for e in events}) == 3
    assert len({len(e["sequence"]) for e in events}) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"order": 1, "cents": 1, "channel": 1, "chanel": 1}, "no field 'chanel'.*'channel'"),
        ({"order": 1, "cents": 1}, r"Placed\.channel is required"),
    ],
)
def test_a_payload_must_fit_its_event(spark: SparkSession, data, message: str) -> None:
    class Unfit(Translator):
        context = SHOP
        aggregate = "order"
        version = "1.0.0"
        source = OldOrder
        subject = "no"

        @fact(Placed)
        def placed(self, row):
            return Occurrence(
                when=F.lit(True), time_basis="commit", data=dict.fromkeys(data, row.no)
            )

    with pytest.raises(ConfigurationError, match=message):
        translate_changes(Unfit, {OldOrder: changes_table(spark, OldOrder, [snapshot(order("a"))])})
