"""What Python code made of a payload, brought into the shape that columns have."""

from __future__ import annotations

import enum
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field

from cutline.context import Event, ValueObject
from cutline.context.payload import PayloadFault, payload_values
from cutline.identity import canonical_json

Money = Annotated[Decimal, Field(max_digits=38, decimal_places=2)]


class Channel(enum.Enum):
    SHOP = "shop"
    WEB = "web"


class Line(ValueObject):
    """One line."""

    number: int
    prices: list[Money | None]


class Sold(Event):
    """Something was sold."""

    channel: Channel
    total: Money
    lines: tuple[Line, ...] = Field(max_length=3)
    note: str | None = None


def sold(**values: Any) -> Sold:
    fields = {"channel": "web", "total": 1, "lines": ()} | values
    return Sold.model_validate(fields)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, '{"channel":"web","lines":[],"note":null,"total":"1.00"}'),
        (
            {"channel": Channel.SHOP, "total": Decimal("1.5"), "note": "x"},
            '{"channel":"shop","lines":[],"note":"x","total":"1.50"}',
        ),
        (
            {"lines": [{"number": 2**63 - 1, "prices": [Decimal("-0.1"), None, Decimal("2E+3")]}]},
            '{"channel":"web","lines":[{"number":9223372036854775807,'
            '"prices":["-0.10",null,"2000.00"]}],"note":null,"total":"1.00"}',
        ),
        (
            {"total": Decimal("123456789012345678901234567890123456.7")},
            '{"channel":"web","lines":[],"note":null,'
            '"total":"123456789012345678901234567890123456.70"}',
        ),
    ],
)
def test_one_fact_has_one_text(values: dict[str, Any], text: str) -> None:
    assert canonical_json(payload_values(sold(**values))) == text


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_what_no_column_holds_is_named(number: int) -> None:
    lines = [{"number": 1, "prices": []}, {"number": number, "prices": []}]
    with pytest.raises(PayloadFault) as error:
        payload_values(sold(lines=lines))
    assert error.value.path == "lines[].number"
    assert "64 bits" in str(error.value)
