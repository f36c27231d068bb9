"""What an aggregate refuses when it is declared."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    StateColumn,
    count,
    distinct,
    first,
    latest,
    lines,
    requires,
    total,
)
from cutline.errors import ConfigurationError


class Bound(Event):
    """A policy was bound."""

    premium_cents: int


class Lapsed(Event):
    """It lapsed."""


def policy(**declared) -> Aggregate:
    return Aggregate("policy", "One.", (Bound, Lapsed), **({"state": {}} | declared))


@pytest.mark.parametrize("column", [latest, first, distinct])
def test_state_takes_a_field_that_each_of_its_events_has(column) -> None:
    assert policy(state={"premium": column("premium_cents", Bound)}).state
    with pytest.raises(ConfigurationError) as caught:
        policy(state={"premium": column("premium_cts", Bound)})
    assert caught.value.what == (
        "aggregate policy: state column premium takes Bound.premium_cts, but Bound has no such "
        "field. Did you mean 'premium_cents'?"
    )
    assert caught.value.next_step == "It has: premium_cents."


def test_what_is_subtracted_has_the_field_as_well() -> None:
    with pytest.raises(ConfigurationError, match=r"Lapsed has no such field") as caught:
        policy(state={"premium": total("premium_cents", [Bound], minus=[Lapsed])})
    assert caught.value.next_step == "It has: no field."


class Measured(Event):
    """Something was measured."""

    day: dt.date
    at: dt.datetime
    note: str
    is_final: bool
    parts: list[int]
    share: Annotated[Decimal, Field(max_digits=5, decimal_places=2)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("day", "date"),
        ("at", "timestamp"),
        ("note", "string"),
        ("is_final", "boolean"),
        ("parts", "array<bigint>"),
    ],
)
@pytest.mark.parametrize("is_line", [False, True])
def test_a_total_is_of_numbers(name: str, kind: str, is_line: bool) -> None:
    def state(name: str) -> dict[str, StateColumn]:
        column = total(name, [Measured])
        return {"sum": lines("note", {"all": column}) if is_line else column}

    assert Aggregate("scale", "One.", (Measured,), state("share")).state
    with pytest.raises(ConfigurationError) as caught:
        Aggregate("scale", "One.", (Measured,), state(name))
    assert caught.value.what == (
        f"aggregate scale: state column sum{'.all' if is_line else ''} is the total of "
        f"Measured.{name}, which is a {kind}"
    )


class Remeasured(Event):
    """It was measured again, and its fields are others."""

    day: str
    note: int
    is_final: bool
    share: Annotated[Decimal, Field(max_digits=7, decimal_places=3)]


@pytest.mark.parametrize(
    ("column", "where", "message"),
    [
        (latest("day", Measured, Remeasured), "x", "day is a date, Remeasured.day is a string"),
        (first("note", Measured, Remeasured), "x", "note is a string, Remeasured.note is a bigint"),
        (
            total("share", [Measured], [Remeasured]),
            "x",
            "share is a decimal(5,2), Remeasured.share is a decimal(7,3)",
        ),
        (
            lines("note", {"all": count(Measured, Remeasured)}),
            "x.note",
            "note is a string, Remeasured.note is a bigint",
        ),
        (
            lines("is_final", {"days": distinct("day", Measured, Remeasured)}),
            "x.days",
            "day is a date, Remeasured.day is a string",
        ),
    ],
)
def test_a_column_takes_values_of_one_type(column: StateColumn, where: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Aggregate("scale", "One.", (Measured, Remeasured), {"x": column})
    assert caught.value.what == (
        f"aggregate scale: state column {where} takes values of different types: Measured.{message}"
    )


@pytest.mark.parametrize("column", [latest("day"), count(), total("share", [])])
def test_a_column_listens_to_an_event(column: StateColumn) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Aggregate("scale", "One.", (Measured,), {"x": column})
    assert caught.value.what == "aggregate scale: state column x listens to no event"
    assert caught.value.next_step == "Its events are: Measured."


def test_a_required_order_has_no_cycle() -> None:
    with pytest.raises(ConfigurationError, match="has a cycle among Bound, Lapsed"):
        policy(order=(requires(Bound, first=Lapsed), requires(Lapsed, first=Bound)))


@pytest.mark.parametrize(
    ("names", "name", "reason"),
    [
        (["events"], "events", "every state table has it"),
        (["Subject"], "Subject", "every state table has it"),
        (["paid", "Paid"], "Paid", "'paid' differs in upper and lower case only"),
        (["a.b"], "a.b", "it is no name: letters, digits and _ only"),
    ],
)
def test_a_state_column_has_a_name_that_its_table_can_have(
    names: list[str], name: str, reason: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        policy(state={column: latest("premium_cents", Bound) for column in names})
    assert caught.value.what == (
        f"aggregate policy: a state column cannot be called {name!r}: {reason}"
    )
