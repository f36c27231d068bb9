"""The values of a payload that Python code made, as a run would write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, get_args

from pydantic import BaseModel

_BITS = 63


def payload_values(payload: BaseModel) -> dict[str, Any]:
    """The fields of a payload, decimals with the places that their field declares: so one fact has
    one text. ValueError for a whole number that is larger than 64 bits."""
    return {
        name: _value(getattr(payload, name), _places(info.annotation, info.metadata))
        for name, info in type(payload).model_fields.items()
    }


def _value(value: Any, places: int | None) -> Any:
    match value:
        case BaseModel():
            return payload_values(value)
        case Decimal() if places is not None:
            return value.quantize(Decimal(1).scaleb(-places))
        case bool():
            return value
        case int() if not -(2**_BITS) <= value < 2**_BITS:
            raise ValueError("a whole number of more than 64 bits")
        case list() | tuple():
            return [_value(member, places) for member in value]
        case Mapping():
            return {name: _value(member, places) for name, member in value.items()}
    return value


def _places(annotation: Any, metadata: Iterable[Any]) -> int | None:
    """How many decimal places a field declares, itself or of what it is a list of; null where it
    declares none."""
    for constraint in metadata:
        places = getattr(constraint, "decimal_places", None)
        if places is not None:
            return int(places)
        inner = _places(None, getattr(constraint, "metadata", ()))
        if inner is not None:
            return inner
    for argument in get_args(annotation):
        inner = _places(argument, getattr(argument, "__metadata__", ()))
        if inner is not None:
            return inner
    return None
