"""Debezium rows that other projects test with, through contracts: every type read right.

The expected values are typed from the files by reading them. They come from logs of
several databases, so that the order of their lines is what orders them.
"""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T
import pytest
from pyspark.sql import functions as F

from cutline.translator import EVERY_OTHER, SourceContract, column, older, table
from support.extracting import Extract, write
from support.paths import SHARED

REAL = SHARED / "data" / "cdc"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=f"the change files are not at {REAL}")


class LineItem(SourceContract):
    """One line of a TPC-H order (risingwave/debezium_ignore_case_json.1)."""

    L_ORDERKEY: T.LongType = column(doc="order")
    L_LINENUMBER: T.IntegerType = column(doc="line")
    L_QUANTITY: Annotated[T.DecimalType, 12, 0] = column(doc="pieces")
    L_EXTENDEDPRICE: Annotated[T.DecimalType, 12, 2] = column(doc="price")
    L_DISCOUNT: Annotated[T.DecimalType, 3, 2] = column(doc="share")
    L_SHIPDATE: T.DateType = column(doc="day")
    L_COMMENT: T.StringType = column(doc="remark")

    class Config:
        metadata = table("real", "lineitem", key=["L_ORDERKEY", "L_LINENUMBER"])


class Order(SourceContract):
    """One order in PostgreSQL (risingwave/debezium_mess_key.1)."""

    order_id: T.IntegerType = column(doc="number")
    order_date: T.LongType = column(doc="milliseconds since 1970")
    price: Annotated[T.DecimalType, 10, 2] = column(doc="price")
    product_id: T.ShortType = column(doc="product")
    order_status: T.BooleanType = column(doc="whether it is done")

    class Config:
        metadata = table("real", "orders", key=["order_id"])


class Customer(SourceContract):
    """One customer (risingwave/debezium_log.1, each line with its schema)."""

    id: T.IntegerType = column(doc="number")
    first_name: T.StringType = column(doc="first name")
    last_name: T.StringType = column(doc="last name")

    class Config:
        metadata = table("real", "customers", key=["id"])


class Typed(SourceContract):
    """A row of every MySQL type (flink-cdc/…-with-numeric-decimal.json), times as numbers."""

    id: T.LongType = column(doc="number")
    tiny_un_c: T.ShortType = column(doc="an unsigned byte")
    big_c: T.LongType = column(doc="64 bits")
    big_un_c: Annotated[T.DecimalType, 20, 0] = column(doc="64 bits, unsigned")
    decimal_c: Annotated[T.DecimalType, 8, 4] = column(doc="a decimal")
    big_decimal_c: Annotated[T.DecimalType, 38, 1] = column(doc="a wide decimal")
    double_c: T.DoubleType = column(doc="a double")
    bit1_c: T.BooleanType = column(doc="a bit")
    boolean_c: T.BooleanType = column(doc="a boolean, as a number")
    date_c: T.IntegerType = column(doc="days since 1970")
    datetime3_c: T.LongType = column(doc="milliseconds since 1970")
    datetime6_c: T.LongType = column(doc="microseconds since 1970")
    timestamp_c: T.TimestampType = column(doc="a moment with its zone")
    json_c: T.StringType = column(doc="JSON")
    varchar_len0_c: T.StringType = column(doc="an empty text")


def with_times(row):
    return {
        "day": F.date_from_unix_date(row.date_c),
        "milli": F.timestamp_millis(row.datetime3_c),
        "micro": F.timestamp_micros(row.datetime6_c),
    }


class Timed(SourceContract):
    """The same row, its times as times."""

    id: T.LongType = column(doc="number")
    tiny_un_c: T.ShortType = column(doc="an unsigned byte")
    big_c: T.LongType = column(doc="64 bits")
    big_un_c: Annotated[T.DecimalType, 20, 0] = column(doc="64 bits, unsigned")
    decimal_c: Annotated[T.DecimalType, 8, 4] = column(doc="a decimal")
    big_decimal_c: Annotated[T.DecimalType, 38, 1] = column(doc="a wide decimal")
    double_c: T.DoubleType = column(doc="a double")
    bit1_c: T.BooleanType = column(doc="a bit")
    boolean_c: T.BooleanType = column(doc="a boolean")
    day: T.DateType = column(doc="a day")
    milli: T.TimestampType = column(doc="a time of day")
    micro: T.TimestampType = column(doc="a time of day")
    timestamp_c: T.TimestampType = column(doc="a moment with its zone")
    json_c: T.StringType = column(doc="JSON")
    varchar_len0_c: T.StringType = column(doc="an empty text")

    class Config:
        metadata = table(
            "real",
            "full_types",
            key=["id"],
            older=[older(Typed, lift=with_times)],
            ignores=[EVERY_OTHER],
        )


class SeaTunnel(SourceContract):
    """A row of MySQL types, days and local times as numbers (seatunnel/debezium_data.txt)."""

    id: T.IntegerType = column(doc="number")
    f_tinyint: T.ByteType = column(doc="a byte")
    f_bigint_unsigned: Annotated[T.DecimalType, 20, 0] = column(doc="64 bits, unsigned")
    f_float: T.DoubleType = column(doc="a float")
    f_bit1: T.BooleanType = column(doc="a bit")
    f_timestamp: T.TimestampType = column(doc="a moment with its zone")
    f_longblob: T.StringType = column(doc="nothing")
    f_date: T.DateType = column(doc="a day, told as a number")
    f_datetime: T.TimestampNTZType = column(doc="a time of day, told as a number")

    class Config:
        metadata = table("real", "mysql_cdc_e2e_source_table", key=["id"])


class AllTypes(SourceContract):
    """A row of every MySQL type, with its schema (paimon/…/schema/alltype/debezium-data-1.txt)."""

    number: T.IntegerType = column(alias="_id", doc="number")
    pt: Annotated[T.DecimalType, 2, 1] = column(doc="a decimal")
    boolean: T.BooleanType = column(alias="_boolean", doc="a boolean, as a number")
    bool_: T.BooleanType = column(alias="_bool", doc="a boolean, as a number")
    unsigned: Annotated[T.DecimalType, 20, 0] = column(alias="_bigint_unsigned", doc="64 bits")
    numeric: Annotated[T.DecimalType, 8, 2] = column(alias="_numeric", doc="a decimal")
    narrow: Annotated[T.DecimalType, 8, 1] = column(alias="_numeric_unsigned", doc="too narrow")
    fixed: Annotated[T.DecimalType, 35, 2] = column(alias="_fixed", doc="35 digits")
    moment: T.TimestampType = column(alias="_timestamp", doc="a moment with its zone")
    year: T.ShortType = column(alias="_year", doc="a year")

    class Config:
        metadata = table("real", "all_types_table", key=["_id"])


class Was(SourceContract):
    """A product, at first (paimon/…/schemaevolution/debezium-data-1.txt)."""

    id: T.IntegerType = column(doc="number")
    name: T.StringType = column(doc="name")
    description: T.StringType = column(doc="description")
    weight: Annotated[T.DecimalType, 6, 3] = column(doc="kilograms")


class Aged(Was):
    """A product with its age (…-2.txt)."""

    age: T.IntegerType = column(doc="months")


class Product(Was):
    """A product with an address instead (…-3.txt)."""

    address: T.StringType = column(doc="where it is")

    class Config:
        metadata = table(
            "real",
            "product",
            key=["id"],
            older=[
                older(Was, lift=lambda row: {"age": 0}),
                older(Aged, lift=lambda row: {"address": "unknown"}),
            ],
        )


CONTRACTS = (LineItem, Order, Customer, Timed, SeaTunnel, AllTypes, Product)
EVOLVED = "paimon/kafka/debezium/table/schemaevolution/debezium-data-{}.txt"


def lines(path):
    """The lines of a fixture that are changes: no licence, no key before `^`."""
    texts = (REAL / path).read_text().splitlines()
    return [line.split("^", 1)[-1] for line in texts if "{" in line.split("^", 1)[-1][:1]]


def snapshot_of_every_type():
    """The one event of a file of expected events; it lacks the table, which is put in."""
    name = "flink-cdc/debezium-data-schema-exclude-with-numeric-decimal.json"
    # As text, so that no number goes through a double.
    text = (REAL / name).read_text()
    event = text[text.index("{", 1) : text.index('"expected_binlog"')].rstrip().rstrip(",")
    flat = " ".join(event.split())
    return flat.replace('"op": "r"', '"op": "r", "source": {"table": "full_types"}')


@pytest.fixture(scope="module")
def extracted(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    rows = [
        *lines("risingwave/debezium_ignore_case_json.1"),
        *lines("risingwave/debezium_mess_key.1"),
        *lines("risingwave/debezium_log.1"),
        *lines("seatunnel/debezium_data.txt"),
        *lines("paimon/kafka/debezium/table/schema/alltype/debezium-data-1.txt"),
        *(line for i in (1, 2, 3) for line in lines(EVOLVED.format(i))),
        snapshot_of_every_type(),
    ]
    write(folder / "changes.jsonl", "\n".join(rows))
    tables = {}
    for contract in CONTRACTS:
        write(folder / "in" / f"{contract.table()}.jsonl", "")
        tables[contract.table()] = {"path": f"{contract.table()}.jsonl"}
    file = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "log": "kafka",
        "snapshot": {"policy": "in-log"},
    }
    sources = {"real": {"kind": "jsonl", "path": "in", "tables": tables, "changes": file}}
    result = Extract(folder, sources, CONTRACTS).run(spark)
    assert result.result.rows_in == result.result.rows_out == len(rows)
    return result


def test_decimals_and_days_of_order_lines(extracted):
    assert extracted.rows(
        "real_lineitem",
        "op",
        "key",
        *(f"cast(after.{c} as string)" for c in ("L_QUANTITY", "L_EXTENDEDPRICE", "L_DISCOUNT")),
        "cast(after.L_SHIPDATE as string)",
        "after.L_COMMENT",
        "defects",
    ) == [
        ("r", "[56165,1]", "39", "55828.11", "0.00", "1992-06-22", "s. packages sleep s", []),
        (
            *("r", "[56166,1]", "11", "19378.81", "0.04", "1993-11-07"),
            "cial requests cajole slyly regular tithes.",
            [],
        ),
        ("r", "[56166,2]", "5", "4830.25", "0.10", "1993-09-15", "ly ironic theodol", []),
    ]


def test_nulls_booleans_and_the_order_of_lines(extracted):
    place = "offset - 3"
    assert extracted.rows(
        "real_orders",
        "op",
        place,
        "after.*",
        "cast(source_time as string)",
        "transaction",
        "defects",
    ) == [
        ("r", 1, 1, 1558430840000, None, 1, True, None, "490", []),
        ("r", 2, 2, 1558430840001, None, 2, True, None, "490", []),
        ("r", 3, 3, 1558430840002, None, 2, True, None, "490", []),
        ("u", 4, 1, 1558430840000, None, 3, True, "2023-06-06 05:26:43.809", "491", []),
    ]


def test_creates_updates_and_deletes_with_their_schema_beside_them(extracted):
    streamed = []
    assert extracted.rows("real_customers", "op", "before.*", "after.*", "defects") == sorted(
        [
            ("r", None, None, None, 1001, "Sally", "Thomas", []),
            ("r", None, None, None, 1002, "George", "Bailey", []),
            ("r", None, None, None, 1003, "Edward", "Walker", []),
            ("r", None, None, None, 1004, "Anne", "Kretchmar", []),
            ("c", None, None, None, 1005, "add", "add", streamed),
            ("u", 1004, "Anne", "Kretchmar", 1004, "Anne1", "Kretchmar", streamed),
            ("c", None, None, None, 1006, "add1", "add1", streamed),
            ("u", 1005, "add", "add", 1005, "add", "add2", streamed),
            ("u", 1006, "add1", "add1", 1006, "add1", "add2", streamed),
            ("d", 1006, "add1", "add2", None, None, None, streamed),
        ],
        key=repr,
    )


def test_every_type_and_numbers_lifted_to_times(extracted):
    texts = ("big_un_c", "decimal_c", "big_decimal_c", "day", "milli", "micro", "timestamp_c")
    assert extracted.rows(
        "real_full_types",
        *(f"after.{c}" for c in ("id", "tiny_un_c", "big_c", "double_c", "bit1_c", "boolean_c")),
        *(f"cast(after.{c} as string)" for c in texts),
        "after.json_c",
        "after.varchar_len0_c",
        "defects",
    ) == [
        (
            *(1, 255, 9223372036854775807, 404.4443, False, True),
            *("18446744073709551615", "123.4567", "34567892.1", "2020-07-17"),
            *("2020-07-17 18:00:22.123", "2020-07-17 18:00:22.123456", "2020-07-17 18:00:22"),
            *('{"key1": "value1"}', "", []),
        )
    ]


def test_a_day_told_as_a_number_is_no_day(extracted):
    assert extracted.rows(
        "real_mysql_cdc_e2e_source_table",
        *("after.id", "after.f_tinyint", "cast(after.f_bigint_unsigned as string)"),
        *("after.f_float", "after.f_bit1", "cast(after.f_timestamp as string)"),
        *("after.f_longblob", "after.f_date", "after.f_datetime", "defects"),
    ) == [
        (
            *(number, -128, "987654321", 12.34000015258789, True, "2023-04-27 03:08:40"),
            *(None, None, None, ["wrong-type:f_date", "wrong-type:f_datetime"]),
        )
        for number in (1, 2, 3)
    ]


def test_booleans_as_numbers_and_every_digit_of_a_decimal(extracted):
    texts = ("pt", "_bigint_unsigned", "_numeric", "_numeric_unsigned", "_fixed", "_timestamp")
    assert extracted.rows(
        "real_all_types_table",
        *("after._id", "after._boolean", "after._bool"),
        *(f"cast(after.{c} as string)" for c in texts),
        *("after._year", "defects"),
    ) == [
        (
            *(1, True, False, "1.1", "20000000000", "12345.11", None),
            "123456789876543212345678987654321.11",
            *("2023-03-23 22:00:10.123456", 2023, ["wrong-type:_numeric_unsigned"]),
        )
    ]


def test_a_table_that_moved_on_twice_is_lifted(extracted):
    streamed = []
    drill = "12-pack of drill bits with sizes ranging from #40 to #3"
    images = (
        f"{side}.{c}" if c != "weight" else f"cast({side}.weight as string)"
        for side in ("before", "after")
        for c in ("id", "name", "description", "weight", "address")
    )
    scooter = (101, "scooter", "Small 2-wheel scooter", "3.140", "unknown")
    heavy = (105, "hammer", "14oz carpenter's hammer", "0.875")
    none = (None,) * 5
    assert extracted.rows("real_product", "op", *images, "defects") == sorted(
        [
            ("c", *none, *scooter, streamed),
            ("c", *none, 102, "car battery", "12V car battery", "8.100", "unknown", streamed),
            ("c", *none, 103, "12-pack drill bits", drill, "0.800", "unknown", streamed),
            ("c", *none, 104, "hammer", "12oz carpenter's hammer", "0.750", "unknown", streamed),
            ("c", *none, *heavy, "Shanghai", streamed),
            ("d", *scooter, *none, streamed),
            # Of the row before, only what changed was told: it is unknown, not half known.
            ("u", *none, *heavy, "Beijing", streamed),
            ("c", *none, 107, "rocks", "box of assorted rocks", "5.300", "unknown", streamed),
        ],
        key=repr,
    )
