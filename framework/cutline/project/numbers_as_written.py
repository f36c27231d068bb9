"""Numbers and durations are what stands in the file: nothing else is taken for one."""

from __future__ import annotations

import datetime as dt
import functools
import re
import types
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, LiteralString, Union, get_args, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

_UNIONS = (Union, types.UnionType)
_NUMBERS = frozenset((int, float, Decimal))
_WANTED = _NUMBERS | {dt.timedelta}
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_UNEVEN_DURATION = re.compile(r"[-+]?P[^T]*[YM]", re.IGNORECASE)


def _fields(schema: Any, handler: GetCoreSchemaHandler) -> dict[str, Any]:
    """The fields in the schema of a model, within what its validators add around them."""
    schema = handler.resolve_ref_schema(schema)
    while "fields" not in schema:
        schema = schema["schema"]
    fields: dict[str, Any] = schema["fields"]
    return fields


def _holds_number(annotation: Any) -> bool:
    """Whether a number or a duration may stand in the field, also in a mapping."""
    return not _WANTED.isdisjoint(_scalars(annotation)) or any(
        _holds_number(part)
        for inside in _members(annotation)
        if get_origin(inside) is dict
        for part in get_args(inside)
    )


def _refuse_guesses(annotation: Any, value: Any) -> Any:
    """The value; ValidationError that names each place in it where something would be guessed."""
    faults = [
        InitErrorDetails(type=PydanticCustomError("guessed", says), loc=loc, input=None)
        for loc, says in _guesses(annotation, value)
    ]
    if faults:
        raise ValidationError.from_exception_data("guessed", faults)
    return value


def _guesses(annotation: Any, value: Any) -> Iterator[tuple[tuple[str, ...], LiteralString]]:
    """What would be guessed in the value of a field, each by its place in it."""
    if isinstance(value, Mapping):
        for inside in _members(annotation):
            if get_origin(inside) is dict:
                of_keys, of_values = get_args(inside)
                for key, part in value.items():
                    if fault := _guess(_scalars(of_keys), key):
                        yield (str(key), "[key]"), fault
                    for loc, fault in _guesses(of_values, part):
                        yield (str(key), *loc), fault
    elif fault := _guess(_scalars(annotation), value):
        yield (), fault


def _guess(scalars: frozenset[type], value: Any) -> LiteralString | None:
    """Why the value is none that one of these types may have; None where it is, or where pydantic
    finds out itself."""
    wants_number, wants_duration = not _NUMBERS.isdisjoint(scalars), dt.timedelta in scalars
    if isinstance(value, bool):
        if bool in scalars or not (wants_number or wants_duration):
            return None
        return "must be a duration, such as PT1H" if wants_duration else "must be a number"
    if not isinstance(value, str) or str in scalars:
        return None
    if wants_duration and _UNEVEN_DURATION.match(value.strip()):
        return "must be a duration in weeks, days or less, such as P30D: months and years differ"
    if wants_number and not _NUMBER.fullmatch(value.strip()):
        return "must be a number in plain digits, such as 12 or 0.5"
    return None


def _scalars(annotation: Any) -> frozenset[type]:
    return frozenset(
        type(value)
        for inside in _members(annotation)
        if get_origin(inside) is Literal
        for value in get_args(inside)
    ) | frozenset(inside for inside in _members(annotation) if isinstance(inside, type))


def _members(annotation: Any) -> Iterator[Any]:
    """The types that a value may be of, without what is said about them."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _members(get_args(annotation)[0])
    elif origin in _UNIONS:
        for member in get_args(annotation):
            yield from _members(member)
    else:
        yield annotation


class NumbersAsWritten(BaseModel):
    """A model whose numbers and durations are no `true` or `false`, which Python counts as 1 and 0,
    and no text that is one only by guessing, such as 012, 1_0 or P1M."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        schema = handler(source)
        for name, field in _fields(schema, handler).items():
            annotation = cls.model_fields[name].annotation
            if _holds_number(annotation):
                # Within its default, without which it would have to be there.
                at = field["schema"] if field["schema"]["type"] == "default" else field
                at["schema"] = core_schema.no_info_before_validator_function(
                    functools.partial(_refuse_guesses, annotation), at["schema"]
                )
        return schema
