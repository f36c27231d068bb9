"""Changes of older shapes: both images are lifted, told by position or by their columns."""

from __future__ import annotations

from cutline.positions import PostgresPosition
from cutline.translator import table
from cutline.translator.contract import older
from support.extracting import Extract, change, database, write
from support.orders import Order, OrderV1, OrderV2, image, v1_to_v2, v2_to_v3


class OrderByPlace(Order):
    """One order, its older shapes told by their place in the log."""

    class Config:
        metadata = table(
            "erp",
            "orders",
            key=["order_no"],
            older=[
                older(OrderV1, lift=v1_to_v2, until_position="0/7D0"),
                older(OrderV2, lift=v2_to_v3, until_position="0/BB8"),
            ],
        )


class OrderByColumns(Order):
    """One order, its older shapes told by their columns."""

    class Config:
        metadata = table(
            "erp",
            "orders",
            key=["order_no"],
            older=[older(OrderV1, lift=v1_to_v2), older(OrderV2, lift=v2_to_v3)],
        )


def position(*numbers):
    return PostgresPosition(*numbers).text


def v1(number, customer="Ada Byron", cents="1050", **more):
    row = {"order_no": number, "customer": customer, "cents": cents, "created_ms": 0}
    return row | {"region": "eu"} | more


def v2(number, first="Ada", last="Byron", cents=1050, **more):
    row = {"order_no": number, "first_name": first, "last_name": last, "cents": cents}
    return row | {"created_at": None, "region": "eu"} | more


def v3(number, amount="10.50", channel="APP", **more):
    row = {"order_no": number, "first_name": "Ada", "last_name": "Byron", "amount": amount}
    return row | {"created_at": None, "channel": channel, "region": "eu"} | more


def erp(tmp_path, lines, contract):
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, region, customer, cents, created_ms)"
    database(tmp_path / "erp.db", script, {"orders": [("1", "eu", "Ada Byron", "1050", 0)]})
    write(tmp_path / "changes.jsonl", "\n".join(lines))
    changes = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/3E8"},
    }
    tables = {"orders": {"region": "region = :region"}}
    sources = {"erp": {"kind": "sqlite", "path": "erp.db", "tables": tables, "changes": changes}}
    return Extract(tmp_path, sources, (contract,))


ADA = ("Ada", "Byron", "10.50", "1970-01-01 00:00:00", "SHOP")
NOBODY = (None,) * 5


def changed(extracted):
    """Place, key, the images before and after, and the defects of each change, by place."""
    place = "int(substr(position, 0, 20))"
    return extracted.rows("erp_orders", place, "key", *image("before"), *image("after"), "defects")


def test_a_position_tells_the_shape_of_snapshot_and_changes(spark, tmp_path):
    lines = [
        change("u", v1("1"), v1("1", "Max Lang"), commit=1500, row=1400),
        change("c", None, v2("2"), commit=1999, row=1999),
        change("u", v2("1"), v2("1", cents=7), commit=2000, row=1990),
        change("d", v2("2"), None, commit=2999, row=2500),
        change("c", None, v3("3"), commit=3000, row=2600),
        change("u", v2("1"), v3("1"), commit=3001, row=2601),
        change("c", None, v2("4"), commit=3002, row=2602),
        change("d", v1("5"), None, commit=3003, row=2603),
    ]
    extracted = erp(tmp_path, lines, OrderByPlace).run(spark)
    max_ = ("Max", "Lang", "10.50", "1970-01-01 00:00:00", "SHOP")
    second = ("Ada", "Byron", "10.50", None, "SHOP")
    third = ("Ada", "Byron", "10.50", None, "APP")
    cheap = ("Ada", "Byron", "0.07", None, "SHOP")
    mixed = "unknown-shape:+cents,-amount,-channel"
    first = "unknown-shape:+cents,+created_ms,+customer,-amount,-channel,-created_at,2 more"
    early = "unknown-shape:+created_at,+first_name,+last_name,-created_ms,-customer"
    assert changed(extracted) == sorted(
        [
            (1000, '["1"]', *NOBODY, *ADA, []),
            (1500, '["1"]', *ADA, *max_, []),
            (1999, None, *NOBODY, *NOBODY, [early]),
            (2000, '["1"]', *second, *cheap, []),
            (2999, '["2"]', *second, *NOBODY, []),
            (3000, '["3"]', *NOBODY, *third, []),
            (3001, '["1"]', *NOBODY, *third, []),
            (3002, None, *NOBODY, *NOBODY, [mixed]),
            (3003, None, *NOBODY, *NOBODY, [first]),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 9
    assert (position(3002, 2602, 0), lines[6]) in extracted.rows(
        "erp_orders", "position", "payload"
    )


def test_the_columns_of_each_image_tell_its_shape(spark, tmp_path):
    lines = [
        change("u", v1("1"), v2("1", cents=7), commit=2000, row=1),
        change("u", v1("1", cents="x"), v3("1"), commit=2001, row=2),
        change("u", v1("1"), v3("1", amount="1.005"), commit=2002, row=3),
        change("d", v1("1"), None, commit=2003, row=4),
        change("d", v1("1", cents="x"), None, commit=2004, row=5),
        change("c", None, v1("1", customer="__debezium_unavailable_value"), commit=2005, row=6),
        change("c", None, v1(None), commit=2006, row=7),
        change("u", v3("1", more=1), v3("1"), commit=2007, row=8),
        # Of another slice, or of an unknown shape without a region: kept rather than lost.
        change("c", None, v3("1", more=1, region="us"), commit=2008, row=9),
        change("c", None, {"order_no": "9", "area": "us"}, commit=2009, row=10),
    ]
    extracted = erp(tmp_path, lines, OrderByColumns).run(spark)
    cheap = ("Ada", "Byron", "0.07", None, "SHOP")
    third = ("Ada", "Byron", "10.50", None, "APP")
    assert changed(extracted)[1:] == sorted(
        [
            (2000, '["1"]', *ADA, *cheap, []),
            (2001, '["1"]', *NOBODY, *third, []),
            (2002, '["1"]', *ADA, "Ada", "Byron", None, None, "APP", ["wrong-type:amount"]),
            (2003, '["1"]', *ADA, *NOBODY, []),
            (
                2004,
                '["1"]',
                *("Ada", "Byron", None, "1970-01-01 00:00:00", "SHOP"),
                *NOBODY,
                ["wrong-type:cents"],
            ),
            (
                2005,
                '["1"]',
                *NOBODY,
                *(None, None, "10.50", "1970-01-01 00:00:00", "SHOP"),
                ["unavailable:customer"],
            ),
            (2006, None, *NOBODY, *ADA, ["null-key:order_no"]),
            (2007, '["1"]', *NOBODY, *third, []),
            (
                2009,
                None,
                *NOBODY,
                *NOBODY,
                ["unknown-shape:+area,-cents,-created_ms,-customer"],
            ),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 10
