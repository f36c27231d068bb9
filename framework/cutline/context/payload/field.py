"""One field of a payload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PayloadField:
    """One field of a payload: its Spark type, whether null is allowed, and what it may hold.

    `choices` are the values of a Literal or Enum. `bounds` are (name, value) pairs out of ge, gt,
    le, lt and multiple_of on the value, min_length and max_length in characters of a text or
    elements of a list, and pattern. A list has its `element`, a nested model its `fields`.
    `personal` holds for all that is in it.
    """

    name: str
    type: str
    nullable: bool
    choices: tuple[Any, ...] = ()
    bounds: tuple[tuple[str, Any], ...] = ()
    element: PayloadField | None = None
    fields: tuple[PayloadField, ...] = ()
    personal: bool = False
    unit: str = ""
    doc: str = ""
    title: str = ""

    @property
    def kind(self) -> str:
        """The Spark type without its size: string, decimal, array, struct, …"""
        return self.type.split("(")[0].split("<")[0]


def walk_fields(
    fields: Iterable[PayloadField], above: str = ""
) -> Iterator[tuple[str, PayloadField, bool]]:
    """Each field at any depth: its path, such as `needs[].sku`, the field, whether it is personal.

    The fields within a personal field are personal.
    """
    for field in fields:
        yield from _walk_field(field, f"{above}.{field.name}" if above else field.name, False)


def _walk_field(
    field: PayloadField, path: str, inherited: bool
) -> Iterator[tuple[str, PayloadField, bool]]:
    personal = inherited or field.personal
    yield path, field, personal
    if field.element is not None:
        yield from _walk_field(field.element, f"{path}[]", personal)
    for inner in field.fields:
        yield from _walk_field(inner, f"{path}.{inner.name}", personal)
