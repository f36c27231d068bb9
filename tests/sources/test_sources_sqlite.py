"""SQLite: every row of the slice, every digit, one state of all tables."""

from __future__ import annotations

import json
import sqlite3
from typing import Annotated

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, database


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)
    quantity: T.LongType = column(doc="pieces")
    price: Annotated[T.DecimalType, 12, 2] = column(doc="euros")
    placed_at: T.TimestampType = column(doc="when it was placed")
    paid: T.BooleanType = column(doc="whether it is paid")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


class Line(SourceContract):
    """One order line."""

    order_no: T.StringType = column(doc="the order")
    line_no: T.IntegerType = column(doc="its number in the order")

    class Config:
        metadata = table("erp", "lines", key=["order_no", "line_no"])


ORDERS = """
CREATE TABLE orders(order_no, region TEXT, quantity, price, placed_at, paid, note);
CREATE TABLE lines(order_no TEXT, line_no INTEGER, region TEXT, PRIMARY KEY(order_no, line_no));
"""
AT = "2026-10-28T09:15:00Z"


def erp(tmp_path, rows=None, *, contracts=(Order,), script=ORDERS, region="region = :region"):
    database(tmp_path / "erp.db", script, rows)
    tables = {"orders": {"region": region}, "lines": {"region": "region = :region"}}
    sources = {"erp": {"kind": "sqlite", "path": "erp.db", "tables": tables}}
    return Extract(tmp_path, sources, contracts)


def test_every_row_of_the_slice_is_there_typed_or_with_its_defects(spark, tmp_path):
    rows = [
        ("1", "eu", 2, 19.99, AT, 1, "extra columns are ignored"),
        ("2", "us", 2, 19.99, AT, 1, "another region"),
        ("3", "eu", "two", 19.99, AT, 0, "a word for a number"),
        ("4", "eu", 2**40, 0.1 + 0.2, AT, None, "a fraction finer than cents"),
        ("5", "eu", 2.5, 3.0, "yesterday", None, "half a piece"),
        ("6", "eu", 1, b"\x00\xff", "2026-10-28", None, "bytes, and a date that is no moment"),
        (None, "eu", 1, None, None, None, "no key"),
        ("7", "eu", 1, 1, AT, 1, "the same key"),
        ("7", "eu", 1, 2, AT, 1, "twice"),
    ]
    extracted = erp(tmp_path, {"orders": rows}).run(spark)
    assert extracted.rows(
        "erp_orders",
        "key",
        "after.quantity",
        "cast(after.price as string)",
        "cast(after.placed_at as string)",
        "after.paid",
        "defects",
    ) == sorted(
        [
            ('["1"]', 2, "19.99", "2026-10-28 09:15:00", True, []),
            ('["3"]', None, "19.99", "2026-10-28 09:15:00", False, ["wrong-type:quantity"]),
            ('["4"]', 2**40, None, "2026-10-28 09:15:00", None, ["wrong-type:price"]),
            ('["5"]', None, "3.00", None, None, ["wrong-type:quantity", "wrong-type:placed_at"]),
            ('["6"]', 1, None, None, None, ["wrong-type:price", "wrong-type:placed_at"]),
            (None, 1, None, None, None, ["null-key:order_no"]),
            ('["7"]', 1, "1.00", "2026-10-28 09:15:00", True, ["duplicate-key"]),
            ('["7"]', 1, "2.00", "2026-10-28 09:15:00", True, ["duplicate-key"]),
        ],
        key=repr,
    )
    assert (extracted.result.rows_in, extracted.result.rows_out) == (8, 8)
    assert extracted.result.counts == {"rows": {"erp.orders": 8}, "defects": {"erp.orders": 7}}
    payloads = {
        json.loads(p)["order_no"]: json.loads(p)
        for (p,) in extracted.rows("erp_orders", "payload")
        if p
    }
    assert payloads["6"]["price"] == "x'00FF'"
    assert payloads["4"]["price"] == "0.30000000000000004"
    assert "note" not in payloads["3"], "columns beyond the contract stay where they are"
    assert "1" not in payloads, "a row without defects needs no payload"


def test_the_columns_around_an_image(spark, tmp_path):
    extracted = erp(tmp_path, {"orders": [("1", "eu", 2, 1, AT, 1, "")]}).run(spark)
    assert extracted.rows(
        "erp_orders",
        "source",
        "`table`",
        "op",
        "before is null",
        "position",
        "transaction",
        "source_time",
        "cast(extract_time as string)",
    ) == [
        (
            "erp",
            "orders",
            "r",
            True,
            "00000000000000000000.00000000000000000000.0000000000",
            None,
            None,
            "2026-11-01 02:00:00",
        )
    ]
    assert extracted.result.stored()["facts"]["extracts"]["erp"]["tables"] == {"orders": 1}
    assert extracted.result.stored()["facts"]["unexplained"] == 0


def test_a_column_whose_first_values_are_null_keeps_its_later_ones(spark, tmp_path):
    rows = [(str(n), "eu", None, None, None, None, "") for n in range(25_000)]
    rows.append(("late", "eu", 7, None, None, None, ""))
    extracted = erp(tmp_path, {"orders": rows}).run(spark)
    assert extracted.result.rows_out == 25_001
    assert extracted.lake.read(spark, "changes_erp_orders").where("after.quantity = 7").count() == 1


def test_text_with_bytes_of_another_encoding_is_a_defect_and_not_lost(spark, tmp_path):
    script = ORDERS + "INSERT INTO orders VALUES(CAST(x'53E9' AS TEXT), 'eu', 1, 1, NULL, 1, '');"
    extracted = erp(tmp_path, script=script).run(spark)
    assert extracted.rows("erp_orders", "key", "after.order_no", "after.quantity", "defects") == [
        (None, None, 1, ["not-in-encoding"])
    ]
    assert "S\ufffd" in extracted.rows("erp_orders", "payload")[0][0]


def test_an_empty_table_gives_an_empty_table(spark, tmp_path):
    extracted = erp(tmp_path, contracts=(Order, Line)).run(spark)
    assert (extracted.result.rows_in, extracted.result.rows_out) == (0, 0)
    assert [t.name for t in extracted.result.tables] == ["changes_erp_orders", "changes_erp_lines"]


def test_a_region_that_takes_everything_applies_no_predicate(spark, tmp_path):
    rows = {"orders": [(str(n), r, 1, 1, AT, 1, "") for n, r in enumerate(("eu", "us", None))]}
    assert erp(tmp_path, rows).run(spark, region="all").result.rows_out == 3


def test_a_key_of_two_columns_and_a_predicate_with_a_subquery(spark, tmp_path):
    extract = erp(
        tmp_path,
        {
            "orders": [("1", "eu", 1, 1, AT, 1, ""), ("2", "us", 1, 1, AT, 1, "")],
            "lines": [("1", 1, "eu"), ("1", 2, "us"), ("2", 1, "eu")],
        },
        contracts=(Order, Line),
        region="order_no IN (SELECT order_no FROM lines WHERE region = :region) -- by its lines",
    )
    extracted = extract.run(spark)
    assert extracted.rows("erp_lines", "key", "defects") == [('["1",1]', []), ('["2",1]', [])]
    assert extracted.rows("erp_orders", "key") == [('["1"]',), ('["2"]',)]


@pytest.mark.parametrize(
    "predicate",
    [
        "regin = :region",
        "region = = :region",
        "region IN (SELECT x FROM nowhere)",
        "region IN (SELECT name FROM sqlite_master)",
        "region IN (SELECT name FROM pragma_database_list)",
        "load_extension('x') IS NULL",
        "random() > 0",
        "1 = 1) UNION ALL SELECT 1 FROM lines WHERE (1 = 1",
    ],
)
def test_a_wrong_predicate_stops_before_anything_is_written(spark, tmp_path, predicate):
    extract = erp(tmp_path, region=predicate)
    with pytest.raises(ConfigurationError) as raised:
        extract.run(spark)
    assert "sources.erp.tables.orders.region" in raised.value.what
    assert predicate in raised.value.what
    assert not (tmp_path / "lake" / "eu" / "changes_erp_orders").exists()


def test_a_missing_column_names_database_table_and_the_nearest_one(spark, tmp_path):
    script = ORDERS.replace("quantity", "quantty")
    with pytest.raises(ConfigurationError) as raised:
        erp(tmp_path, script=script).run(spark)
    for word in ("erp.db", "erp.orders", "'quantity'", "Did you mean 'quantty'?"):
        assert word in raised.value.what


def test_a_missing_table_names_the_nearest_one(spark, tmp_path):
    with pytest.raises(ConfigurationError, match=r"no table 'orders'. Did you mean 'order'"):
        erp(tmp_path, script=ORDERS.replace("TABLE orders", "TABLE 'order'")).run(spark)


@pytest.mark.parametrize("content", [None, b"order_no,region\n1,eu\n", b"SQLite format 3\0 cut"])
def test_a_missing_or_broken_database_is_named(spark, tmp_path, content):
    extract = erp(tmp_path)
    (tmp_path / "erp.db").unlink()
    if content is not None:
        (tmp_path / "erp.db").write_bytes(content)
    with pytest.raises(ConfigurationError) as raised:
        extract.run(spark)
    assert "sources.erp.path" in raised.value.what
    assert "erp.db" in raised.value.what


def test_rows_in_the_write_ahead_log_are_read_and_left_where_they_are(spark, tmp_path):
    extract = erp(tmp_path)
    writer = sqlite3.connect(tmp_path / "erp.db")
    try:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("INSERT INTO orders VALUES('1', 'eu', 1, 1, NULL, 1, '')")
        writer.commit()
        before = extract.positions()
        extracted = extract.run(spark)
        assert extracted.result.rows_out == 1
        assert extract.positions() == before
    finally:
        writer.close()


def test_keys_that_the_database_keeps_unique_are_not_compared_again(spark, tmp_path, monkeypatch):
    from cutline.sources import rows

    compared = []
    keyed = rows._with_typed_values
    monkeypatch.setattr(
        rows, "_with_typed_values", lambda f, t: compared.append(t.name) or keyed(f, t)
    )
    erp(tmp_path, {"lines": [("1", 1, "eu")]}, contracts=(Line, Order)).run(spark)
    assert compared == ["lines", "orders", "orders"]
