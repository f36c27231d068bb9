"""Arguments for the JVM are what py4j makes of them, with fewer calls."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pytest
from py4j import protocol
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cutline.spark.java_arguments import QuickConverter, convert_quickly

MOMENT = dt.datetime(2026, 3, 29, 1, 59, 59, 999999)
VALUES = [
    *("text", "", "é\n", 0, -(2**63), 2**40, 1.5, True, None, b"bytes", bytearray(b"array")),
    *([], ["one"], ["a", None], [None] * 12, [[1, 2], [], ["x", ["y"]]], list(range(10))),
    *(list(range(11)), [f"column {n}" for n in range(25)], [True, 1, "1", 1.0, 2**40]),
    *((), ("a", "b"), {"a"}, frozenset({1}), {"a": [1, 2], "b": None}, {}),
    *(MOMENT, MOMENT.date(), dt.timedelta(days=1, microseconds=7), [MOMENT, MOMENT.date()]),
    *(np.int64(7), np.float64(0.5), np.array([1, 2, 3]), np.array(["a", "b"])),
    *(range(3), [("a", 1), {"k": ["v", "w"]}]),
]


@pytest.fixture
def jvm(spark: SparkSession) -> Any:
    convert_quickly(spark)
    return spark._jvm


def shown(jvm: Any, value: object) -> tuple[list[str], str]:
    """Of what interfaces the value is in the JVM, and what is in it."""
    element = jvm.java.util.Collections.singletonList(value)
    interfaces = [
        name
        for name in ("java.util.List", "java.util.Set", "java.util.Map")
        if jvm.java.lang.Class.forName(name).isInstance(element.get(0))
    ]
    return interfaces, re.sub(r"@[0-9a-f]+", "@", element.toString())


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:40])
def test_a_value_is_converted_as_py4j_does(
    jvm: Any, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = shown(jvm, value)
    monkeypatch.setattr(jvm._gateway_client, "converters", protocol.INPUT_CONVERTER)
    assert quick == shown(jvm, value)


def test_columns_are_one_call_for_ten(
    spark: SparkSession, jvm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [F.col(f"c{n}") for n in range(25)]
    # Its method is looked up once.
    F.coalesce(*columns)
    client = jvm._gateway_client
    send, commands = client.send_command, []

    def noted(command: str, *more: Any) -> Any:
        commands.append(command)
        return send(command, *more)

    def calls_of(build: Any) -> int:
        commands.clear()
        assert isinstance(build(), Column)
        # Those that let go of objects come from another thread, whenever it likes.
        return len([command for command in commands if not command.startswith("m\n")])

    monkeypatch.setattr(client, "send_command", noted)
    # The list, the sequence of it, and the function.
    assert calls_of(lambda: F.coalesce(*columns[:10])) == 3
    assert calls_of(lambda: F.coalesce(*columns)) == 1 + 2 * 3 + 2
    monkeypatch.setattr(client, "converters", protocol.INPUT_CONVERTER)
    assert calls_of(lambda: F.coalesce(*columns)) == 1 + 25 + 2


def test_a_client_has_one_converter_however_often_it_is_told(spark: SparkSession, jvm: Any) -> None:
    before = jvm._gateway_client.converters
    convert_quickly(spark)
    assert jvm._gateway_client.converters is before
    assert [type(converter) for converter in before] == [QuickConverter]
    assert QuickConverter not in map(type, protocol.INPUT_CONVERTER)
