"""What evolves and by which rule: Avro's, one a line, and upcasters, from every version."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from cutline.project.replay import Upcaster
from cutline.replay.avro_rows import avro_documents
from cutline.replay.raw import Unreadable
from cutline.replay.upcasting import NotEvolved, UpcasterChain, chains_of, exact_json
from support.avro_records import record

ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
LESS = ENUM | {"symbols": ["A"]}
DEFAULTED = LESS | {"default": "A"}


def order(kind: Any) -> dict[str, Any]:
    return record("Order", x=kind)


@pytest.mark.parametrize(
    ("rule", "writer", "reader", "value", "expected"),
    [
        ("int to long", order("int"), order("long"), {"x": 7}, {"x": 7}),
        ("int to float", order("int"), order("float"), {"x": 7}, {"x": 7.0}),
        ("int to double", order("int"), order("double"), {"x": 7}, {"x": 7.0}),
        ("long to double", order("long"), order("double"), {"x": 2**40}, {"x": 2.0**40}),
        ("float to double", order("float"), order("double"), {"x": 0.5}, {"x": 0.5}),
        ("string to bytes", order("string"), order("bytes"), {"x": "a"}, {"x": b"a"}),
        ("bytes to string", order("bytes"), order("string"), {"x": b"a"}, {"x": "a"}),
        ("a type to a union of it", order("int"), order(["null", "int"]), {"x": 7}, {"x": 7}),
        ("a union's branch", order(["null", "int"]), order(["null", "long"]), {"x": 7}, {"x": 7}),
        ("union to its type", order(["null", "int"]), order("int"), {"x": 7}, {"x": 7}),
        ("union to its type, null", order(["null", "int"]), order("int"), {"x": None}, None),
        ("a removed field", record("Order", x="int", y="int"), order("int"), {"x": 7, "y": 8}, {"x": 7}),
        ("a new field's default", order("int"), record("Order", x="int", y=("int", 9)), {"x": 7}, {"x": 7, "y": 9}),
        ("a new field without one", order("int"), record("Order", x="int", y="int"), {"x": 7}, None),
        (
            "an alias of a field",
            order("int"),
            {"type": "record", "name": "Order", "fields": [{"name": "z", "type": "int", "aliases": ["x"]}]},
            {"x": 7},
            {"z": 7},
        ),
        ("an alias of the record", order("int"), order("int") | {"name": "New", "aliases": ["Order"]}, {"x": 7}, {"x": 7}),
        ("an enum's symbol", order(ENUM), order(LESS), {"x": "A"}, {"x": "A"}),
        ("a symbol that is gone", order(ENUM), order(LESS), {"x": "B"}, None),
        ("a symbol that is gone, defaulted", order(ENUM), order(DEFAULTED), {"x": "B"}, {"x": "A"}),
        ("items of an array", order({"type": "array", "items": "int"}), order({"type": "array", "items": "long"}), {"x": [7]}, {"x": [7]}),
        ("values of a map", order({"type": "map", "values": "int"}), order({"type": "map", "values": "long"}), {"x": {"a": 7}}, {"x": {"a": 7}}),
        ("a record in a record", order(record("In", y="int")), order(record("In", y="long", z=("int", 1))), {"x": {"y": 7}}, {"x": {"y": 7, "z": 1}}),
        ("long to int", order("long"), order("int"), {"x": 7}, None),
        ("string to int", order("string"), order("int"), {"x": "7"}, None),
    ],
)  # fmt: skip
def test_a_row_evolves_by_the_rules_of_avro(
    rule: str, writer: Any, reader: Any, value: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    content = io.BytesIO()
    fastavro.writer(content, fastavro.parse_schema(writer), [value])
    [row] = avro_documents(lambda: io.BytesIO(content.getvalue()), json.dumps(reader))
    if expected is None:
        assert isinstance(row, Unreadable), rule
        assert row.defect == "unresolvable-schema"
        assert list(json.loads(row.content or b"")) == list(value)
    else:
        assert row == expected, rule


def test_one_row_that_does_not_evolve_takes_nothing_from_the_others() -> None:
    content = io.BytesIO()
    rows = [{"x": letter} for letter in "AABABA"]
    fastavro.writer(content, fastavro.parse_schema(order(ENUM)), rows)
    read = avro_documents(lambda: io.BytesIO(content.getvalue()), json.dumps(order(LESS)))
    shown = [None if isinstance(row, Unreadable) else row["x"] for row in read]
    assert shown == ["A", "A", None, "A", None, "A"]


def test_a_row_behind_one_that_does_not_evolve_is_of_the_branch_that_was_written() -> None:
    sides = ("Left", "Right")
    writer = record("Order", x=ENUM, either=[record(side, n="int") for side in sides])
    with_side = [record(side, n="int", side=("string", side)) for side in sides]
    reader = record("Order", x=LESS, either=with_side)
    content = io.BytesIO()
    rows = [{"x": letter, "either": ("Right", {"n": 1})} for letter in "AABBAA"]
    fastavro.writer(content, fastavro.parse_schema(writer), rows, codec="deflate", sync_interval=8)
    read = list(avro_documents(lambda: io.BytesIO(content.getvalue()), json.dumps(reader)))
    right = {"x": "A", "either": {"n": 1, "side": "Right"}}
    assert [read[at] for at in (0, 1, 4, 5)] == [right] * 4
    for row in read[2:4]:
        assert isinstance(row, Unreadable)
        assert json.loads(row.content or b"") == {"x": "B", "either": {"n": 1}}


CHAINS = chains_of(
    {
        "Placed": {
            2: Upcaster(rename={"customer": "buyer"}, default={"currency": "EUR"}),
            3: Upcaster(remove=("fax",)),
        }
    },
    "replays.orders.upcasters",
)


@pytest.mark.parametrize(
    ("version", "payload", "expected"),
    [
        (2, {"customer": "Ann", "fax": 1}, {"buyer": "Ann", "currency": "EUR"}),
        (2, {"currency": None}, {"currency": None}),
        (3, {"customer": "Ann", "fax": 1}, {"customer": "Ann"}),
        (4, {"fax": 1}, {"fax": 1}),
        (1, {}, "no-upcaster"),
        (5, {}, "unknown-version"),
        (2, {"customer": "Ann", "buyer": "Bea"}, "upcaster-failed"),
    ],
)
def test_a_payload_goes_through_each_step_from_its_version_on(
    version: int, payload: dict[str, Any], expected: dict[str, Any] | str
) -> None:
    if isinstance(expected, str):
        with pytest.raises(NotEvolved) as error:
            CHAINS["Placed"].evolved(version, payload)
        assert error.value.reason == expected
    else:
        assert CHAINS["Placed"].evolved(version, payload) == expected


def test_what_a_step_gives_must_be_a_payload() -> None:
    chain = UpcasterChain({1: lambda payload: list(payload)}, 2)
    with pytest.raises(NotEvolved, match="gave a list, and no dict"):
        chain.evolved(1, {"a": 1})


def test_numbers_stay_exact() -> None:
    text = '{"a":12345678901234567890.10,"b":[1E-7,true,null],"c":"é"}'
    value = json.loads(text, parse_float=Decimal)
    assert exact_json(value) == text
    with pytest.raises(ValueError, match="JSON"):
        exact_json({"a": float("nan")})
    with pytest.raises(TypeError, match="not JSON serializable"):
        exact_json({"a": {1, 2}})
