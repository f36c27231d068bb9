"""Which changes of a payload's schema still read what was published under the schema before."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field, create_model

from cutline.context import Event, ValueObject, personal, unit
from cutline.context.payload import json_schema, narrowed


class Price(ValueObject):
    """What it costs."""

    amount: Annotated[Decimal, Field(max_digits=7, decimal_places=2)]


class DearPrice(ValueObject):
    """What it costs, in longer numbers."""

    amount: Annotated[Decimal, Field(max_digits=9, decimal_places=2)]


def schema(
    doc: str = "It was sold.", identity: tuple[str, ...] = (), **fields: Any
) -> dict[str, Any]:
    declared = {name: (kind, ...) for name, kind in fields.items()}
    model = create_model("Sold", __base__=Event, __doc__=doc, **declared)  # type: ignore[call-overload]
    model.identified_by = identity
    return json_schema("shop", model)


TEXT = {"no": str}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (TEXT, {"no": Annotated[str, Field(description="Its number.")]}),
        (TEXT, {"no": Annotated[str, personal]}),
        (TEXT, {"no": str | None}),
        ({"no": Annotated[str, Field(max_length=5)]}, {"no": Annotated[str, Field(max_length=9)]}),
        ({"no": Annotated[str, Field(min_length=5)]}, {"no": Annotated[str, Field(min_length=2)]}),
        ({"no": Annotated[str, Field(pattern="^[A-Z]$")]}, TEXT),
        (
            {"no": Annotated[int, Field(multiple_of=10)]},
            {"no": Annotated[int, Field(multiple_of=5)]},
        ),
        ({"no": Annotated[int, Field(ge=1, lt=5)]}, {"no": Annotated[int, Field(ge=0, lt=6)]}),
        ({"no": Literal["a", "b"]}, {"no": Literal["a", "b", "c"]}),
        ({"no": Literal["a", "b"]}, TEXT),
        ({"no": Price}, {"no": DearPrice}),
        ({"no": list[Price]}, {"no": list[DearPrice]}),
    ],
)
def test_what_is_wider_reads_all_of_before_and_not_the_other_way(
    older: dict[str, Any], newer: dict[str, Any]
) -> None:
    assert narrowed(schema(**newer), schema(**older)) is None
    only_words = (
        schema(**newer)["properties"]["no"].keys() ^ schema(**older)["properties"]["no"].keys()
    )
    if not only_words or not only_words <= {"description", "x-personal"}:
        assert narrowed(schema(**older), schema(**newer)) is not None


def test_words_may_change() -> None:
    assert narrowed(schema("Sold.", **TEXT), schema("It was sold to somebody.", **TEXT)) is None


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        (TEXT, {"no": str, "by": str | None}, "by: the field is new"),
        ({"no": str, "by": str | None}, TEXT, "by: the field is no longer there"),
        (TEXT, {"no": int}, "no: format was not declared, and would be 'int64'"),
        ({"at": dt.date}, {"at": dt.datetime}, "at: format was 'date', and would be 'date-time'"),
        (
            {"no": str | None},
            TEXT,
            "no: type was ['string', 'null'], and would be 'string'",
        ),
        (TEXT, {"no": Annotated[str, Field(max_length=9)]}, "no: maxLength was not declared"),
        (
            {"no": Literal["a", "b"]},
            {"no": Literal["a", "c"]},
            "no: enum was ['a', 'b'], and would be ['a', 'c']",
        ),
        (
            {"no": Annotated[int, unit("EUR")]},
            {"no": Annotated[int, unit("cent")]},
            "no: x-unit was 'EUR', and would be 'cent'",
        ),
        ({"no": list[DearPrice]}, {"no": list[Price]}, "no[].amount: pattern was"),
        (
            {"no": Price},
            {"no": Annotated[Decimal, Field(max_digits=7, decimal_places=2)]},
            "no: additionalProperties was False, and would be not declared",
        ),
        (
            {"no": Annotated[Decimal, Field(max_digits=7, decimal_places=2)]},
            {"no": Annotated[Decimal, Field(max_digits=9, decimal_places=3)]},
            "no: pattern was",
        ),
    ],
)
def test_what_does_not_read_all_of_before_says_why(
    older: dict[str, Any], newer: dict[str, Any], reason: str
) -> None:
    sentence = narrowed(schema(**newer), schema(**older))
    assert sentence is not None
    assert sentence.startswith(reason)


def test_another_identity_is_another_meaning() -> None:
    sentence = narrowed(schema(identity=("no",), **TEXT), schema(**TEXT))
    assert sentence == "the payload: x-identified-by was not declared, and would be ['no']"


@pytest.mark.parametrize("digits", [2, 3, 7])
def test_digits_of_a_decimal_are_counted(digits: int) -> None:
    """Also where it has no digit before its point."""

    class Small(Event):
        """A share."""

        schema_major: ClassVar[int] = 1
        share: Annotated[Decimal, Field(max_digits=digits, decimal_places=2)]

    class Large(Event):
        """A share."""

        share: Annotated[Decimal, Field(max_digits=digits + 1, decimal_places=2)]

    small, large = json_schema("shop", Small), json_schema("shop", Large)
    assert narrowed(large, small) is None
    assert narrowed(small, large) is not None
