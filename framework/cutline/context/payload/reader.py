"""The fields of a payload class."""

from __future__ import annotations

import datetime as dt
import enum
import types
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo

from cutline.context.event import Event
from cutline.context.payload.constraints import FieldConstraints
from cutline.context.payload.field import PayloadField
from cutline.context.payload.model_check import check_payload_model
from cutline.errors import ConfigurationError

_SIMPLE: Mapping[Any, str] = {
    str: "string",
    int: "bigint",
    bool: "boolean",
    dt.datetime: "timestamp",
    AwareDatetime: "timestamp",
    dt.date: "date",
}
_TYPE_OF_CHOICES: Mapping[type, str] = {str: "string", int: "bigint", bool: "boolean"}

_Above = tuple[type[BaseModel], ...]


@lru_cache(maxsize=4096)
def payload_fields(event: type[Event]) -> tuple[PayloadField, ...]:
    """The fields of a payload, sorted by name as canonical JSON wants them.

    ConfigurationError for a promise that columns cannot check: none is silently ignored.
    """
    where = event.__name__
    for name in event.identified_by:
        if name not in event.model_fields:
            raise ConfigurationError(
                f"payload {where} is identified by {name!r}, which is none of its fields",
                next_step=f"Its fields are: {', '.join(event.model_fields) or 'none'}.",
            )
    if event.schema_major < 1:
        raise ConfigurationError(
            f"payload {where} has schema_major {event.schema_major}: it is 1 or more"
        )
    return _fields(where, event, ())


def _fields(where: str, model: type[BaseModel], above: _Above) -> tuple[PayloadField, ...]:
    if model in above:
        raise ConfigurationError(
            f"payload {where} holds {model.__name__} in itself, and no column is endlessly deep",
            next_step="Name the other one by its id.",
        )
    model.model_rebuild(raise_errors=False)
    if not model.__pydantic_complete__:
        raise ConfigurationError(
            f"payload {where} names a type that cannot be found",
            next_step="Define or import it in the module of the class, not only for type checking.",
        )
    check_payload_model(model, where)
    return tuple(
        _field(f"{where}.{name}", name, info, (*above, model))
        for name, info in sorted(model.model_fields.items())
    )


def _field(where: str, name: str, info: FieldInfo, above: _Above) -> PayloadField:
    constraints = FieldConstraints()
    constraints.take_field(where, info)
    return _read(where, name, info.annotation, constraints, above)


def _read(
    where: str, name: str, annotation: Any, constraints: FieldConstraints, above: _Above
) -> PayloadField:
    annotation, nullable = _without_annotations(where, annotation, constraints)
    choices, absent = _choices(where, annotation)
    element = None
    fields: tuple[PayloadField, ...] = ()
    title = ""
    if choices:
        type_ = _TYPE_OF_CHOICES[type(choices[0])]
    elif (inner := _element(annotation)) is not None:
        element = _read(f"{where}[]", "", inner, FieldConstraints(), above)
        type_ = f"array<{element.type}>"
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = _fields(where, annotation, above)
        type_ = "struct<" + ",".join(f"{f.name}:{f.type}" for f in fields) + ">"
        constraints.doc = constraints.doc or " ".join((annotation.__doc__ or "").split())
        title = annotation.__name__
    else:
        type_ = _simple(where, annotation, constraints)
    return PayloadField(
        name=name,
        type=type_,
        nullable=nullable or absent,
        choices=choices,
        bounds=constraints.bounds(where, type_, bool(choices)),
        element=element,
        fields=fields,
        personal=constraints.personal,
        unit=constraints.unit,
        doc=constraints.doc,
        title=title,
    )


def _without_annotations(
    where: str, annotation: Any, constraints: FieldConstraints
) -> tuple[Any, bool]:
    """The type itself, and whether it is nullable; metadata is added to `declaration`."""
    nullable = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *metadata = get_args(annotation)
            constraints.take(where, metadata)
        elif origin in (Union, types.UnionType):
            rest = [a for a in get_args(annotation) if a is not types.NoneType]
            nullable = nullable or len(rest) < len(get_args(annotation))
            if len(rest) != 1:
                raise _unknown_type_error(where, annotation, "A union has no one column type.")
            annotation = rest[0]
        else:
            return annotation, nullable


def _simple(where: str, annotation: Any, constraints: FieldConstraints) -> str:
    if annotation is Decimal:
        return "decimal({},{})".format(*constraints.digits(where))
    kind = _SIMPLE.get(annotation) if isinstance(annotation, type) else None
    if kind is None:
        why = (
            "A float is not exact." if annotation is float else "Nothing else is exact in columns."
        )
        raise _unknown_type_error(where, annotation, why)
    return kind


def _element(annotation: Any) -> Any:
    """The type of a list's elements; null for what is no list."""
    args = get_args(annotation)
    if get_origin(annotation) is list and args:
        return args[0]
    if get_origin(annotation) is tuple and len(args) == 2 and args[1] is Ellipsis:
        return args[0]
    return None


def _choices(where: str, annotation: Any) -> tuple[tuple[Any, ...], bool]:
    """The values of a Literal or Enum, none for other types; and whether None is among them."""
    if get_origin(annotation) is Literal:
        values = [v for v in get_args(annotation) if v is not None]
        absent = None in get_args(annotation)
    elif isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        if issubclass(annotation, enum.Flag) or "_missing_" in vars(annotation):
            raise _unknown_type_error(
                where, annotation, "A Flag, or an Enum with _missing_, takes more values."
            )
        values, absent = [member.value for member in annotation], False
    else:
        return (), False
    kinds = {type(v) for v in values}
    if len(kinds) != 1 or not kinds <= set(_TYPE_OF_CHOICES):
        raise _unknown_type_error(
            where, annotation, "Its values must be all text, all int or all bool."
        )
    if int in kinds and any(not -(2**63) <= v < 2**63 for v in values):
        raise _unknown_type_error(where, annotation, "Its numbers must have at most 64 bits.")
    return tuple(values), absent


def _unknown_type_error(where: str, annotation: Any, why: str) -> ConfigurationError:
    named = getattr(annotation, "__name__", None) if isinstance(annotation, type) else None
    return ConfigurationError(
        f"payload {where} has type {named or annotation}, which columns cannot check. {why}",
        next_step="Use str, int, bool, Decimal with digits, datetime, date, Literal or Enum of one "
        "kind, a list or tuple[…, ...] of these, a ValueObject, or one of them `| None`.",
    )
