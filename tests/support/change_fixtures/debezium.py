"""Files of Debezium's connectors, in JSON with its schema or without."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from support.change_fixtures.every_type import EMPTY, EVERY
from support.change_fixtures.flink import CUSTOMER, LATER, PRODUCT, customers, later, products
from support.change_fixtures.kinds import (
    Fixture,
    Refusal,
    Row,
    created,
    deleted,
    read,
    updated,
    without,
)
from support.change_fixtures.products import (
    ADDRESSED,
    AGED,
    BATTERY,
    BIG,
    DATED,
    DRILLS,
    FIRST,
    FIRST_TWO,
    FLOATING,
    FLOATS,
    HAMMER,
    HEAVIER,
    HEAVIEST,
    LAST_TWO,
    PLAIN,
    ROCKS,
    SCOOTER,
    WHITE,
    weighing,
)
from support.change_fixtures.products import PRODUCT as GROWN

_BASE = "paimon/kafka/{}.txt"
_OF_TABLE = "debezium/table/{}/debezium-data-{}"
_OF_TOPIC = "debezium/database/{}/topic{}/debezium-data-{}"
_KAFKA = {"log": "kafka"}
"""The places in the log are left empty, or belong to several: the order of the lines counts."""


def _of(
    path: str,
    table: str,
    *rows: Row,
    columns: dict[str, str] = GROWN,
    when: str | None = "2020-08-06 03:34:43",
    schema: str = "test",
) -> Fixture:
    return Fixture(
        _BASE.format(path),
        table,
        schema,
        columns,
        ("_id",) if "_id" in columns else ("id",),
        rows,
        when=when,
        options=_KAFKA,
    )


def _at(when: str, row: Row) -> Row:
    return replace(row, when=when)


_ODD = {
    "id": "int",
    "name": "string",
    "row": "map<string,string>",
    "value": "string",
    "date": "date",
}
_INCLUDED = _OF_TOPIC.format("include", 0, 1)
_DATED = created(_id=101, _date=date(2023, 3, 23))
_SCHEMA = "schema/schemaevolution"

_PAIMON = (
    _of(_INCLUDED, "paimon_1", created(SCOOTER)),
    _of(_INCLUDED, "paimon_2", created(BATTERY)),
    _of(_INCLUDED, "ignore", created(DRILLS)),
    _of(_INCLUDED, "flink", created(HAMMER)),
    _of(_OF_TOPIC.format("prefixsuffix", 0, 1), "t1", *FIRST_TWO),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 2),
        "t1",
        created(SCOOTER, address="Beijing"),
        created(BATTERY, address="Shanghai"),
    ),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 1), "t2", *LAST_TWO),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 2), "t2", *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 0, 1), "t1", *FIRST_TWO),
    _of(_OF_TOPIC.format("schemaevolution", 0, 2), "t1", *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 1, 1), "t2", *LAST_TWO),
    _of(
        _OF_TOPIC.format("schemaevolution", 1, 2),
        "t2",
        created(DRILLS, address="Beijing"),
        created(HAMMER, address="Shanghai"),
    ),
    _of(_OF_TABLE.format("computedcolumn", 1), "product", _DATED, columns=DATED),
    _of(_OF_TABLE.format("metadatacolumn", 1), "product", _DATED, columns=DATED),
    _of(
        _OF_TABLE.format("nestedtype", 1),
        "product",
        created(id=101, name="hammer", row={"row_key": "value"}),
        columns=_ODD,
    ),
    _of(_OF_TABLE.format("nullvalue", 1), "test", created(id=1, value="A"), columns=_ODD),
    _of(
        _OF_TABLE.format("nullvalue", 2),
        "test",
        created(id=2, value="B"),
        columns=_ODD,
        when="2020-08-06 03:34:44",
    ),
    _of(_OF_TABLE.format("schemaevolution", 1), "product", *FIRST_TWO),
    _of(
        _OF_TABLE.format("schemaevolution", 2),
        "product",
        created(DRILLS, age=18),
        created(HAMMER, age=24),
    ),
    _of(
        _OF_TABLE.format("schemaevolution", 3),
        "product",
        created(HEAVIER, address="Shanghai"),
        # Of the images before, one lacks the address, and one has nothing else.
        deleted(SCOOTER),
        _at(
            "2020-08-06 03:35:06",
            updated({"address": "Shanghai"}, {**HEAVIER, "address": "Beijing"}),
        ),
        created(ROCKS),
        columns=ADDRESSED,
    ),
    _of(_OF_TABLE.format("startupmode", 1), "product", *FIRST_TWO),
    _of(_OF_TABLE.format("startupmode", 2), "product", *LAST_TWO),
    _of(_OF_TABLE.format("watermark", 1), "product", *FIRST_TWO),
    _of(
        _OF_TABLE.format("schema/computedcolumn", 1),
        "product",
        created(id=101, date=date(2023, 3, 23)),
        columns=_ODD,
    ),
    _of(
        _OF_TABLE.format("schema/include", 1),
        "products",
        created(weighing(SCOOTER, 3.140000104904175)),
        columns=FLOATING,
        when="1970-01-01 00:00:00",
        schema="inventory",
    ),
    _of(_OF_TABLE.format(_SCHEMA, 1), "product", created(SCOOTER)),
    _of(_OF_TABLE.format(_SCHEMA, 2), "product", created(DRILLS, age=18)),
    _of(_OF_TABLE.format(_SCHEMA, 3), "product", created(HAMMER, age=24)),
    _of(_OF_TABLE.format(_SCHEMA, 4), "product", created(HEAVIER, age=24)),
    # Here the age is a text.
    _of(_OF_TABLE.format(_SCHEMA, 5), "product", created({**HAMMER, "id": 105}, age=24)),
    _of(_OF_TABLE.format(_SCHEMA, "with-delete"), "product", deleted(SCOOTER), columns=PLAIN),
)


def _counted(table: str, *columns: str) -> dict[str, Any]:
    """Options of a table whose times are counts; these columns count milliseconds."""
    digits = {f"{table}.{name}": 3 for name in columns}
    return {**_KAFKA, "times": "adaptive", "digits": digits}


def keyed(text: str) -> str:
    """A copy in which a line with a key and the one with its value are one, as `key^value`."""
    lines = [line for line in text.split("\n") if line.startswith("{")]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return "\n".join(f"{key}^{value}" for key, value in pairs)


_CODED: dict[str, tuple[str, Any]] = {
    "_enum": ("string", "value1"),
    "_set": ("string", "a,b"),
    "_bin": ("binary", b"bytes\0\0\0\0\0"),
    # Microseconds of a day: 10:13:23.
    "_time": ("bigint", 36803000000),
    "_point": (
        "map<string,string>",
        {"x": "1.0", "y": "1.0", "wkb": "AQEAAAAAAAAAAADwPwAAAAAAAPA/", "srid": None},
    ),
}
_EVERY = EVERY | _CODED
_SNAPSHOT = _EVERY | {
    "_bit1": ("boolean", True),
    "_bit": ("binary", bytes.fromhex("c707000000000000")),
    "_big_decimal": ("decimal(38,10)", Decimal("2222222222222222300000001111.123456789")),
    "_timestamp": ("timestamp", "2023-03-23 22:00:10.123456"),
    "_timestamp0": ("timestamp", "2023-03-23 07:10:00"),
}
_STREAMED = _EVERY | {
    "_timestamp": ("timestamp", "2023-03-23 07:00:10.123456"),
    "_timestamp0": ("timestamp", "2023-03-22 16:10:00"),
}
_MILLIS = _counted("all_types_table", "_datetime", "_datetime3", "_datetime_p", "_datetime_p2")
_AVRO = "debezium-avro/table/schema/alltype/debezium-avro-data-1"


def _types(columns: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    return {name: ddl for name, (ddl, _) in columns.items()}


def _values(columns: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, (_, value) in columns.items()}


_ALL_TYPES = (
    Fixture(
        _BASE.format(_OF_TABLE.format("schema/alltype", 1)),
        "all_types_table",
        "paimon_sync_table",
        _types(_SNAPSHOT),
        ("_id",),
        (read(_values(_SNAPSHOT)),),
        options=_MILLIS,
    ),
    Fixture(
        _BASE.format(_AVRO),
        "all_types_table",
        "workdb",
        # It lacks three of the columns.
        _types(_SNAPSHOT),
        ("_id",),
        (
            _at("2023-09-25 01:54:51", created(_values(_STREAMED))),
            _at("2023-09-19 12:20:06", created(EMPTY)),
        ),
        copy=keyed,
        options=_MILLIS,
    ),
)

_DOCUMENT = {
    "_id": "string",
    "created_at": "bigint",
    "created_by": "string",
    "tags": "array<string>",
    "updated_at": "timestamp",
}
_PENDING = {
    "_id": "67ab25755c0d5ac87eb8c632",
    "created_at": 1736207571013,
    "created_by": "peter",
    "tags": ["pending"],
    "updated_at": "2025-02-13 14:01:37.97",
}
_SUCCEEDED = {**_PENDING, "tags": ["succeed"], "updated_at": "2025-02-13 14:03:17.97"}
_DELETED_BY_KEY = Row("d", None, None, key='["67ab25755c0d5ac87eb8c632"]')
_EVENT = "debezium-bson/table/event/event-{}"


def _bson(event: str, *rows: Row) -> Fixture:
    return Fixture(
        _BASE.format(_EVENT.format(event)),
        "sync_test_table",
        "bigdata_test",
        _DOCUMENT,
        ("_id",),
        rows,
        when="2025-02-12 00:59:52",
        copy=keyed,
        options={"log": "mongodb"},
    )


def _mongo_customers(path: str) -> Fixture:
    names = ("Sally", "Thomas"), ("George", "Bailey"), ("Edward", "Walker"), ("Anne", "Kretchmar")
    mails = "sally.thomas@acme.com", "gbailey@foobar.com", "ed@walker.com", "annek@noanswer.org"
    rows = tuple(
        read(_id=number, first_name=first, last_name=last, email=mail)
        for number, (first, last), mail in zip(range(1001, 1005), names, mails, strict=True)
    )
    columns = {"_id": "bigint", "first_name": "string", "last_name": "string", "email": "string"}
    return Fixture(
        path, "customers", "inventory", columns, ("_id",), rows, options={"log": "mongodb"}
    )


_DOCUMENTS = (
    _bson("insert", created(_PENDING)),
    _bson("update", updated(None, _SUCCEEDED), updated(_PENDING, _SUCCEEDED)),
    # In the second record the key is a plain text, which becomes the same key as an object id.
    _bson("delete", _DELETED_BY_KEY, _DELETED_BY_KEY, deleted(_PENDING)),
    _mongo_customers("risingwave/debezium_mongo_json_customers.1"),
    _mongo_customers("risingwave/debezium_mongo_json_customers_no_schema_field.1"),
)


def _flink(path: str, table: str, columns: dict[str, str], *rows: Row) -> Fixture:
    return Fixture(
        f"flink-cdc/{path}.txt",
        table,
        "$databaseName",
        columns,
        ("id",),
        rows,
        # Its `source` lacks `ts_ms`.
        defects=("no-commit-time",),
        options=_KAFKA,
    )


_BARE = (
    (106, 105, 109, 102, 101, 108, 104, 107, 103),
    *("u106", "u107", "c110", "c111", "u110", "u111", "d111"),
)
_WITH_SCHEMA = (
    (108, 107, 106, 104, 103, 105, 102, 101, 109),
    *("u107", "u106", "c110", "u110", "c111", "u111", "d111"),
)


def event(name: str) -> Callable[[str], str]:
    """A copy of one of the events that a file says are expected: in one line, and with its table.

    Of its `source`, where it has one, only the time is kept: each is from another database.
    """

    def of(text: str) -> str:
        record = json.loads(text)[name]
        change = record.get("payload", record)
        moment = change.get("source", {}).get("ts_ms")
        change["source"] = {"table": "full_types", "ts_ms": moment}
        return json.dumps(record)

    return of


SNAPSHOT, BINLOG = event("expected_snapshot"), event("expected_binlog")
_FULL: dict[str, tuple[str, Any]] = {
    "id": ("decimal(20,0)", Decimal(1)),
    "tiny_c": ("tinyint", 127),
    "tiny_un_c": ("smallint", 255),
    "small_c": ("smallint", 32767),
    "small_un_c": ("int", 65535),
    "medium_c": ("int", 8388607),
    "medium_un_c": ("int", 16777215),
    "int_c": ("int", 2147483647),
    "int_un_c": ("bigint", 4294967295),
    "int11_c": ("int", 2147483647),
    "big_c": ("bigint", 9223372036854775807),
    "big_un_c": ("decimal(20,0)", Decimal(18446744073709551615)),
    "varchar_c": ("string", "Hello World"),
    "char_c": ("string", "abc"),
    "real_c": ("double", 123.102),
    "float_c": ("double", 123.102),
    "float_un_c": ("double", 123.103),
    "double_c": ("double", 404.4443),
    "double_un_c": ("double", 404.4444),
    "decimal_c": ("decimal(8,4)", Decimal("123.4567")),
    "decimal_un_c": ("decimal(8,4)", Decimal("123.4568")),
    "numeric_c": ("decimal(6,0)", Decimal(346)),
    "big_decimal_c": ("decimal(38,1)", Decimal("34567892.1")),
    "bit1_c": ("boolean", False),
    "tiny1_c": ("boolean", True),
    "boolean_c": ("boolean", True),
    "date_c": ("date", date(2020, 7, 17)),
    # Microseconds of a day: 18:00:22.
    "time_c": ("bigint", 64822000000),
    "datetime3_c": ("timestamp_ntz", datetime(2020, 7, 17, 18, 0, 22, 123000)),
    "datetime6_c": ("timestamp_ntz", datetime(2020, 7, 17, 18, 0, 22, 123456)),
    "timestamp_c": ("timestamp", "2020-07-17 18:00:22"),
    "file_uuid": ("binary", bytes.fromhex("651aed08390f4893b2f136923e7b7400")),
    "bit_c": ("binary", b"\4\4\4\4\4\4\4\4"),
    "text_c": ("string", "text"),
    "tiny_blob_c": ("binary", b"\x10"),
    "blob_c": ("binary", b"\x10"),
    "medium_blob_c": ("binary", b"\x10"),
    "long_blob_c": ("binary", b"\x10"),
    "year_c": ("smallint", 2021),
    "enum_c": ("string", "red"),
    "set_c": ("string", "a,b"),
    "json_c": ("string", '{"key1": "value1"}'),
    "point_c": (
        "map<string,string>",
        {"x": "1.0", "y": "1.0", "wkb": "AQEAAAAAAAAAAADwPwAAAAAAAPA/", "srid": None},
    ),
    "varchar_len0_c": ("string", ""),
}
_AFTER = {**_values(_FULL), "json_c": '{"key1":"value1"}', "timestamp_c": "2020-07-17 18:33:22"}
_BEFORE = {**_AFTER, "timestamp_c": "2020-07-17 18:00:22"}
_EXPECTED = "flink-cdc/debezium-data-schema-{}.json"


def _full_types(file: str, copy: Callable[[str], str], row: Row) -> Fixture:
    return Fixture(
        _EXPECTED.format(file),
        "full_types",
        "",
        _types(_FULL),
        ("id",),
        # The key is a decimal, which is written as a text.
        (replace(row, key='["1"]'),),
        copy=copy,
        options={**_counted("full_types", "datetime3_c"), "decimals": "precise"},
    )


_UNTIMED = replace(updated(_BEFORE, _AFTER), defects=("no-commit-time",))
_FLINK = (
    _flink("debezium-json", "customers", CUSTOMER, *customers(102, 101, 103, 104)),
    _flink("debezium-json", "products", PRODUCT, *products(*_BARE)),
    _flink("debezium-json", "products", LATER, *later(*_BARE)),
    _flink("debezium-json-with-schema", "customers", CUSTOMER, *customers(102, 103, 101, 104)),
    _flink("debezium-json-with-schema", "products", PRODUCT, *products(*_WITH_SCHEMA)),
    _flink("debezium-json-with-schema", "products", LATER, *later(*_WITH_SCHEMA)),
    *(
        _full_types(file, copy, row)
        for file in ("exclude", "exclude-with-numeric-decimal")
        for copy, row in ((SNAPSHOT, read(_values(_FULL))), (BINLOG, _UNTIMED))
    ),
    _full_types("include", SNAPSHOT, read(_values(_FULL))),
    _full_types("include", BINLOG, _at("2021-08-30 11:49:30", updated(_BEFORE, _AFTER))),
)

_PERSON = {"id": "int", "first_name": "string", "last_name": "string", "email": "string"}


def _person(number: int, first: str, last: str, mail: str) -> dict[str, Any]:
    return dict(zip(_PERSON, (number, first, last, mail), strict=True))


def _customers(path: str) -> Fixture:
    """The two files differ in the schema beside each change only."""
    anne = _person(1004, "Anne", "Kretchmar", "annek@noanswer.org")
    add, add1 = _person(1005, "add", "add", "add"), _person(1006, "add1", "add1", "add1")
    rows = (
        read(_person(1001, "Sally", "Thomas", "sally.thomas@acme.com")),
        read(_person(1002, "George", "Bailey", "gbailey@foobar.com")),
        read(_person(1003, "Edward", "Walker", "ed@walker.com")),
        read(anne),
        _at("2022-08-24 08:00:18", created(add)),
        _at("2022-08-24 08:05:09", updated(anne, {**anne, "first_name": "Anne1"})),
        _at("2022-08-24 08:06:31", created(add1)),
        _at("2022-08-24 08:08:22", updated(add, {**add, "last_name": "add2"})),
        _at("2022-08-24 08:08:22", updated(add1, {**add1, "last_name": "add2"})),
        _at("2022-08-24 08:09:10", deleted({**add1, "last_name": "add2"})),
    )
    return Fixture(path, "customers", "inventory", _PERSON, ("id",), rows, options={"log": "mysql"})


_LINE = {
    "L_ORDERKEY": "bigint",
    "L_PARTKEY": "bigint",
    "L_SUPPKEY": "bigint",
    "L_LINENUMBER": "int",
    "L_QUANTITY": "decimal(15,2)",
    "L_EXTENDEDPRICE": "decimal(15,2)",
    "L_DISCOUNT": "decimal(15,2)",
    "L_TAX": "decimal(15,2)",
    "L_RETURNFLAG": "string",
    "L_LINESTATUS": "string",
    "L_SHIPDATE": "date",
    "L_COMMITDATE": "date",
    "L_RECEIPTDATE": "date",
    "L_SHIPINSTRUCT": "string",
    "L_SHIPMODE": "string",
    "L_COMMENT": "string",
}


def _line(*values: Any) -> Row:
    return read(dict(zip(_LINE, values, strict=True)))


_ORDER = {
    "order_id": "int",
    "order_date": "bigint",
    "customer_name": "string",
    "price": "decimal(10,2)",
    "product_id": "int",
    "order_status": "smallint",
}
_ORDERS = {"table": "orders", "schema": "mydb.public", "columns": _ORDER, "key": ("order_id",)}


def _order(number: int, name: str, product: int) -> dict[str, Any]:
    moment = 1558430840000 + number - 1
    return dict(zip(_ORDER, (number, moment, name, None, product, 1), strict=True))


_CHANGED = "2023-06-06 05:26:43.809"
_WRAPPED = tuple(
    replace(row, transaction='{"long":490}')
    # Each value stands within its type, so that no column is where it is looked for.
    for row in (read(), read(), read())
)
_AVRO_JSON = "risingwave/debezium_{}_avro_json.1"


def _avro(name: str, *rows: Row) -> Fixture:
    changed = Row("u", None, {}, when=_CHANGED, transaction='{"long":491}')
    return Fixture(
        _AVRO_JSON.format(name),
        **_ORDERS,
        rows=(*_WRAPPED, changed, *rows),
        copy=without('"type":"record"'),
        options=_KAFKA,
    )


_RISINGWAVE = (
    _customers("risingwave/debezium_log.1"),
    _customers("risingwave/debezium_log_no_schema_field.1"),
    Fixture(
        "risingwave/debezium_ignore_case_json.1",
        "lineitem",
        "mydb",
        _LINE,
        ("L_ORDERKEY", "L_LINENUMBER"),
        (
            _line(
                *(56165, 39492, 4499, 1, Decimal(39), Decimal("55828.11"), Decimal(0)),
                *(Decimal("0.04"), "R", "F"),
                *(date(1992, 6, 22), date(1992, 6, 11), date(1992, 6, 28)),
                *("NONE", "RAIL", "s. packages sleep s"),
            ),
            _line(
                *(56166, 148713, 1228, 1, Decimal(11), Decimal("19378.81"), Decimal("0.04")),
                *(Decimal("0.02"), "A", "F"),
                *(date(1993, 11, 7), date(1993, 10, 27), date(1993, 12, 4)),
                *("TAKE BACK RETURN", "FOB", "cial requests cajole slyly regular tithes."),
            ),
            _line(
                *(56166, 10056, 5059, 2, Decimal(5), Decimal("4830.25"), Decimal("0.1")),
                *(Decimal("0.06"), "R", "F"),
                *(date(1993, 9, 15), date(1993, 10, 14), date(1993, 9, 30)),
                *("COLLECT COD", "REG AIR", "ly ironic theodol"),
            ),
        ),
        options={"log": "mysql"},
    ),
    # A key that is no JSON.
    Fixture(
        "risingwave/debezium_mess_key.1",
        **_ORDERS,
        rows=(
            *(
                replace(read(_order(number, name, product)), transaction="490")
                for number, name, product in ((1, "Bob", 1), (2, "Alice", 2), (3, "Alice", 2))
            ),
            replace(updated(None, _order(1, "Bob", 3)), when=_CHANGED, transaction="491"),
        ),
    ),
    _avro("compact"),
    # The record's own key tells which row was deleted.
    _avro(
        "non_compact",
        Row(
            "d",
            None,
            None,
            key="[1]",
            when="2023-06-06 05:27:48.569",
            transaction='{"long":492}',
        ),
    ),
)

_SEATUNNEL: dict[str, tuple[str, Any]] = {
    "id": ("int", 1),
    "f_binary": ("binary", b"abct" + bytes(60)),
    "f_blob": ("binary", b"hello"),
    "f_longblob": ("binary", None),
    "f_tinyblob": ("binary", b"tinyblob"),
    "f_varbinary": ("binary", b"Hello world"),
    "f_smallint": ("smallint", 12345),
    "f_smallint_unsigned": ("int", 54321),
    "f_mediumint": ("int", 123456),
    "f_mediumint_unsigned": ("int", 654321),
    "f_int": ("int", 1234567),
    "f_int_unsigned": ("bigint", 7654321),
    "f_integer": ("int", 1234567),
    "f_integer_unsigned": ("bigint", 7654321),
    "f_bigint": ("bigint", 123456789),
    "f_bigint_unsigned": ("decimal(20,0)", Decimal(987654321)),
    "f_numeric": ("decimal(10,0)", Decimal(123)),
    "f_decimal": ("decimal(10,0)", Decimal(789)),
    "f_float": ("double", 12.34000015258789),
    "f_double": ("double", 56.78),
    "f_double_precision": ("double", 90.12),
    "f_longtext": ("string", "This is a long text field"),
    "f_mediumtext": ("string", "This is a medium text field"),
    "f_text": ("string", "This is a text field"),
    "f_tinytext": ("string", "This is a tiny text field"),
    "f_varchar": ("string", "This is a varchar field"),
    "f_date": ("date", date(2022, 4, 27)),
    "f_datetime": ("timestamp_ntz", datetime(2022, 4, 27, 14, 30)),
    "f_timestamp": ("timestamp", "2023-04-27 03:08:40"),
    "f_bit1": ("boolean", True),
    "f_bit64": ("binary", b"UUUUUUUU"),
    "f_char": ("string", "C"),
    "f_enum": ("string", "enum2"),
    "f_long_varchar": ("string", "This is a long varchar field"),
    "f_real": ("double", 12.345),
    # Microseconds of a day: 14:30:00.
    "f_time": ("bigint", 52200000000),
    "f_tinyint": ("tinyint", -128),
    "f_tinyint_unsigned": ("smallint", 255),
    "f_json": ("string", '{"key": "value"}'),
    "f_year": ("smallint", 2022),
}
_LATER_VALUES = {**_values(_SEATUNNEL), "f_real": 112.345, "f_tinyint_unsigned": 22}
_BIG = weighing(BIG, 5.179999828338623)
_WHITE = weighing(WHITE, 0.20000000298023224)
_LIGHTER = weighing(BIG, 5.170000076293945)
_HEAVIEST = weighing(HEAVIEST, 1.0)

_TUNNEL = (
    Fixture(
        "seatunnel/debezium_data.txt",
        "mysql_cdc_e2e_source_table",
        "mysql_cdc",
        _types(_SEATUNNEL),
        ("id",),
        (
            read(_values(_SEATUNNEL)),
            read(_LATER_VALUES, id=2, f_year=2013),
            read(_LATER_VALUES, id=3, f_year=2021),
        ),
        options=_counted("mysql_cdc_e2e_source_table", "f_datetime"),
    ),
    Fixture(
        "seatunnel/fmt_debezium-data.txt",
        "products",
        "inventory",
        FLOATING,
        ("id",),
        (
            *(
                _at("1970-01-01 00:00:00", created(weighing(row, weight)))
                for row, weight in zip(FIRST, FLOATS, strict=True)
            ),
            _at(
                "2020-05-13 09:26:27",
                updated(_HEAVIEST, {**_HEAVIEST, "description": "18oz carpenter hammer"}),
            ),
            _at(
                "2020-05-13 09:28:19",
                updated(weighing(ROCKS, 5.300000190734863), weighing(ROCKS, 5.099999904632568)),
            ),
            _at("2020-05-13 09:30:10", created(_WHITE)),
            _at("2020-05-13 09:30:43", created(_BIG)),
            _at(
                "2020-05-13 09:31:33",
                updated(
                    _WHITE,
                    {
                        "id": 110,
                        "name": "jacket",
                        "description": "new water resistent white wind breaker",
                        "weight": 0.5,
                    },
                ),
            ),
            _at("2020-05-13 09:32:10", updated(_BIG, _LIGHTER)),
            _at("2020-05-13 09:32:24", deleted(_LIGHTER)),
        ),
        options=_KAFKA,
    ),
)

READABLE = (*_PAIMON, *_ALL_TYPES, *_DOCUMENTS, *_FLINK, *_RISINGWAVE, *_TUNNEL)

_STOPPED = (
    "is no change that can be read: its table or operation cannot be told",
    "debezium: a change has `op` and `source.table`, a transaction's boundary `status` and `id`",
)
_SCHEMA_CHANGE = "paimon/mysql/debezium-event-change.json"
_EVENTS = ("bson", "delete", "insert", "json", "update")

REFUSED = (
    *(
        Refusal(_EXPECTED.format(file), "full_types", 1, _STOPPED)
        for file in ("exclude", "exclude-with-numeric-decimal", "include")
    ),
    Refusal(_SCHEMA_CHANGE, "t1", 19, _STOPPED),
    # Their keys stand in lines of their own, which are no changes.
    Refusal(_BASE.format(_AVRO), "all_types_table", 19, _STOPPED),
    *(
        Refusal(
            _BASE.format(_EVENT.format(name)), "sync_test_table", 18, _STOPPED, {"log": "mongodb"}
        )
        for name in _EVENTS
    ),
    # They begin with the schema of Avro.
    *(
        Refusal(_AVRO_JSON.format(name), "orders", 1, _STOPPED)
        for name in ("compact", "non_compact")
    ),
)

OTHERS = {
    _SCHEMA_CHANGE: "it is Flink CDC's own record of a statement, over many lines",
    _BASE.format(_EVENT.format("bson")): "it is a document alone, for a test of conversions",
    _BASE.format(_EVENT.format("json")): "it is what that document becomes",
}
