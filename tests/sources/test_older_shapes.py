"""Rows of older shapes become rows of the contract's, or are put aside by name."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.sources import check_sources
from cutline.translator import EVERY_OTHER, SourceContract, column, older, table
from support.extracting import Extract, database, write
from support.orders import Order, OrderV1, OrderV2, image, v1_to_v2, v2_to_v3

REGION = "region = :region"


def shop(tmp_path, kind, path, contract=Order, region=REGION):
    tables = {"orders": {"path": path, "region": region}}
    return Extract(tmp_path, {"shop": {"kind": kind, "path": "in", "tables": tables}}, (contract,))


def orders(extracted):
    return extracted.rows("shop_orders", "key", *image(), "defects")


def test_one_file_of_json_lines_may_hold_every_shape(spark, tmp_path):
    lines = [
        {"order_no": "1", "customer": "Ada Byron", "cents": "1050", "created_ms": 1546300800123},
        {
            "order_no": "2",
            "first_name": "Max",
            "last_name": None,
            "cents": 7,
            "created_at": "2020-02-03 04:05:06",
        },
        {
            "order_no": "3",
            "first_name": "Eva",
            "last_name": "Lang",
            "amount": 12.30,
            "created_at": "2024-01-01T00:00:00Z",
            "channel": "APP",
        },
        {"order_no": "4", "customer": None, "cents": None, "created_ms": None},
        # What cannot be read in its own shape, or would lose something in the next one.
        {"order_no": "5", "customer": "A B", "cents": "10.5", "created_ms": "soon"},
        {
            "order_no": "6",
            "first_name": "A",
            "last_name": "B",
            "cents": 10**15,
            "created_at": "2020-01-01",
        },
        {"order_no": None, "customer": "A B", "cents": "1", "created_ms": 0},
        {"order_no": "1", "first_name": "again", "last_name": "B", "cents": 1, "created_at": None},
        # Of no shape: a new column instead of another, one too many, one too few, a mixture.
        {
            "order_no": "7",
            "first_name": "A",
            "last_name": "B",
            "total": 1,
            "created_at": None,
            "channel": "APP",
        },
        {"order_no": "8", "customer": "A B", "cents": "1", "created_ms": 0, "note": "x"},
        {"order_no": "9", "customer": "A B", "cents": "1"},
        dict(order_no="10", **{f"c{i}": i for i in range(9)}),
    ]
    text = "\n".join(json.dumps({**line, "region": "eu"}) for line in lines)
    write(tmp_path / "in" / "orders.jsonl", text + '\n{"order_no":"11","reg\n')
    extracted = shop(tmp_path, "jsonl", "orders.jsonl").run(spark)
    none = (None,) * 5
    assert orders(extracted) == sorted(
        [
            (
                '["1"]',
                "Ada",
                "Byron",
                "10.50",
                "2019-01-01 00:00:00.123",
                "SHOP",
                ["duplicate-key"],
            ),
            ('["1"]', "again", "B", "0.01", None, "SHOP", ["duplicate-key"]),
            ('["2"]', "Max", None, "0.07", "2020-02-03 04:05:06", "SHOP", []),
            ('["3"]', "Eva", "Lang", "12.30", "2024-01-01 00:00:00", "APP", []),
            ('["4"]', None, None, None, None, "SHOP", []),
            ('["5"]', "A", "B", None, None, "SHOP", ["wrong-type:created_ms", "wrong-type:cents"]),
            ('["6"]', "A", "B", None, None, "SHOP", ["wrong-type:created_at", "wrong-type:amount"]),
            (None, "A", "B", "0.01", "1970-01-01 00:00:00", "SHOP", ["null-key:order_no"]),
            (None, *none, ["unknown-shape:+total,-amount"]),
            (None, *none, ["unknown-shape:+note"]),
            (None, *none, ["unknown-shape:-created_ms"]),
            (None, *none, ["unknown-shape:+c0,+c1,+c2,+c3,+c4,+c5,6 more"]),
            (None, *none, ["malformed-line"]),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 13
    payloads = dict(extracted.rows("shop_orders", "get(defects, 0)", "payload"))
    assert payloads["unknown-shape:+note"] == json.dumps({**lines[9], "region": "eu"})
    (mistyped,) = (
        p
        for d, p in extracted.rows("shop_orders", "defects", "payload")
        if d[:1] == ["wrong-type:created_ms"]
    )
    assert json.loads(mistyped) == {
        "order_no": "5",
        "customer": "A B",
        "cents": "10.5",
        "created_ms": "soon",
    }


def test_csv_files_may_differ_in_shape(spark, tmp_path):
    write(
        tmp_path / "in" / "2019.csv",
        "order_no,region,customer,cents,created_ms\n1,eu,Ada Byron,1050,0\n2,us,A B,1,0\n3,eu,A B,x,0\n",
    )
    write(
        tmp_path / "in" / "2021.csv",
        "created_at,cents,last_name,first_name,order_no,region\n2020-02-03 04:05:06,7,M,Max,4,eu\n",
    )
    write(
        tmp_path / "in" / "2024.csv",
        "order_no,region,first_name,last_name,amount,created_at,channel\n5,eu,E,L,1.50,,APP\n6,eu\n",
    )
    write(
        tmp_path / "in" / "2026.csv",
        "order_no,region,first_name,last_name,total,created_at,channel\n7,eu,E,L,1.50,,APP\n8,us,E,L,1.50,,APP\n",
    )
    extract = shop(tmp_path, "csv", "*.csv")
    extracted = extract.run(spark)
    assert orders(extracted) == sorted(
        [
            ('["1"]', "Ada", "Byron", "10.50", "1970-01-01 00:00:00", "SHOP", []),
            ('["3"]', "A", "B", None, "1970-01-01 00:00:00", "SHOP", ["wrong-type:cents"]),
            ('["4"]', "Max", "M", "0.07", "2020-02-03 04:05:06", "SHOP", []),
            ('["5"]', "E", "L", "1.50", None, "APP", []),
            (None, None, None, None, None, None, ["malformed-line"]),
            (None, None, None, None, None, None, ["unknown-shape:+total,-amount"]),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 6
    assert ("unknown-shape:+total,-amount", "7,eu,E,L,1.50,,APP") in extracted.rows(
        "shop_orders", "get(defects, 0)", "payload"
    )
    check_lines = "\n".join(check_sources(extract.project, extract.translation))
    assert "no shape of contract Order knows total; such rows will be quarantined" in check_lines
    assert "2026.csv has a shape of its own: +total,-amount; such rows" in check_lines
    assert "2021.csv" not in check_lines


def test_parquet_files_may_differ_in_shape_and_type(spark, tmp_path):
    at = dt.datetime(2024, 1, 1, 1, 2, 3, 4, tzinfo=dt.UTC)
    files = {
        "1": {"order_no": [1], "customer": ["Ada Byron"], "cents": [1050], "created_ms": [0]},
        "2": {
            "order_no": ["2", "6"],
            "first_name": ["A", "A"],
            "last_name": ["B", "B"],
            "cents": [Decimal("3"), Decimal("3.5")],
            "created_at": [at, at],
        },
        "3": {
            "order_no": ["3"],
            "first_name": ["E"],
            "last_name": ["L"],
            "amount": [Decimal("1.5")],
            "created_at": [at],
            "channel": ["APP"],
        },
        "4": {"order_no": ["4"], "first_name": ["E"], "who": ["L"]},
    }
    (tmp_path / "in").mkdir()
    for name, columns in files.items():
        whole = columns | {"region": ["eu"] * len(columns["order_no"])}
        pq.write_table(pa.table(whole), tmp_path / "in" / f"{name}.parquet", coerce_timestamps="us")
    extracted = shop(tmp_path, "parquet", "*.parquet").run(spark)
    assert orders(extracted) == sorted(
        [
            ('["1"]', "Ada", "Byron", "10.50", "1970-01-01 00:00:00", "SHOP", []),
            ('["2"]', "A", "B", "0.03", "2024-01-01 01:02:03.000004", "SHOP", []),
            ('["6"]', "A", "B", None, "2024-01-01 01:02:03.000004", "SHOP", ["wrong-type:cents"]),
            ('["3"]', "E", "L", "1.50", "2024-01-01 01:02:03.000004", "APP", []),
            (
                None,
                *(None,) * 5,
                ["unknown-shape:+who,-cents,-created_at,-last_name"],
            ),
        ],
        key=repr,
    )
    (payload,) = (p for (p,) in extracted.rows("shop_orders", "payload") if p and "who" in p)
    shown = {name: value for name, value in json.loads(payload).items() if value is not None}
    assert shown == {"order_no": "4", "first_name": "E", "who": "L", "region": "eu"}


def test_a_database_of_an_older_shape_is_lifted_and_its_keys_are_compared_again(spark, tmp_path):
    class Upper(SourceContract):
        """One order, with an upper-case number."""

        order_no: T.StringType = column(doc="its number")
        state: T.StringType = column(doc="its state")

        class Config:
            metadata = table("shop", "orders", key=["order_no"], older=[])

    class Lower(SourceContract):
        """One order."""

        no: T.StringType = column(doc="its number")
        status: T.IntegerType = column(doc="its state, 0 or 1")

    class Lifted(Upper):
        """One order, lifted from lower case."""

        class Config:
            metadata = table(
                "shop",
                "orders",
                key=["order_no"],
                older=[older(Lower, lift=lambda row: {"order_no": row.no, "state": row["status"]})],
                ignores=[EVERY_OTHER],
            )

    database(
        tmp_path / "erp.db",
        "CREATE TABLE orders(no INTEGER PRIMARY KEY, status, region, more)",
        {
            "orders": [
                (1, 0, "eu", b"\xff"),
                (2, "new", "eu", 1),
                (3, 1, "us", 1),
                (4, b"\x00", "eu", 1),
            ]
        },
    )
    sources = {
        "shop": {"kind": "sqlite", "path": "erp.db", "tables": {"orders": {"region": REGION}}}
    }
    extracted = Extract(tmp_path, sources, (Lifted,)).run(spark)
    assert extracted.rows("shop_orders", "key", "after.state", "defects", "payload") == [
        ('["1"]', "0", [], None),
        ('["2"]', None, ["wrong-type:status"], '{"no":"2","status":"new"}'),
        ('["4"]', None, ["wrong-type:status"], '{"no":"4","status":"x\'00\'"}'),
    ]
    with pytest.raises(ConfigurationError, match=r"lacks column 'order_no', which contract Upper"):
        Extract(tmp_path, sources, (Upper,)).run(spark)


class Untimed(SourceContract):
    """A booking whose amount was in cents until 2020."""

    booking_no: T.StringType = column(doc="its number")
    amount: T.StringType = column(doc="euro cents")
    booked_on: T.DateType = column(doc="when it was booked")


class Booking(SourceContract):
    """A booking."""

    booking_no: T.StringType = column(doc="its number")
    amount: T.LongType = column(doc="a tenth of a cent")
    booked_on: T.DateType = column(doc="when it was booked")

    class Config:
        metadata = table(
            "shop",
            "orders",
            key=["booking_no"],
            older=[
                older(
                    Untimed,
                    lift=lambda row: {"amount": row.amount.cast("bigint") * 10},
                    until_time=dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
                    by="booked_on",
                )
            ],
        )


def test_shapes_of_the_same_columns_are_told_by_a_time(spark, tmp_path):
    lines = [
        {"booking_no": "1", "amount": "5", "booked_on": "2019-12-31"},
        {"booking_no": "2", "amount": "5", "booked_on": "2020-01-01"},
        {"booking_no": "3", "booked_on": "2019-12-31"},
        {"booking_no": "4", "amount": "5", "booked_on": None},
        {"booking_no": "5", "amount": "5", "booked_on": "2020-13-01"},
        {"booking_no": "6", "amount": "5", "booked_on": "2019-12-31", "more": 1},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    write(tmp_path / "in" / "orders.jsonl", text)
    extracted = shop(tmp_path, "jsonl", "orders.jsonl", Booking, None).run(spark)
    assert extracted.rows("shop_orders", "key", "after.amount", "defects") == sorted(
        [
            ('["1"]', 50, []),
            ('["2"]', 5, []),
            ('["3"]', None, []),
            (None, None, ["unknown-shape:booked_on"]),
            (None, None, ["unknown-shape:booked_on"]),
            (None, None, ["unknown-shape:+more"]),
        ],
        key=repr,
    )


def test_a_table_that_fits_no_shape_at_all_is_refused_before_anything_is_read(spark, tmp_path):
    write(
        tmp_path / "in" / "orders.csv", "order_no,region,customer,cent,created_ms\n1,eu,A B,1,0\n"
    )
    extract = shop(tmp_path, "csv", "orders.csv")
    with pytest.raises(ConfigurationError, match=r"fits none of the 3 shapes.*: \+cent,-cents"):
        check_sources(extract.project, extract.translation)
    with pytest.raises(ConfigurationError, match=r"fits none of the 3 shapes.*: \+cent,-cents"):
        extract.run(spark)


def test_positions_tell_nothing_where_a_source_has_no_changes(spark, tmp_path):
    class Late(Order):
        """One order, of a source without changes."""

        class Config:
            metadata = table(
                "shop",
                "orders",
                key=["order_no"],
                older=[
                    older(OrderV1, lift=v1_to_v2, until_position="0/1"),
                    older(OrderV2, lift=v2_to_v3),
                ],
            )

    write(tmp_path / "in" / "orders.csv", "order_no,region,customer,cents,created_ms\n")
    extract = shop(tmp_path, "csv", "orders.csv", Late)
    with pytest.raises(ConfigurationError, match=r"contract Late: .* has no change file"):
        extract.run(spark)
