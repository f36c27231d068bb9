"""The Spark type of each payload field, as DDL text; free of Spark."""

from __future__ import annotations

import datetime as dt
import enum
import types
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cutline.context.event import Event
from cutline.errors import ConfigurationError

_SIMPLE: dict[type, str] = {
    str: "string",
    int: "bigint",
    bool: "boolean",
    dt.datetime: "timestamp",
    dt.date: "date",
}


@dataclass(frozen=True)
class PayloadField:
    """One field of a payload: its Spark type, whether null is allowed, and what it may hold.

    `choices` are the values of a Literal or Enum; `bounds` are (operator, value) pairs out of
    ge, gt, le, lt on the value and min_length, max_length on a text.
    """

    name: str
    type: str
    nullable: bool
    choices: tuple[Any, ...] = ()
    bounds: tuple[tuple[str, Any], ...] = ()


def payload_fields(event: type[Event]) -> tuple[PayloadField, ...]:
    """The fields of a payload, sorted by name as canonical JSON wants them.

    Raises ConfigurationError for a type or a constraint that cannot be checked in columns: nothing
    that a payload promises is silently ignored.
    """
    return tuple(
        _field(f"{event.__name__}.{name}", name, info)
        for name, info in sorted(event.model_fields.items())
    )


def _field(where: str, name: str, info: FieldInfo) -> PayloadField:
    annotation, nullable = _without_none(info.annotation)
    metadata = list(info.metadata)
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        metadata += inner
    digits = next((m for m in metadata if getattr(m, "max_digits", None) is not None), None)
    metadata = [m for m in metadata if m is not digits]
    if digits is not None:
        metadata += _bounds_beside(digits)
    return PayloadField(
        name=name,
        type=_type(where, annotation, digits),
        nullable=nullable,
        choices=_choices(annotation),
        bounds=tuple(_bounds(where, metadata)),
    )


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not types.NoneType]
        if len(rest) == 1:
            return rest[0], True
    return annotation, False


def _type(where: str, annotation: Any, digits: Any) -> str:
    if annotation is Decimal:
        if digits is None or digits.decimal_places is None:
            raise ConfigurationError(
                f"{where} is a Decimal without size",
                next_step="Declare Field(max_digits=…, decimal_places=…): money is never guessed.",
            )
        return f"decimal({digits.max_digits},{digits.decimal_places})"
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if get_origin(annotation) is Literal:
        return _SIMPLE[type(get_args(annotation)[0])]
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return "string"
    if get_origin(annotation) in (list, tuple) and get_args(annotation):
        return f"array<{_type(where, get_args(annotation)[0], None)}>"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = (_field(f"{where}.{n}", n, i) for n, i in sorted(annotation.model_fields.items()))
        return "struct<" + ",".join(f"{f.name}:{f.type}" for f in inner) + ">"
    raise ConfigurationError(
        f"{where} has type {annotation!r}, which has no exact Spark type",
        next_step="Use str, int, bool, Decimal with digits, datetime, date, Literal, Enum, "
        "a list of these, or a nested model. A float is not exact.",
    )


def _choices(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return tuple(member.value for member in annotation)
    return ()


_OPERATORS = ("ge", "gt", "le", "lt", "min_length", "max_length")


def _bounds_beside(digits: Any) -> list[Any]:
    """Bounds that pydantic packs into the same metadata object as max_digits."""
    return [digits] if any(getattr(digits, o, None) is not None for o in _OPERATORS) else []


def _bounds(where: str, metadata: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    for constraint in metadata:
        found = [(o, v) for o in _OPERATORS if (v := getattr(constraint, o, None)) is not None]
        if not found:
            raise ConfigurationError(
                f"{where} carries the constraint {constraint!r}, which columns cannot check",
                next_step=f"Use one of {', '.join(_OPERATORS)}, a Literal, or an Enum.",
            )
        yield from found
