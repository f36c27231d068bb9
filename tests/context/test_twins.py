"""A live event in other words: which declarations are refused."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from cutline.context import Aggregate, Context, Event, Header, Twin
from cutline.errors import ConfigurationError


class Shipped(Event):
    """A part was shipped."""

    identified_by: ClassVar[tuple[str, ...]] = ("parcel",)
    parcel: str
    pieces: int
    note: str | None = None


class Lost(Event):
    """A part was lost."""


class OrderShipped(Event):
    """What the shop announces."""

    parcel_number: str
    pieces: int
    weight: int


def test_what_has_the_same_name_needs_no_word() -> None:
    twin = Twin(OrderShipped, Shipped, {"parcel": "parcel_number"})
    assert [twin.source_of(n) for n in ("parcel", "pieces", "note")] == [
        "parcel_number",
        "pieces",
        None,
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            {"fields": {"parcl": "parcel_number"}},
            "Shipped has no field 'parcl'. Did you mean 'parcel'",
        ),
        (
            {"fields": {"parcel": "parcel_numbr"}},
            "OrderShipped has no field 'parcel_numbr'. Did you",
        ),
        ({}, "nothing says Shipped.parcel, which tells one occurrence from another"),
        ({"fields": {"parcel": "weight"}}, "parcel is a string, but weight is a bigint"),
        (
            {"fields": {"parcel": "parcel_number", "pieces": Header("ce_pieces")}},
            "pieces is a bigint, but header ce_pieces is a string",
        ),
        ({"fields": {"parcel": "parcel_number"}, "subject": "order"}, "has no field 'order'"),
    ],
)
def test_what_cannot_be_taken_is_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Twin(OrderShipped, Shipped, **arguments)


def test_a_context_reads_each_live_event_in_one_way() -> None:
    twin = Twin(OrderShipped, Shipped, {"parcel": "parcel_number"})

    def context(*twins: Twin, events: tuple[type[Event], ...] = (Shipped, Lost)) -> Context:
        return Context("shop", "", (Aggregate("order", "", events, {}),), twins=twins)

    assert context(twin).twins == (twin,)
    with pytest.raises(ConfigurationError, match="two twins read the live event OrderShipped"):
        context(twin, twin)
    with pytest.raises(ConfigurationError, match="Shipped belongs to no aggregate"):
        context(twin, events=(Lost,))

    class Lost2(OrderShipped):
        """Has the type of another of our events."""

        @classmethod
        def event_type(cls) -> str:
            return "Lost"

    with pytest.raises(ConfigurationError, match="has the type of another event"):
        context(Twin(Lost2, Shipped, {"parcel": "parcel_number"}))
