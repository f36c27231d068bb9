"""Files of Maxwell's daemon."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from support.change_fixtures.kinds import Fixture, Refusal, Row, created, deleted, updated
from support.change_fixtures.products import (
    ADDRESSED,
    AGED,
    BATTERY,
    BIG,
    DATED,
    DRILLS,
    FIRST,
    FIRST_TWO,
    HAMMER,
    HEAVIER,
    HEAVIEST,
    LAST_TWO,
    PLAIN,
    PRODUCT,
    ROCKS,
    SCOOTER,
    TIRE,
    UNWEIGHED,
    WHITE,
    weighing,
)

_BASE = "paimon/kafka/maxwell/{}.txt"
_OF_TABLE = "table/{}/maxwell-data-{}"
_OF_TOPIC = "database/{}/topic{}/maxwell-data-{}"
_PARTS = {"complete": False}
"""Each of these files holds a part of transaction 7125, which is nowhere whole."""


def _of(
    path: str, table: str, schema: str, *rows: Row, columns: dict[str, str] = PRODUCT
) -> Fixture:
    return Fixture(
        _BASE.format(path),
        table,
        schema,
        columns,
        ("_id",) if "_id" in columns else ("id",),
        rows,
        when="2020-08-06 03:34:43",
        transaction="7125",
        options=_PARTS,
    )


def _at(row: Row, when: str, transaction: str) -> Row:
    return replace(row, when=when, transaction=transaction)


_INCLUDED = _OF_TOPIC.format("include", 0, 1)
_AFFIXED = "paimon_sync_database_affix"
_DATED = created(_id=101, _date=date(2023, 3, 23))

# Every row of that file was committed in second 1699253290.
_ONCE = "2023-11-06 06:48:10"

READABLE = (
    _of(_INCLUDED, "paimon_1", _AFFIXED, created(SCOOTER)),
    _of(_INCLUDED, "paimon_2", _AFFIXED, created(BATTERY)),
    _of(_INCLUDED, "ignore", _AFFIXED, created(DRILLS)),
    _of(_INCLUDED, "flink", _AFFIXED, created(HAMMER)),
    _of(_OF_TOPIC.format("prefixsuffix", 0, 1), "t1", _AFFIXED, *FIRST_TWO),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 2),
        "t1",
        _AFFIXED,
        created(SCOOTER, address="Beijing"),
        created(BATTERY, address="Shanghai"),
    ),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 1), "t2", "paimon_sync_database", *LAST_TWO),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 2), "t2", "paimon_sync_database", *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 0, 1), "t1", "paimon_sync_database", *FIRST_TWO),
    _of(_OF_TOPIC.format("schemaevolution", 0, 2), "t1", "paimon_sync_database", *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 1, 1), "t2", "paimon_sync_database", *LAST_TWO),
    _of(
        _OF_TOPIC.format("schemaevolution", 1, 2),
        "t2",
        "paimon_sync_database",
        created(DRILLS, address="Beijing"),
        created(HAMMER, address="Shanghai"),
    ),
    _of(_OF_TABLE.format("computedcolumn", 1), "product", "test", _DATED, columns=DATED),
    _of(_OF_TABLE.format("metadatacolumn", 1), "product", "test", _DATED, columns=DATED),
    _of(_OF_TABLE.format("schemaevolution", 1), "product", "test", *FIRST_TWO),
    _of(
        _OF_TABLE.format("schemaevolution", 2),
        "product",
        "test",
        created(DRILLS, age=18),
        created(HAMMER, age=24),
    ),
    _of(
        _OF_TABLE.format("schemaevolution", 3),
        "product",
        "test",
        created(HEAVIER, address="Shanghai"),
        # Its image lacks the address, which is unknown, so that the image as a whole is.
        deleted(SCOOTER),
        _at(
            updated({**HEAVIER, "address": "Shanghai"}, {**HEAVIER, "address": "Beijing"}),
            "2020-08-06 03:35:06",
            "7216",
        ),
        created(ROCKS),
        columns=ADDRESSED,
    ),
    _of(
        _OF_TABLE.format("schemaevolution", 4),
        "product",
        "test",
        created(UNWEIGHED),
        created(HAMMER),
    ),
    _of(_OF_TABLE.format("startupmode", 1), "product", "test", *FIRST_TWO),
    _of(_OF_TABLE.format("startupmode", 2), "product", "test", *LAST_TWO),
    _of(_OF_TABLE.format("watermark", 1), "product", "test", *FIRST_TWO),
    Fixture(
        "seatunnel/maxwell_data.txt",
        "products",
        "maxwell_eal7e6",
        PLAIN,
        ("id",),
        (
            *(_at(created(row), _ONCE, "246") for row in FIRST),
            _at(updated(SCOOTER, weighing(SCOOTER, "4.56")), _ONCE, "248"),
            _at(updated(ROCKS, weighing(ROCKS, "7.88")), _ONCE, "250"),
            _at(deleted(TIRE), _ONCE, "252"),
        ),
    ),
    Fixture(
        "seatunnel/fmt_maxwell-data-filter-table.txt",
        "product",
        "test",
        PLAIN,
        ("id",),
        (
            *(_at(created(row), "2020-08-06 03:34:43", "7125") for row in FIRST),
            _at(
                updated(HEAVIEST, {**HEAVIEST, "description": "18oz carpenter hammer"}),
                "2020-08-06 03:34:53",
                "7152",
            ),
            _at(updated(ROCKS, weighing(ROCKS, "5.1")), "2020-08-06 03:34:57", "7169"),
            _at(created(WHITE), "2020-08-06 03:35:00", "7186"),
            _at(created(BIG), "2020-08-06 03:35:04", "7201"),
            _at(
                updated(
                    WHITE,
                    {
                        "id": 110,
                        "name": "jacket",
                        "description": "new water resistent white wind breaker",
                        "weight": Decimal("0.5"),
                    },
                ),
                "2020-08-06 03:35:06",
                "7216",
            ),
            _at(updated(BIG, weighing(BIG, "5.17")), "2020-08-06 03:35:12", "7235"),
            _at(deleted(weighing(BIG, "5.17")), "2020-08-06 03:35:14", "7250"),
            _at(updated(SCOOTER, weighing(SCOOTER, "5.17")), "2020-08-06 03:35:28", "7291"),
            _at(updated(BATTERY, weighing(BATTERY, "5.17")), "2020-08-06 03:35:28", "7291"),
            _at(deleted(weighing(BATTERY, "5.17")), "2020-08-06 03:35:38", "7322"),
            _at(deleted(DRILLS), "2020-08-06 03:35:38", "7322"),
        ),
    ),
)

_GAP = "transaction 7125 of table 'product' lacks {}: its rows are numbered from"

REFUSED = (
    Refusal(
        _BASE.format(_OF_TABLE.format("schemaevolution", 2)),
        "product",
        None,
        (_GAP.format("the rows numbered 0, 1"),),
    ),
    Refusal(
        _BASE.format(_OF_TABLE.format("schemaevolution", 3)),
        "product",
        None,
        (_GAP.format("the rows numbered 1, 2, 3, 5"),),
    ),
)
OTHERS: dict[str, str] = {}
