"""The values of a payload that Python code made, as columns would hold them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

from pydantic import BaseModel

from cutline.context.event import Event
from cutline.context.payload.field import PayloadField
from cutline.context.payload.reader import payload_fields

_BITS = 63
# Python's own context rounds to 28 digits; a column has up to 38.
_EXACT = Context(prec=400)


class PayloadFault(ValueError):
    """A value that the column of its field does not hold. `path` is the field's, without indexes:
    `needs[].quantity`."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def payload_values(payload: Event) -> dict[str, Any]:
    """The fields of a valid payload: a decimal with all places that its field declares, a member of
    an Enum as its value. So one fact has one text, whether columns or Python made it.

    PayloadFault for a whole number of more than 64 bits.
    """
    return _object(payload, payload_fields(type(payload)), "")


def fault_path(location: Sequence[int | str]) -> str:
    """The path of a field from the place of a pydantic error: without the indexes of lists.

    >>> fault_path(("needs", 0, "quantity"))
    'needs[].quantity'
    """
    path = ""
    for part in location:
        path += "[]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".")


def _object(model: BaseModel, fields: Sequence[PayloadField], above: str) -> dict[str, Any]:
    return {f.name: _value(getattr(model, f.name), f, f"{above}{f.name}") for f in fields}


def _value(value: Any, field: PayloadField, path: str) -> Any:
    if value is None:
        return None
    if field.choices:
        return value.value if isinstance(value, enum.Enum) else value
    if field.element is not None:
        return [_value(member, field.element, f"{path}[]") for member in value]
    if field.fields:
        return _object(value, field.fields, f"{path}.")
    if field.kind == "decimal":
        return value.quantize(Decimal(1).scaleb(-_places(field)), context=_EXACT)
    if field.kind == "bigint" and not -(2**_BITS) <= value < 2**_BITS:
        raise PayloadFault(path, "a whole number of more than 64 bits")
    return value


def _places(field: PayloadField) -> int:
    """The decimal places of a field of type `decimal(12,2)`."""
    return int(field.type.rstrip(")").split(",")[1])
