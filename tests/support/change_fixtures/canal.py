"""Files of Canal: values are texts, and a record may hold several rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from support.change_fixtures.every_type import EMPTY, EVERY
from support.change_fixtures.flink import CUSTOMER, LATER, PRODUCT, customers, later, products
from support.change_fixtures.kinds import Fixture, Refusal, Row, created, deleted, updated, without
from support.change_fixtures.products import (
    BATTERY,
    BIG,
    DRILLS,
    FIRST,
    HEAVIEST,
    PLAIN,
    ROCKS,
    SCOOTER,
    WHITE,
    weighing,
)

_BASE = "paimon/kafka/canal/{}.txt"
_OF_TABLE = "table/{}/canal-data-{}"
_OF_TOPIC = "database/{}/topic{}/canal-data-{}"
_AFFIXED, _DATABASE, _TABLE = (
    "paimon_sync_database_affix",
    "paimon_sync_database",
    "paimon_sync_table",
)
_DATA = without('"isDdl":true')


def _of(
    path: str,
    table: str,
    schema: str,
    columns: dict[str, str],
    key: str,
    when: str | None,
    *rows: Row,
    copy: Callable[[str], str] | None = None,
) -> Fixture:
    names = tuple(key.split(", "))
    return Fixture(_BASE.format(path), table, schema, columns, names, rows, when=when, copy=copy)


def _at(when: str, row: Row) -> Row:
    return replace(row, when=when)


_K1_COLUMNS, _K2_COLUMNS = (
    {"k1": "int", "v0": "string", "v1": "bigint"},
    {"k2": "int", "v0": "string", "v1": "string"},
)
_THREE_KEY_COLUMNS = {"k1": "int", "k2": "int", "k3": "int", "v0": "string"}

_AFFIX = (
    # The names of columns are not always written alike: what is not written as declared is missing.
    _of(
        "database/case-insensitive/canal-data-1",
        "t1",
        _AFFIXED,
        {"k1": "int", "v0": "string", "V1": "int"},
        "k1",
        None,
        _at("2023-05-22 15:41:12", created(k1=5, v0="five", V1=50)),
        _at("2023-05-22 15:41:13", created(K1=7, v0="seven", V1=70)),
        _at("2023-05-22 15:41:14", created(K1=8, v0="eight", V1=80, V2="added")),
    ),
    *(
        _of(
            _OF_TOPIC.format("include", 0, 1),
            table,
            _AFFIXED,
            _K1_COLUMNS,
            "k1",
            "2023-05-22 15:41:06",
            created(row),
        )
        for table, row in (
            ("paimon_1", {"k1": 1, "v0": "one"}),
            ("paimon_2", {"k1": 3, "v0": "three"}),
            ("ignore", {"k1": 3, "v0": "three"}),
            ("flink", {"k1": 3, "v0": "three"}),
        )
    ),
    *(
        _of(
            "database/multipletablepartitionkeys/canal-data-1",
            table,
            _AFFIXED,
            _THREE_KEY_COLUMNS,
            "k1, k2, k3",
            "2023-05-22 15:41:06",
            created(k1=1, k2=2, k3=3, v0=name),
        )
        for table, name in (("tt_1", "one"), ("tt_2", "three"))
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 1),
        "t1",
        _AFFIXED,
        _K1_COLUMNS,
        "k1",
        "2023-05-22 15:41:06",
        created(k1=1, v0="one"),
        created(k1=3, v0="three"),
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 2),
        "t1",
        _AFFIXED,
        _K1_COLUMNS,
        "k1",
        None,
        _at("2023-05-22 15:41:12", created(k1=5, v0="five", v1=50)),
        _at("2023-05-22 15:41:13", created(k1=7, v0="seven", v1=70)),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 3),
        "t1",
        _AFFIXED,
        _K1_COLUMNS,
        "k1",
        "2023-05-22 15:41:18",
        created(k1=9, v0="nine", v1=9000000000000),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 1, 1),
        "t2",
        _AFFIXED,
        _K2_COLUMNS,
        "k2",
        None,
        _at("2023-05-22 15:41:06", created(k2=2, v0="two")),
        _at("2023-05-22 15:41:07", created(k2=4, v0="four")),
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 1, 2),
        "t2",
        _AFFIXED,
        _K2_COLUMNS,
        "k2",
        "2023-05-22 15:41:13",
        created(k2=6, v0="six", v1="s_6"),
        created(k2=8, v0="eight", v1="s_8"),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("prefixsuffix", 1, 3),
        "t2",
        _AFFIXED,
        _K2_COLUMNS,
        "k2",
        "2023-05-22 15:41:19",
        created(k2=10, v0="ten", v1="long_s_10"),
        copy=_DATA,
    ),
    *(
        _of(
            f"{folder}/tostring/canal-data-1",
            "t1",
            _AFFIXED,
            _K1_COLUMNS,
            "k1",
            None,
            _at("2023-05-22 15:41:12", created(k1=5, v0="five", v1=50)),
            _at("2023-05-22 15:41:13", created(k1=7, v0="seven", v1=70)),
        )
        for folder in ("database", "table")
    ),
)

_FIRST_T = {"k": "int", "part": "int", "v1": "string", "v2": "bigint"}
_SECOND_T = {"k1": "int", "k2": "string", "v1": "int", "v2": "bigint", "v3": "string"}
_THIRD_T = {"v1": "int", "__#alibaba_rds_row_id#__": "bigint"}

_DATABASES = (
    _of(
        _OF_TOPIC.format("schemaevolution", 0, 1),
        "t1",
        _DATABASE,
        _FIRST_T,
        "k",
        None,
        _at("2023-05-19 08:21:56", created(k=1, v1="one")),
        _at("2023-05-19 08:21:57", created(k=3, v1="three")),
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 0, 2),
        "t1",
        _DATABASE,
        _FIRST_T,
        "k",
        "2023-05-19 08:27:03",
        created(k=5, v1="five", v2=50),
        created(k=7, v1="seven", v2=70),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 0, 3),
        "t1",
        _DATABASE,
        _FIRST_T,
        "k",
        "2023-05-19 08:28:08",
        created(k=9, v1="nine", v2=9000000000000),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 1, 1),
        "t2",
        _DATABASE,
        _SECOND_T,
        "k1, k2",
        None,
        _at("2023-05-19 08:21:56", created(k1=2, k2="two", v1=20, v2=200)),
        _at("2023-05-19 08:21:57", created(k1=4, k2="four", v1=40, v2=400)),
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 1, 2),
        "t2",
        _DATABASE,
        _SECOND_T,
        "k1, k2",
        None,
        _at("2023-05-19 08:27:03", created(k1=6, k2="six", v1=60, v2=600, v3="string_6")),
        _at("2023-05-19 08:27:04", created(k1=8, k2="eight", v1=80, v2=800, v3="string_8")),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 1, 3),
        "t2",
        _DATABASE,
        _SECOND_T,
        "k1, k2",
        "2023-05-19 08:28:08",
        created(k1=10, k2="ten", v1=100, v2=1000, v3="long_long_string_10"),
        copy=_DATA,
    ),
    _of(
        _OF_TOPIC.format("schemaevolution", 2, 1),
        "t3",
        _DATABASE,
        _THIRD_T,
        "__#alibaba_rds_row_id#__",
        "2023-05-19 08:21:57",
        created({"v1": -1, "__#alibaba_rds_row_id#__": 1}),
    ),
    # Nothing but a licence.
    *(
        _of(
            _OF_TOPIC.format("schemaevolution", 2, number),
            "t3",
            _DATABASE,
            _THIRD_T,
            "__#alibaba_rds_row_id#__",
            None,
        )
        for number in (2, 3)
    ),
    _of(
        "database/audit-time/canal-data-1",
        "t1",
        "test_audit_time",
        _FIRST_T,
        "k",
        "2023-05-22 15:41:12",
        created(k=1, v1="A"),
    ),
    *(
        _of(
            f"database/audit-time/canal-data-{number}",
            "t1",
            "test_audit_time",
            {"k": "int", "v1": "string"},
            "k",
            "2023-05-22 15:41:12",
            updated({"k": 1, "v1": before}, {"k": 1, "v1": after}),
        )
        for number, before, after in ((2, "A", "B"), (3, "B", "C"))
    ),
    _of(
        "database/specify-keys/canal-data-1",
        "t1",
        "test_specify_keys",
        _FIRST_T,
        "k",
        "2023-05-22 15:41:12",
        created(k=1, part=1, v1="A"),
    ),
    _of(
        "database/specify-keys/canal-data-1",
        "t2",
        "test_specify_keys",
        {"k": "int", "v1": "string"},
        "k",
        "2023-05-22 15:41:12",
        created(k=1, v1="A"),
    ),
)

_OLD = {"pt": "int", "_id": "int", "v1": "string", "v2": "bigint"}
_NEW = {**_OLD, "v3": "decimal(8,3)", "v4": "binary", "v5": "double"}
_NINE = {"pt": 1, "_id": 9, "v1": "nine", "v2": 90000000000, "v3": Decimal("99999.999")}
_NINTH = {**_NINE, "v4": b"nine.bin", "v5": 9.9}
_EIGHTH = {"pt": 2, "_id": 8, "v2": 80000000000, "v3": None, "v4": None, "v5": None}
_FOURTH = {"pt": 2, "_id": 4, "v1": "four", "v2": None, "v3": None}
_EVOLVED_TABLES = ("schema_evolution_1", "schema_evolution_2")

# Of each of five files the rows of the two tables; the second folder has them without statements.
_STEPS: tuple[tuple[dict[str, str], tuple[tuple[Row, ...], tuple[Row, ...]]], ...] = (
    (
        _OLD,
        (
            (_at("2023-05-02 05:51:46", created(pt=1, _id=1, v1="one")),),
            (
                _at("2023-05-02 05:52:04", created(pt=1, _id=2, v1="two")),
                _at("2023-05-02 05:52:04", created(pt=2, _id=4, v1="four")),
            ),
        ),
    ),
    (
        _OLD,
        (
            (
                _at("2023-05-02 06:18:09", created(pt=2, _id=3, v1="three", v2=30)),
                _at("2023-05-02 06:18:09", created(pt=1, _id=5, v1="five", v2=50)),
            ),
            (
                _at("2023-05-02 06:18:10", created(pt=1, _id=6, v1="six", v2=60)),
                _at(
                    "2023-05-02 06:18:10",
                    updated(
                        {"pt": 1, "_id": 2, "v1": "two", "v2": None},
                        {"pt": 1, "_id": 2, "v1": "second", "v2": None},
                    ),
                ),
            ),
        ),
    ),
    (
        _OLD,
        (
            (
                _at("2023-05-04 02:41:19", created(pt=2, _id=7, v1="seven", v2=70000000000)),
                _at("2023-05-04 02:41:19", deleted(pt=1, _id=5, v1="five", v2=50)),
                _at(
                    "2023-05-04 02:41:19",
                    updated(
                        {"pt": 2, "_id": 3, "v1": "three", "v2": 30},
                        {"pt": 2, "_id": 3, "v1": "three", "v2": 30000000000},
                    ),
                ),
            ),
            (_at("2023-05-04 02:41:20", created(pt=2, _id=8, v1="eight", v2=80000000000)),),
        ),
    ),
    (
        _NEW,
        (
            (_at("2023-05-04 02:42:35", created(_NINTH)),),
            (
                _at(
                    "2023-05-04 02:42:36",
                    updated({**_EIGHTH, "v1": "eight"}, {**_EIGHTH, "v1": "very long string"}),
                ),
            ),
        ),
    ),
    (
        _NEW,
        (
            (
                _at(
                    "2023-05-06 07:20:20",
                    updated(
                        {**_NINE, "v4": b"nine.bin", "v5": 9.899999618530273},
                        {**_NINE, "v4": b"nine.bin.long", "v5": 9.00000000009},
                    ),
                ),
            ),
            (
                _at(
                    "2023-05-06 07:20:20",
                    updated(
                        {**_FOURTH, "v4": None, "v5": None},
                        {**_FOURTH, "v4": b"four.bin.long", "v5": 4.00000000004},
                    ),
                ),
            ),
        ),
    ),
)
_EVOLVED = tuple(
    _of(
        _OF_TABLE.format(folder, number),
        table,
        _TABLE,
        columns,
        "_id",
        None,
        *rows,
        copy=_DATA if number > 1 and folder == "schemaevolution" else None,
    )
    for folder in ("schemaevolution", "schemaevolutionmissingddl")
    for number, (columns, tables) in enumerate(_STEPS, 1)
    for table, rows in zip(_EVOLVED_TABLES, tables, strict=True)
)

_DATED = {"_id": "int", "_date": "date", "v": "string"}
_DAY = date(2023, 3, 23)
_MULTIPLE = {
    "_id": "int",
    "v1": "string",
    "v2": "bigint",
    "v3": "string",
    "v4": "int",
    "v5": "double",
    "v6": "decimal(5,3)",
    "$% ^,& *(": "string",
}

_TABLES = (
    # The table had another column by then, which the image lacks: it is unknown as a whole.
    _of(
        "table/event/event-delete",
        "schema_evolution_1",
        _TABLE,
        _OLD,
        "_id",
        "2023-05-04 02:41:19",
        deleted(pt=1, _id=1, v1="one"),
    ),
    _of(
        "table/event/event-insert",
        "event",
        _TABLE,
        _OLD,
        "_id",
        None,
        _at("2023-05-02 05:51:46", created(pt=1, _id=1, v1="one")),
        _at("2023-05-02 05:52:04", created(pt=1, _id=2, v1="two")),
        _at("2023-05-02 05:52:04", created(pt=2, _id=4, v1="four")),
    ),
    _of(
        "table/event/event-row",
        "schema_evolution_1",
        _TABLE,
        _NEW,
        "_id",
        "2023-05-04 02:42:35",
        created(_NINTH),
    ),
    _of(
        "table/event/event-update",
        "schema_evolution_2",
        _TABLE,
        _OLD,
        "_id",
        "2023-05-02 06:18:10",
        updated(
            {"pt": 1, "_id": 2, "v1": "two", "v2": None},
            {"pt": 1, "_id": 2, "v1": "second", "v2": None},
        ),
    ),
    *(
        _of(
            path,
            "schema_evolution_1",
            _TABLE,
            _OLD,
            "_id",
            None,
            _at("2023-05-02 05:51:46", created(pt=1, _id=first, v1=name)),
            _at("2023-05-02 05:53:26", created(pt=1, _id=first + 1, v1=other)),
        )
        for path, first, name, other in (
            (_OF_TABLE.format("startupmode", 1), 1, "one", "two"),
            (_OF_TABLE.format("startupmode", 2), 3, "three", "four"),
            (_OF_TABLE.format("watermark", 1), 1, "one", "two"),
        )
    ),
    _of(
        _OF_TABLE.format("computedcolumn", 1),
        "test_computed_column",
        _TABLE,
        _DATED,
        "_id",
        "2023-05-02 05:51:46",
        created(_id=1, _date=_DAY),
    ),
    _of(
        _OF_TABLE.format("computedcolumn", 2),
        "computed_column_with_case_insensitive",
        _TABLE,
        {"_ID": "int", "_DATE": "date"},
        "_ID",
        "2023-05-02 05:51:46",
        created(_ID=1, _DATE=_DAY),
        created(_ID=2, _DATE=None),
    ),
    _of(
        _OF_TABLE.format("incomplete", 2),
        "decimal_missing_precision",
        _TABLE,
        {"k": "int", "v": "decimal(15,4)"},
        "k",
        "2023-05-12 08:35:54",
        created(k=1, v=Decimal("1.2")),
    ),
    _of(
        _OF_TABLE.format("initialemptytopic", 1),
        "test_empty_topic",
        _TABLE,
        _DATED,
        "_id",
        "2023-05-02 05:51:46",
        created(_id=1, _date=_DAY, v="paimon"),
    ),
    _of(
        _OF_TABLE.format("metadatacolumn", 1),
        "test_metadata_column",
        _TABLE,
        _DATED,
        "_id",
        "2023-05-02 05:51:46",
        created(_id=101, _date=_DAY),
    ),
    # A table without a primary key, and the same row twice.
    _of(
        _OF_TABLE.format("nonpk", 1),
        "t",
        "non_pk",
        {"v0": "string", "v1": "int"},
        "v0, v1",
        None,
        _at("2023-05-22 15:41:12", created(v0="five", v1=50)),
        _at("2023-05-22 15:41:13", created(v0="five", v1=50)),
    ),
    _of(
        _OF_TABLE.format("optionschange", 1),
        "table_options_change",
        _TABLE,
        _OLD,
        "_id",
        "2023-05-02 05:51:46",
        created(pt=1, _id=1, v1="one"),
    ),
    _of(
        _OF_TABLE.format("optionschange", 2),
        "test_computed_column",
        _TABLE,
        _DATED,
        "_id",
        "2023-05-02 05:51:46",
        created(_id=2, _date=_DAY),
    ),
    _of(
        _OF_TABLE.format("schemaevolutionmultiple", 1),
        "schema_evolution_multiple",
        _TABLE,
        _MULTIPLE,
        "_id",
        "2023-05-09 06:42:08",
        created(_id=1, v1="one", v2=10, v3="string_1"),
    ),
    _of(
        _OF_TABLE.format("schemaevolutionmultiple", 2),
        "schema_evolution_multiple",
        _TABLE,
        _MULTIPLE,
        "_id",
        "2023-05-09 06:46:54",
        created(
            {"$% ^,& *(": "test_2"},
            _id=2,
            v1="long_string_two",
            v2=2000000000000,
            v3="string_2",
            v4=20,
            v5=20.5,
            v6=Decimal("20.002"),
        ),
        copy=_DATA,
    ),
    *(
        _of(
            _OF_TABLE.format("typenochange", number),
            "decimal_no_change",
            _TABLE,
            {"k": "int", "v": "decimal(15,4)"},
            "k",
            "2023-05-12 08:35:54",
            created(k=k, v=Decimal(v)),
        )
        for number, k, v in ((3, 1, "1.2"), (4, 2, "2.3"))
    ),
)


def _flink(table: str, columns: dict[str, str], *rows: Row) -> Fixture:
    return Fixture(
        "flink-cdc/canal-json.txt",
        table,
        "$databaseName",
        columns,
        ("id",),
        rows,
        # Its records lack `es`.
        defects=("no-commit-time",),
    )


_FLINK = (
    (107, 108, 103, 105, 109, 101, 106, 102, 104),
    *("u107", "u106", "c111", "c110", "u111", "d111", "u110"),
)
_SEATUNNEL = [{**row, "id": row["id"] + 1000} for row in FIRST]
_NO_DESCRIPTION = {**HEAVIEST, "description": None}
_ORDER = {
    "order_number": "int",
    "order_date": "date",
    "purchaser": "int",
    "quantity": "int",
    "product_id": "int",
}
_FORMATS = "seatunnel/fmt_canal-data-filter-table.txt"


def _order(number: int, day: date, purchaser: int, quantity: int, product: int) -> dict[str, Any]:
    return dict(zip(_ORDER, (number, day, purchaser, quantity, product), strict=True))


_OTHERS = (
    _of(
        "table/alltype/canal-data",
        "all_types_table",
        _TABLE,
        {name: ddl for name, (ddl, _) in EVERY.items()},
        "_id",
        "2023-05-12 08:35:54",
        created({name: value for name, (_, value) in EVERY.items()}),
        created(EMPTY),
    ),
    _flink("customers", CUSTOMER, *customers(103, 104, 102, 101)),
    _flink("products", PRODUCT, *products(*_FLINK)),
    # A column that came later: what earlier images lack is unknown.
    _flink("products", LATER, *later(*_FLINK)),
    # A statement that made the table, and one for the database, change no row.
    Fixture(
        "seatunnel/canal_data.txt",
        "products",
        "canal_hvygfc",
        PLAIN,
        ("id",),
        (
            *map(created, _SEATUNNEL),
            updated(_SEATUNNEL[0], weighing(_SEATUNNEL[0], "4.56")),
            updated(_SEATUNNEL[6], weighing(_SEATUNNEL[6], "7.88")),
            deleted(_SEATUNNEL[8]),
        ),
        when="2023-10-20 08:01:39",
        copy=without('"type":"ALTER"'),
    ),
    Fixture(
        _FORMATS,
        "product",
        "mydb",
        PLAIN,
        ("id",),
        (
            *(
                _at("2020-09-01 07:08:52", created(_NO_DESCRIPTION if row is HEAVIEST else row))
                for row in FIRST
            ),
            _at(
                "2020-09-01 07:10:02",
                updated(_NO_DESCRIPTION, {**HEAVIEST, "description": "18oz carpenter hammer"}),
            ),
            _at("2020-09-01 07:11:19", updated(ROCKS, weighing(ROCKS, "5.1"))),
            _at("2020-09-01 07:11:28", created(WHITE)),
            _at("2020-09-01 07:11:28", created(BIG)),
            _at(
                "2020-09-01 07:11:28",
                updated(
                    WHITE,
                    weighing(
                        {**WHITE, "description": "new water resistent white wind breaker"}, "0.5"
                    ),
                ),
            ),
            _at("2020-09-01 07:12:17", updated(BIG, weighing(BIG, "5.17"))),
            _at("2020-09-01 07:12:17", deleted(weighing(BIG, "5.17"))),
            _at("2020-09-01 07:12:17", updated(SCOOTER, weighing(SCOOTER, "5.17"))),
            _at("2020-09-01 07:12:17", updated(BATTERY, weighing(BATTERY, "5.17"))),
            _at("2020-09-01 07:13:38", deleted(weighing(BATTERY, "5.17"))),
            _at("2020-09-01 07:13:38", deleted(DRILLS)),
        ),
    ),
    Fixture(
        _FORMATS,
        "orders",
        "mydb",
        _ORDER,
        ("order_number",),
        (
            _at("2020-09-01 07:11:15", created(_order(10001, date(2016, 1, 16), 1001, 1, 102))),
            _at("2020-09-01 07:11:15", created(_order(10002, date(2016, 1, 17), 1002, 2, 105))),
            _at("2020-09-01 07:11:15", created(_order(10003, date(2016, 2, 19), 1002, 2, 106))),
            _at("2020-09-01 07:11:15", created(_order(10004, date(2016, 2, 21), 1003, 1, 107))),
            _at(
                "2020-09-01 07:12:11",
                updated(
                    _order(10001, date(2016, 1, 16), 1001, 1, 102),
                    _order(10001, date(2016, 1, 16), 1001, 3, 102),
                ),
            ),
            _at("2020-09-01 07:12:54", deleted(_order(10002, date(2016, 1, 17), 1002, 2, 105))),
        ),
    ),
    Fixture(
        _FORMATS,
        "project",
        "mydb",
        {**PLAIN, "id": "string"},
        ("id",),
        tuple(created({**row, "id": f"A{row['id']}"}) for row in FIRST),
        when="2020-09-01 07:08:52",
    ),
)

READABLE = (*_AFFIX, *_DATABASES, *_EVOLVED, *_TABLES, *_OTHERS)


def _altered(path: str, table: str, line: int = 19) -> Refusal:
    return Refusal(_BASE.format(path), table, line, (f"gives table '{table}' another structure",))


_NO_TABLE = (
    "is no change that can be read: its table or operation cannot be told",
    "canal: a change has `type`, `table` and its rows in `data`",
)

REFUSED = (
    *(
        _altered(_OF_TOPIC.format(folder, topic, number), table)
        for folder in ("prefixsuffix", "schemaevolution")
        for topic, table in ((0, "t1"), (1, "t2"))
        for number in (2, 3)
    ),
    *(
        _altered(_OF_TABLE.format("schemaevolution", number), "schema_evolution_1")
        for number in (2, 3, 4, 5)
    ),
    _altered(_OF_TABLE.format("schemaevolution", 2), "schema_evolution_2", 21),
    _altered(_OF_TABLE.format("nononddldata", 1), "schema_evolution_2"),
    _altered(_OF_TABLE.format("schemaevolutionmultiple", 2), "schema_evolution_multiple"),
    replace(_altered("", "products", 3), path="seatunnel/canal_data.txt"),
    Refusal(_BASE.format("database/incomplete/canal-data-1"), "t1", 19, _NO_TABLE),
    Refusal(_BASE.format(_OF_TABLE.format("incomplete", 1)), "t1", 19, _NO_TABLE),
)

OTHERS = {
    _BASE.format("database/incomplete/canal-data-1"): "its record names no table",
    _BASE.format(_OF_TABLE.format("incomplete", 1)): "its records name no table",
    _BASE.format(_OF_TABLE.format("nononddldata", 1)): "it holds statements only",
}
