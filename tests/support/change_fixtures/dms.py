"""Files of AWS DMS. A column that holds null is left out of a record."""

from __future__ import annotations

from datetime import date

from support.change_fixtures.kinds import Fixture, Row, created, deleted, updated
from support.change_fixtures.products import (
    ADDRESSED,
    AGED,
    BATTERY,
    DATED,
    DRILLS,
    FIRST_TWO,
    HAMMER,
    HEAVIER,
    LAST_TWO,
    PRODUCT,
    ROCKS,
    SCOOTER,
    UNWEIGHED,
)

_BASE = "paimon/kafka/aws-dms/{}.txt"
_OF_TABLE = "table/{}/aws-dms-data-{}"
_OF_TOPIC = "database/{}/topic{}/aws-dms-data-{}"


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
        when="2024-10-27 12:39:03.210671",
        transaction="670014899490",
    )


_INCLUDED = _OF_TOPIC.format("include", 0, 1)
_DATED = created(_id=101, _date=date(2023, 3, 23))

READABLE = (
    _of(_INCLUDED, "paimon_1", "paimon_sync_database_affix", created(SCOOTER)),
    _of(_INCLUDED, "paimon_2", "paimon_sync_database_affix", created(BATTERY)),
    _of(_INCLUDED, "ignore", "paimon_sync_database_affix", created(DRILLS)),
    _of(_INCLUDED, "flink", "paimon_sync_database_affix", created(HAMMER)),
    _of(_OF_TOPIC.format("prefixsuffix", 0, 1), "t1", "paimon_sync_database", *FIRST_TWO),
    _of(
        _OF_TOPIC.format("prefixsuffix", 0, 2),
        "t1",
        "paimon_sync_database",
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
        deleted(SCOOTER),
        updated({**HEAVIER, "address": "Shanghai"}, {**HEAVIER, "address": "Beijing"}),
        created(ROCKS),
        columns=ADDRESSED,
    ),
    # Null is told, though nulls are left out as a rule.
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
)

REFUSED = ()
OTHERS: dict[str, str] = {}
