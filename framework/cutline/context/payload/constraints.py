"""The constraints of a field, from pydantic's metadata to (name, value) pairs."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from cutline.context.field_marks import Personal, Unit
from cutline.context.payload.pattern import ALLOWED, pattern_fault
from cutline.errors import ConfigurationError

_COMPARED = ("ge", "gt", "le", "lt")
_SIZED = ("min_length", "max_length")
_DIGITS = ("max_digits", "decimal_places")
_SUPPORTED = (*_COMPARED, "multiple_of", *_SIZED, "pattern", *_DIGITS)
_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "bigint": (*_COMPARED, "multiple_of"),
    "decimal": (*_COMPARED, "multiple_of", *_DIGITS),
    "date": _COMPARED,
    "timestamp": _COMPARED,
    "string": (*_SIZED, "pattern"),
    "array": _SIZED,
}


@dataclass
class FieldConstraints:
    """The declarations of a field beside its type; constraints in the order of declaration."""

    constraints: list[tuple[str, Any]] = field(default_factory=list)
    personal: bool = False
    unit: str = ""
    doc: str = ""

    def take(self, where: str, metadata: Iterable[Any]) -> None:
        """Add the metadata of an `Annotated` or a Field."""
        for item in metadata:
            if isinstance(item, Personal):
                self.personal = True
            elif isinstance(item, Unit):
                self.unit = item.name
            elif isinstance(item, FieldInfo):
                self.take_field(where, item)
            elif isinstance(item, Iterable):
                self.take(where, item)
            else:
                self.constraints += _constraints_of(where, item)

    def take_field(self, where: str, info: FieldInfo) -> None:
        """Add the declarations of a Field; ConfigurationError for an option that payloads lack."""
        if info.alias or info.validation_alias or info.serialization_alias:
            raise _payload_error(
                where, "has an alias", "It is published under its own name: rename it."
            )
        if info.exclude or info.discriminator:
            raise _payload_error(where, "is excluded or has a discriminator", "Leave that out.")
        if info.default_factory is not None or info.default not in (PydanticUndefined, None, ...):
            raise _payload_error(
                where,
                "has a default, which would be announced although no source says it",
                "Leave it out, or make the field optional: `… | None = None`.",
            )
        if isinstance(info.json_schema_extra, dict) and "personal" in info.json_schema_extra:
            raise _payload_error(
                where,
                "is marked as personal in a way that nobody reads",
                "Write Annotated[…, personal], with `from cutline.context import personal`.",
            )
        self.doc = self.doc or " ".join((info.description or "").split())
        self.take(where, info.metadata)

    def digits(self, where: str) -> tuple[int, int]:
        """The precision and scale of a Decimal; ConfigurationError if they are missing or wrong."""
        constraints = dict(self.constraints)
        most, places = constraints.get("max_digits"), constraints.get("decimal_places")
        if most is None or places is None:
            raise _payload_error(
                where,
                "is a Decimal without size",
                "Declare Field(max_digits=…, decimal_places=…): money is never guessed.",
            )
        if not 0 <= places <= most <= 38 or most < 1:
            raise _payload_error(
                where,
                f"has {most} digits, {places} of them decimal places, which no column holds",
                "At most 38 digits, and no more places than digits.",
            )
        return most, places

    def bounds(self, where: str, type: str, chosen: bool) -> tuple[tuple[str, Any], ...]:
        """The constraints but for digits; ConfigurationError for one that does not fit the type."""
        kind = type.split("(")[0].split("<")[0]
        allowed = () if chosen else _OF_KIND.get(kind, ())
        for name, value in self.constraints:
            if name not in allowed:
                raise _payload_error(
                    where,
                    f"carries {name}, which does not go with its type",
                    f"Use {', '.join(allowed) or 'no constraint'} here.",
                )
            _check_value(where, kind, name, value)
            if name in _COMPARED and kind == "decimal":
                scaled(where, type, name, Decimal(value))
        places = {name: value for name, value in self.constraints if name in _DIGITS}
        multiple = dict(self.constraints).get("multiple_of")
        if multiple is not None and kind == "decimal":
            _check_multiple(where, places, Decimal(multiple))
        return tuple((n, v) for n, v in self.constraints if n not in _DIGITS)


def scaled(where: str, type: str, name: str, bound: Decimal) -> Decimal | None:
    """A bound rounded to the scale of a decimal type, so that the comparison is exact.

    Null if every value of the type meets it; ConfigurationError if none does.

    >>> scaled("Paid.amount", "decimal(5,2)", "ge", Decimal("0.005"))
    Decimal('0.01')
    >>> scaled("Paid.amount", "decimal(5,2)", "le", Decimal("0.005"))
    Decimal('0.00')
    >>> scaled("Paid.amount", "decimal(5,2)", "le", Decimal(1000)) is None
    True
    """
    digits, places = (int(n) for n in type.removeprefix("decimal(").rstrip(")").split(","))
    # Rounded towards the values that meet the bound.
    rounding = ROUND_CEILING if name in ("ge", "lt") else ROUND_FLOOR
    context = Context(prec=400)
    at = bound.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=context)
    if at.copy_abs() < Decimal(1).scaleb(digits - places):
        return at
    if (at > 0) == (name in ("le", "lt")):
        return None
    raise _payload_error(
        where, f"has {name}={bound}, which no value of {type} meets", "Mend the bound."
    )


def _constraints_of(where: str, item: Any) -> Iterator[tuple[str, Any]]:
    attributes = vars(item) if hasattr(item, "__dict__") else _slot_values(item)
    constraints = {name: value for name, value in attributes.items() if value is not None}
    if not constraints or set(constraints) - set(_SUPPORTED):
        raise _payload_error(
            where,
            f"carries the constraint {item!r}, which columns cannot check",
            f"Use {', '.join(_SUPPORTED)}, a Literal, or an Enum.",
        )
    yield from constraints.items()


def _slot_values(item: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(item):
        return {}
    return {f.name: getattr(item, f.name) for f in dataclasses.fields(item)}


def _check_value(where: str, kind: str, name: str, value: Any) -> None:
    """ConfigurationError where the value of a constraint is not exact in the field's type."""
    if name == "pattern":
        fault = pattern_fault(value) if isinstance(value, str) else "a compiled pattern"
        if fault is not None:
            text = getattr(value, "pattern", value)
            raise _payload_error(
                where,
                f"has the pattern {text!r}: pydantic and Spark do not read {fault} in it the same",
                f"Allowed are {ALLOWED}.",
            )
    elif name not in (*_SIZED, *_DIGITS) and not _is_exact(kind, value):
        raise _payload_error(
            where,
            f"has {name}={value!r}, which is no exact value of its type",
            "Write a whole number, a Decimal, a date, or a datetime with its zone.",
        )


def _is_exact(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if kind == "bigint":
        return isinstance(value, int) and -(2**63) <= value < 2**63
    if kind == "decimal":
        return isinstance(value, int | Decimal) and Decimal(value).is_finite()
    if kind == "timestamp":
        return isinstance(value, dt.datetime) and value.tzinfo is not None
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _check_multiple(where: str, digits: Mapping[str, int], multiple: Decimal) -> None:
    # Python divides decimals with 28 digits, and pydantic refuses what needs more.
    exponent = multiple.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    if digits["max_digits"] - digits["decimal_places"] - min(exponent, 0) > 28:
        raise _payload_error(
            where,
            f"has multiple_of={multiple} and more digits than Python divides",
            "Declare fewer digits: 28 in the quotient at most.",
        )


def _payload_error(where: str, unsupported: str, instead: str) -> ConfigurationError:
    return ConfigurationError(f"payload {where} {unsupported}", next_step=instead)
