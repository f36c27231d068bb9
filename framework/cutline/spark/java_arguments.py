"""The conversion of Python's values for calls into the JVM: fewer questions, and fewer calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py4j.java_gateway import GatewayClient, JavaClass, JavaMember
from pyspark.sql import SparkSession

_AS_THEY_ARE = frozenset((str, int, bool, float, type(None)))
"""Types of values that no converter converts."""
_MOST_AT_ONCE = 10
"""How many elements `java.util.List.of` takes as arguments, and not as an array."""


def convert_quickly(spark: SparkSession) -> None:
    """Let the session's client convert arguments by `QuickConverter`."""
    jvm = spark._jvm
    assert jvm is not None
    client = jvm._gateway_client
    if not any(isinstance(converter, QuickConverter) for converter in client.converters):
        client.converters = [QuickConverter(client.converters, jvm.java.util.List.of)]


class QuickConverter:
    """A client's converters as one of them.

    py4j asks each of its converters about each argument, names of columns among them, and appends
    the elements of a list with a call for each of them. Here no converter is asked about texts and
    numbers, and a list is made with a call for ten elements. Spark's lists of columns are most of
    what is converted.
    """

    def __init__(self, converters: Sequence[Any], list_of: JavaMember) -> None:
        """`list_of` is `java.util.List.of`: to look it up is a call as well."""
        self._converters, self._list_of = converters, list_of

    def can_convert(self, value: object) -> bool:
        """Whether the value has to be converted."""
        if type(value) in _AS_THEY_ARE:
            return False
        return type(value) is list or self._converter_of(value) is not None

    def convert(self, value: Any, client: GatewayClient) -> Any:
        """The value as an object of the JVM."""
        if type(value) is list and len(value) > 1 and not any(element is None for element in value):
            return self._java_list(value, client)
        converter = self._converter_of(value)
        assert converter is not None
        return converter.convert(value, client)

    def _converter_of(self, value: object) -> Any:
        return next((c for c in self._converters if c.can_convert(value)), None)

    def _java_list(self, elements: list[Any], client: GatewayClient) -> Any:
        """A list of elements of which none is null, which Java does not take into `List.of`."""
        if len(elements) <= _MOST_AT_ONCE:
            return self._list_of(*elements)
        java_list = JavaClass("java.util.ArrayList", client)()  # type: ignore[no-untyped-call]
        for place in range(0, len(elements), _MOST_AT_ONCE):
            java_list.addAll(self._list_of(*elements[place : place + _MOST_AT_ONCE]))
        return java_list
