"""What a JSON column must hold: the shape of a document, looked at where its row is read."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from pydantic import AfterValidator, TypeAdapter, ValidationError

_SHOWN = 60


def shaped_as(shape: type[Any]) -> AfterValidator:
    """What a document is checked for beside its type; it stays as it is."""

    def check(document: Any) -> Any:
        if document is not None and (fault := fault_of(shape, document)) is not None:
            raise ValueError(fault)
        return document

    return AfterValidator(check)


def fault_of(shape: type[Any], document: Any) -> str | None:
    """Why a document has not a shape; None where it has."""
    try:
        _adapter(cast(Hashable, shape)).validate_python(document)
    except ValidationError as error:
        return reason(error)
    return None


def reason(error: ValidationError) -> str:
    """Why a value is none of a type, with the place of the first fault in it."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    says = first["msg"].removeprefix("Value error, ")
    says = says[:1].lower() + says[1:]
    return f"in which {place} is {short(first['input'])}: {says}" if place else f"and {says}"


def short(value: Any) -> str:
    """A value as an error shows it, cut off where it is long."""
    if value is None:
        return "null"
    text = repr(value)
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes):
        text = json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


@cache
def _adapter(shape: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast(Any, shape))
