"""Marks of payload fields beside their type: personal data, and units.

They are written in `Annotated`, at any depth: `customer_no: Annotated[str, personal]`,
`total_cents: Annotated[int, unit("cents"), Field(ge=0)]`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Personal:
    """The mark of data about a person, which is masked wherever data is shown."""


@dataclass(frozen=True)
class Unit:
    """The unit that a number is in."""

    name: str


personal = Personal()
"""Marks a field as data about a person; on a nested model, all that is in it."""


def unit(name: str) -> Unit:
    """Says which unit a number is in, such as `cents`, `kg` or `days`."""
    return Unit(name)
