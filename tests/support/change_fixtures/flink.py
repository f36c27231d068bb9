"""The customers and products of Flink CDC's files, which Canal and Debezium tell alike."""

from __future__ import annotations

from collections.abc import Sequence

from support.change_fixtures.kinds import Row, created, deleted, updated
from support.change_fixtures.products import BIG, FIRST, PLAIN, WHITE, weighing

CUSTOMER = {"id": "int", "name": "string", "address": "string", "phone_number": "string"}
PRODUCT = {**PLAIN, "enum_c": "string", "json_c": "string", "point_c": "string"}
LATER = {"id": "int", "new_col": "int"}
"""A product through a column that it did not have at first."""

_NONE = {"enum_c": None, "json_c": None, "point_c": None}
_POINT = '{{"coordinates":[{0},{0}],"type":"Point","srid":0}}'
_EXTRA_VALUES = {
    101: {"enum_c": "red", "json_c": '{"key1": "value1"}', "point_c": _POINT.format(1)},
    102: {"enum_c": "white", "json_c": '{"key2": "value2"}', "point_c": _POINT.format(2)},
    103: {"enum_c": "red", "json_c": '{"key3": "value3"}', "point_c": _POINT.format(3)},
    104: {"enum_c": "white", "json_c": '{"key4": "value4"}', "point_c": _POINT.format(4)},
    105: {"enum_c": "red", "json_c": '{"k1": "v1", "k2": "v2"}', "point_c": _POINT.format(5)},
}
_FIRST = {row["id"]: {**row, **_EXTRA_VALUES.get(row["id"], _NONE)} for row in FIRST}
_BIG, _WHITE = {**BIG, **_NONE}, {**WHITE, **_NONE}
_NEW_WHITE = {**_WHITE, "description": "new water resistent white wind breaker"}

_CHANGES = {
    "c110": created(_WHITE),
    "c111": created(_BIG),
    "u106": updated(_FIRST[106], {**_FIRST[106], "description": "18oz carpenter hammer"}),
    "u107": updated(_FIRST[107], weighing(_FIRST[107], "5.1")),
    "u110": updated(_WHITE, weighing(_NEW_WHITE, "0.5")),
    "u111": updated(_BIG, weighing(_BIG, "5.17")),
    "d111": deleted(weighing(_BIG, "5.17")),
}


def customers(*numbers: int) -> tuple[Row, ...]:
    """Customers in the order of a file."""
    contact = {"address": "Shanghai", "phone_number": "123567891234"}
    return tuple(created(contact, id=number, name=f"user_{number - 100}") for number in numbers)


def products(first: Sequence[int], *changes: str) -> tuple[Row, ...]:
    """Products in the order of a file: those of the beginning, and what happened then."""
    return (*(created(_FIRST[number]) for number in first), *(_CHANGES[name] for name in changes))


def later(first: Sequence[int], *changes: str) -> tuple[Row, ...]:
    """The same through LATER: images of products from before it do not tell its column."""
    rows = [created(id=number) for number in first]
    for change in changes:
        number = int(change[1:])
        image = {"id": number} if number < 110 else {"id": number, "new_col": 1}
        rows_by_op = {"c": created(image), "u": updated(image, image), "d": deleted(image)}
        rows.append(rows_by_op[change[0]])
    return tuple(rows)
