"""The products of Debezium's tutorial, which most of the files speak of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from support.change_fixtures.kinds import created

PRODUCT = {
    "id": "int",
    "name": "string",
    "description": "string",
    "weight": "decimal(6,3)",
    "age": "int",
    "address": "string",
}
"""A product, with the columns that some of the tables came to have."""

PLAIN = {name: PRODUCT[name] for name in ("id", "name", "description", "weight")}
ADDRESSED = {**PLAIN, "address": "string"}
DATED = {"_id": "int", "_date": "date"}
FLOATING = {**PLAIN, "weight": "double"}

SCOOTER = {
    "id": 101,
    "name": "scooter",
    "description": "Small 2-wheel scooter",
    "weight": Decimal("3.14"),
}
BATTERY = {
    "id": 102,
    "name": "car battery",
    "description": "12V car battery",
    "weight": Decimal("8.1"),
}
DRILLS = {
    "id": 103,
    "name": "12-pack drill bits",
    "description": "12-pack of drill bits with sizes ranging from #40 to #3",
    "weight": Decimal("0.8"),
}
HAMMER = {
    "id": 104,
    "name": "hammer",
    "description": "12oz carpenter's hammer",
    "weight": Decimal("0.75"),
}
HEAVIER = {
    "id": 105,
    "name": "hammer",
    "description": "14oz carpenter's hammer",
    "weight": Decimal("0.875"),
}
HEAVIEST = {
    "id": 106,
    "name": "hammer",
    "description": "16oz carpenter's hammer",
    "weight": Decimal("1"),
}
ROCKS = {
    "id": 107,
    "name": "rocks",
    "description": "box of assorted rocks",
    "weight": Decimal("5.3"),
}
JACKET = {
    "id": 108,
    "name": "jacket",
    "description": "water resistent black wind breaker",
    "weight": Decimal("0.1"),
}
TIRE = {
    "id": 109,
    "name": "spare tire",
    "description": "24 inch spare tire",
    "weight": Decimal("22.2"),
}
WHITE = {
    "id": 110,
    "name": "jacket",
    "description": "water resistent white wind breaker",
    "weight": Decimal("0.2"),
}
BIG = {
    "id": 111,
    "name": "scooter",
    "description": "Big 2-wheel scooter ",
    "weight": Decimal("5.18"),
}

FIRST = (SCOOTER, BATTERY, DRILLS, HAMMER, HEAVIER, HEAVIEST, ROCKS, JACKET, TIRE)
"""The nine products that each database begins with."""

FLOATS = (
    3.140000104904175,
    8.100000381469727,
    0.800000011920929,
    0.75,
    0.875,
    1.0,
    5.300000190734863,
    0.10000000149011612,
    22.200000762939453,
)
"""Their weights where a FLOAT was written as the double that it is."""


def weighing(row: dict[str, Any], weight: str | float) -> dict[str, Any]:
    """A product of another weight: of a decimal, or a double."""
    return {**row, "weight": Decimal(weight) if isinstance(weight, str) else weight}


UNWEIGHED = {**DRILLS, "weight": None}
FIRST_TWO = (created(SCOOTER), created(BATTERY))
LAST_TWO = (created(DRILLS), created(HAMMER))
AGED = (created(DRILLS, age=19), created(HAMMER, age=25))
"""Rows that several files hold, whoever wrote them."""
