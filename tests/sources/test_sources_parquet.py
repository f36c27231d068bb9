"""Parquet: a typed value is taken where the contract's type loses nothing of it."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write

MOMENT = dt.datetime(2026, 10, 31, 22, tzinfo=dt.UTC)


class Stock(SourceContract):
    """The stock of one article."""

    sku: T.StringType = column(doc="the article", nullable=False)
    pieces: T.IntegerType = column(doc="pieces")
    worth: Annotated[T.DecimalType, 12, 2] = column(doc="euros")
    as_of: T.DateType = column(doc="the day")

    class Config:
        metadata = table("finance", "ledger", key=["sku"])


def finance(tmp_path, columns, region="region = :region"):
    path = tmp_path / "in" / "ledger.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)
    tables = {"ledger": {"path": "ledger.parquet", "region": region}}
    return Extract(
        tmp_path, {"finance": {"kind": "parquet", "path": "in", "tables": tables}}, (Stock,)
    )


COLUMNS = {
    "sku": pa.array(["a", "b", "c", None, "d", "d"]),
    "region": pa.array(["eu", "eu", "us", "eu", "eu", "eu"]),
    "pieces": pa.array([1, 2**40, 3, 4, 5, 6], pa.int64()),
    "worth": pa.array([1.5, 1.005, 1, 1, 1, 1], pa.float64()),
    "as_of": pa.array([dt.datetime(2026, 10, 31), MOMENT, *[None] * 4], pa.timestamp("us", "UTC")),
}


def test_lossless_casts_are_taken_and_lossy_ones_are_defects(spark, tmp_path):
    extracted = finance(tmp_path, COLUMNS).run(spark)
    lossy = ["wrong-type:pieces", "wrong-type:worth", "wrong-type:as_of"]
    assert extracted.rows(
        "finance_ledger",
        "key",
        "after.pieces",
        "cast(after.worth as string)",
        "cast(after.as_of as string)",
        "defects",
    ) == sorted(
        [
            ('["a"]', 1, "1.50", "2026-10-31", []),
            ('["b"]', None, None, None, lossy),
            (None, 4, "1.00", None, ["null-key:sku"]),
            ('["d"]', 5, "1.00", None, ["duplicate-key"]),
            ('["d"]', 6, "1.00", None, ["duplicate-key"]),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 5
    payloads = [json.loads(p) for (p,) in extracted.rows("finance_ledger", "payload") if p]
    assert {"sku": "b", "pieces": 2**40, "worth": 1.005, "as_of": "2026-10-31T22:00:00.000Z"} in (
        payloads
    )


def test_a_decimal_with_more_digits_than_the_contract_is_a_defect(spark, tmp_path):
    worth = pa.array([Decimal("1.2300"), Decimal("1.2345"), *[None] * 4], pa.decimal128(20, 4))
    extracted = finance(tmp_path, COLUMNS | {"worth": worth, "pieces": pa.array([1] * 6)}).run(
        spark
    )
    assert extracted.rows("finance_ledger", "key", "cast(after.worth as string)", "defects")[
        :2
    ] == [
        ('["a"]', "1.23", []),
        ('["b"]', None, ["wrong-type:worth", "wrong-type:as_of"]),
    ]


def test_a_value_of_another_kind_is_a_defect_and_no_number(spark, tmp_path):
    pieces = pa.array([True, None, *[False] * 4])
    worth = pa.array([MOMENT, *[None] * 5], pa.timestamp("us", "UTC"))
    as_of = pa.array([1767261600, *[None] * 5], pa.int64())
    columns = {"pieces": pieces, "worth": worth, "as_of": as_of}
    extracted = finance(tmp_path, COLUMNS | columns).run(spark)
    assert extracted.rows("finance_ledger", "key", "after.pieces", "defects")[:2] == [
        ('["a"]', None, ["wrong-type:pieces", "wrong-type:worth", "wrong-type:as_of"]),
        ('["b"]', None, []),
    ]


def test_a_folder_may_hold_a_column_and_must_not_hide_one(spark, tmp_path):
    extract = finance(tmp_path, COLUMNS)
    whole = pq.read_table(tmp_path / "in" / "ledger.parquet")
    for region, rows in (("eu", whole.slice(0, 2)), ("us", whole.slice(2, 1))):
        path = tmp_path / "in" / "ledger" / f"region={region}" / "part-0.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(rows.drop(["region"]), path)
    extract.sources["finance"]["tables"]["ledger"]["path"] = "ledger/*/*.parquet"
    keys = [key for key, *_ in extract.run(spark).rows("finance_ledger", "key")]
    assert keys == ['["a"]', '["b"]']
    pq.write_table(whole.slice(0, 2), tmp_path / "in" / "ledger" / "region=eu" / "part-0.parquet")
    with pytest.raises(ConfigurationError, match="lies in a folder of that name"):
        extract.run(spark)
    hiding = whole.slice(0, 2).drop(["region"]).append_column("_Metadata", pa.array(["a", "b"]))
    pq.write_table(hiding, tmp_path / "in" / "ledger" / "region=eu" / "part-0.parquet")
    with pytest.raises(ConfigurationError, match="lies in folders such as region=…"):
        extract.run(spark)


def test_an_empty_file_of_rows_is_an_empty_table(spark, tmp_path):
    empty = {name: values.slice(0, 0) for name, values in COLUMNS.items()}
    assert finance(tmp_path, empty).run(spark).result.rows_out == 0


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"pieces": None}, ["lacks column 'pieces'", "Did you mean 'piece'?"]),
        ({"as_of": pa.array([MOMENT] * 6, pa.timestamp("ns", "UTC"))}, ["nanoseconds", "'as_of'"]),
        ({"as_of": pa.array([10] * 6, pa.time64("us"))}, ["a time of day", "'as_of'"]),
        ({"SKU": pa.array(["a"] * 6)}, ["column 'SKU' twice"]),
        (
            {"as_of": pa.array([0] * 5 + [2**63 // 1000 + 1], pa.timestamp("ms", "UTC"))},
            ["'as_of'", "microseconds have no room"],
        ),
        (
            {"as_of": pa.array([-(2**62)] * 6, pa.timestamp("ms"))},
            ["'as_of'", "microseconds have no room"],
        ),
    ],
)
def test_a_schema_that_cannot_be_used_stops_the_run(spark, tmp_path, columns, words):
    table = COLUMNS | columns
    if table["pieces"] is None:
        table["piece"] = pa.array([1] * 6)
        del table["pieces"]
    with pytest.raises(ConfigurationError) as raised:
        finance(tmp_path, table).run(spark)
    for word in words:
        assert word in raised.value.what


def test_a_file_that_is_not_parquet_is_named(spark, tmp_path):
    extract = finance(tmp_path, COLUMNS)
    write(tmp_path / "in" / "ledger.parquet", "sku,region\n")
    with pytest.raises(ConfigurationError) as raised:
        extract.run(spark)
    assert "sources.finance.tables.ledger.path" in raised.value.what
    assert "ledger.parquet" in raised.value.what


def test_a_wrong_predicate_names_table_and_predicate(spark, tmp_path):
    with pytest.raises(ConfigurationError) as raised:
        finance(tmp_path, COLUMNS, region="regin = :region").run(spark)
    assert "sources.finance.tables.ledger.region" in raised.value.what
    assert "regin = :region" in raised.value.what
