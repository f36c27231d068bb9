"""Files of Oracle GoldenGate. `op_ts` has no zone; here it is taken for UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from support.change_fixtures.kinds import Fixture, Refusal, Row, created, deleted, updated
from support.change_fixtures.products import (
    ADDRESSED,
    AGED,
    BATTERY,
    DATED,
    DRILLS,
    FIRST,
    FLOATING,
    FLOATS,
    HAMMER,
    HEAVIER,
    HEAVIEST,
    LAST_TWO,
    PLAIN,
    PRODUCT,
    ROCKS,
    SCOOTER,
    WHITE,
    weighing,
)

_BASE = "paimon/kafka/ogg/{}.txt"
_OF_TABLE = "table/{}/ogg-data-{}"
_OF_TOPIC = "database/{}/topic{}/ogg-data-{}"


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
        when="2020-05-13 15:40:07",
    )


def _at(row: Row, when: str) -> Row:
    return replace(row, when=when)


def _first(row: Row) -> Row:
    return _at(row, "2020-05-13 15:40:06")


_PAIR = (_first(created(SCOOTER)), created(BATTERY))
_ADDRESSED = (created(DRILLS, address="Beijing"), created(HAMMER, address="Shanghai"))
_INCLUDED = _OF_TOPIC.format("include", 0, 1)
_AFFIXED, _DATABASE = "PAIMON_SYNC_DATABASE_AFFIX", "PAIMON_SYNC_DATABASE"
_DATED = _first(created(_id=101, _date=date(2023, 3, 23)))
_BIG = {"id": 103, "name": "scooter", "description": "Big 2-wheel scooter "}
_EVENT = {"columns": PLAIN}
_BACKWARDS = "table/schemaevolution/ogg-data-3"


def _seatunnel(path: str, table: str) -> Fixture:
    """The two files of SeaTunnel differ in the name of their table only."""
    first = [weighing(row, weight) for row, weight in zip(FIRST, FLOATS, strict=True)]
    big = {"id": 111, "name": "scooter", "description": "Big 2-wheel scooter "}
    white = weighing(WHITE, 0.20000000298023224)
    heaviest = {**HEAVIEST, "description": "18oz carpenter hammer", "weight": 1.0}
    rows = (
        _first(created(first[0])),
        *(created(row) for row in first[1:]),
        _at(updated(first[5], heaviest), "2020-05-13 17:26:27.936"),
        _at(updated(first[6], weighing(ROCKS, 5.099999904632568)), "2020-05-13 17:28:19.505"),
        _at(created(white), "2020-05-13 17:30:10.23"),
        _at(created(weighing(big, 5.179999828338623)), "2020-05-13 17:30:43.428"),
        _at(
            updated(
                white,
                {
                    "id": 110,
                    "name": "jacket",
                    "description": "new water resistent white wind breaker",
                    "weight": 0.5,
                },
            ),
            "2020-05-13 17:32:20.327",
        ),
        _at(
            updated(weighing(big, 5.179999828338623), weighing(big, 5.170000076293945)),
            "2020-05-13 17:32:10.904",
        ),
        _at(deleted(weighing(big, 5.170000076293945)), "2020-05-13 17:32:24.455"),
    )
    return Fixture(path, table, "OGG", FLOATING, ("id",), rows, when="2020-05-13 15:40:07")


READABLE = (
    # The names of columns are not always written alike: what is not written as declared is missing.
    _of(
        _OF_TOPIC.format("case-insensitive", 0, 1).replace("/topic0", ""),
        "T1",
        _DATABASE,
        _first(
            created(
                ID=101, NAME="scooter", description="Small 2-wheel scooter", weight=Decimal("3.14")
            )
        ),
        created(ID=102, name="car battery", description="12V car battery", WEIGHT=Decimal("8.1")),
        columns=PLAIN,
    ),
    _of(_INCLUDED, "paimon_1", _AFFIXED, _first(created(SCOOTER))),
    _of(_INCLUDED, "paimon_2", _AFFIXED, created(BATTERY)),
    _of(_INCLUDED, "ignore", _AFFIXED, created(DRILLS)),
    _of(_INCLUDED, "flink", _AFFIXED, created(HAMMER)),
    _of(_OF_TOPIC.format("prefixsuffix", 0, 1), "t1", _AFFIXED, *_PAIR),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 2),
        "t1",
        _AFFIXED,
        _first(created(SCOOTER, address="Beijing")),
        created(BATTERY, address="Shanghai"),
    ),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 1), "t2", _AFFIXED, *LAST_TWO),
    _of(_OF_TOPIC.format("prefixsuffix", 1, 2), "t2", _DATABASE, *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 0, 1), "t1", _DATABASE, *_PAIR),
    _of(_OF_TOPIC.format("schemaevolution", 0, 2), "t1", _DATABASE, *AGED),
    _of(_OF_TOPIC.format("schemaevolution", 1, 1), "t2", _DATABASE, *LAST_TWO),
    _of(_OF_TOPIC.format("schemaevolution", 1, 2), "t2", _DATABASE, *_ADDRESSED),
    _of(_OF_TABLE.format("computedcolumn", 1), "TBL_TEST", "OGG", _DATED, columns=DATED),
    _of(_OF_TABLE.format("metadatacolumn", 1), "TBL_TEST", "OGG", _DATED, columns=DATED),
    _of(
        "table/event/event-delete",
        "EVENT",
        "OGG",
        _at(deleted(_BIG, weight=Decimal("8.1")), "2020-05-13 17:32:24.455"),
        **_EVENT,
    ),
    _of(
        "table/event/event-insert",
        "EVENT",
        "OGG",
        *_PAIR,
        _at(created(_BIG, weight=Decimal("5.1")), "2020-05-13 17:30:43.428"),
        **_EVENT,
    ),
    _of(
        "table/event/event-update",
        "EVENT",
        "OGG",
        _at(
            updated(
                {**_BIG, "weight": Decimal("5.1")},
                {**_BIG, "weight": Decimal("8.1")},
            ),
            "2020-05-13 17:32:10.904",
        ),
        **_EVENT,
    ),
    _of(_OF_TABLE.format("schemaevolution", 1), "TBL_TEST", "OGG", *_PAIR),
    _of(
        _OF_TABLE.format("schemaevolution", 2),
        "TBL_TEST",
        "OGG",
        created(DRILLS, age=18),
        created(HAMMER, age=24),
    ),
    # Its positions go back in the trail, so that only the order of its lines can be taken.
    replace(
        _of(
            _BACKWARDS,
            "TBL_TEST",
            "OGG",
            created(HEAVIER, address="Shanghai"),
            # The image lacks the address, which is unknown, so that the image as a whole is.
            _at(deleted(SCOOTER), "2020-05-13 17:32:24.455"),
            _at(
                updated({**HEAVIER, "address": "Shanghai"}, {**HEAVIER, "address": "Beijing"}),
                "2020-05-13 17:26:27.936",
            ),
            created(ROCKS),
            columns=ADDRESSED,
        ),
        options={"log": "kafka"},
    ),
    _of(_OF_TABLE.format("startupmode", 1), "TBL_TEST", "OGG", *_PAIR),
    _of(_OF_TABLE.format("startupmode", 2), "TBL_TEST", "OGG", *LAST_TWO),
    _of(
        _OF_TABLE.format("watermark", 1),
        "TBL_TEST",
        "OGG",
        _first(created(weighing(SCOOTER, 3.140000104904175))),
        created(weighing(BATTERY, 8.100000381469727)),
        columns=FLOATING,
    ),
    _seatunnel("seatunnel/ogg_data.txt", "OGG_TEST"),
    _seatunnel("seatunnel/fmt_ogg-data-filter-table.txt", "TBL_TEST"),
)

REFUSED = (
    Refusal(
        _BASE.format(_BACKWARDS),
        "TBL_TEST",
        21,
        ("a change of table 'TBL_TEST' goes back in the log",),
    ),
)
OTHERS: dict[str, str] = {}
