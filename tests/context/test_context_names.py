"""The names that a context gives stand in every id, as they are."""

from __future__ import annotations

import pytest

from cutline.context import Aggregate, Context, Event
from cutline.errors import ConfigurationError

NAMES = ['a"b', "a\\b", "a\nb", "a\x00b"]


class Bound(Event):
    """A policy was bound."""


def insurer(name: str, event: type[Event]) -> Context:
    return Context(name, "One.", (Aggregate("policy", "One.", (event,), state={}),))


@pytest.mark.parametrize("name", NAMES)
def test_an_event_type_holds_nothing_that_json_escapes(name: str) -> None:
    class Named(Bound):
        """Named as its live producer does."""

        @classmethod
        def event_type(cls) -> str:
            return name

    with pytest.raises(ConfigurationError, match=r"event type .* holds a quote, a backslash or"):
        insurer("insurer", Named)


@pytest.mark.parametrize("name", NAMES)
def test_nor_does_its_own_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"its name .* holds a quote, a backslash or"):
        insurer(name, Bound)


@pytest.mark.parametrize("name", ["com.acme.policy.bound/v1", "Abschluß", "bound-1 😀", "it's"])
def test_anything_else_may_be_one(name: str) -> None:
    class Named(Bound):
        """Named as its live producer does."""

        @classmethod
        def event_type(cls) -> str:
            return name

    assert insurer("insurer", Named).aggregates[0].events[0].event_type() == name
