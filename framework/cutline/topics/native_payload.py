"""A native event's data, judged and written as its synthetic twin's would be."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Event
from cutline.context.payload import PayloadField, payload_fields
from cutline.engine.payloads import Payload
from cutline.identity.columns import json_value

RFC_3339 = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6}0*)?(Z|[+-]\d{2}:\d{2})$"

# What Spark calls the JSON values that may stand for a type, and what a text must look like. A
# number that Spark can only hold as a DOUBLE is none: it may have lost digits.
_TEXT, _WHOLE, _NUMBER = "STRING", r"BIGINT|DECIMAL\(.*", r"STRING|BIGINT|DECIMAL\(.*"
_KINDS = {
    "string": _TEXT,
    "boolean": "BOOLEAN",
    "bigint": _WHOLE,
    "timestamp": _TEXT,
    "date": _TEXT,
}
_SHAPES = {"timestamp": RFC_3339, "date": r"^\d{4}-\d{2}-\d{2}$", "decimal": r"^-?\d+(\.\d+)?$"}


def payload(event: type[Event], value: Column) -> Column:
    """A struct of `fault`, `data` and `occurrence` of a payload that stands as JSON text.

    `fault` names the first field that breaks the payload's class and is null where none does.
    `data` is canonical JSON typed by the class, so equal facts have equal text. `occurrence` is
    what goes into the fact key.

    A whole or decimal number may be written as a number, or a decimal as text. What is nested must
    be written as canonical JSON writes it, save for blanks and the order of keys.
    """
    fields = payload_fields(event)
    parsed = F.try_parse_json(value)
    given = {f.name: _Given(f, parsed) for f in fields}
    made = Payload(event, {n: g.column for n, g in given.items()}, f"native {event.__name__}")
    name = event.__name__
    unlike = [F.when(given[f.name].unlike(), F.lit(f"payload:{name}.{f.name}")) for f in fields]
    fault = F.coalesce(
        F.when(~_is_object(parsed), F.lit(f"payload:{name}: no JSON object")),
        _stranger(name, value, fields),
        *unlike,
        made.fault(),
    )
    return F.struct(
        fault.alias("fault"), made.json().alias("data"), made.occurrence().alias("occurrence")
    )


class _Given:
    """One field as the JSON gives it: a text for simple types, else a value of its type."""

    def __init__(self, field: PayloadField, parsed: Column) -> None:
        path = f"$['{field.name}']"
        self._type = field.type
        self._node = F.variant_get(parsed, path, "variant")
        text = F.variant_get(parsed, path, "string")
        self._nested = field.type.startswith(("array<", "struct<"))
        self.column = F.from_json(text, field.type) if self._nested else text

    def unlike(self) -> Column:
        """Whether the JSON value is not one that stands for the type; absence is not judged."""
        kind = F.schema_of_variant(self._node)
        there = self._node.isNotNull() & (kind != "VOID")
        if self._nested:
            again = F.try_parse_json(json_value(self.column, self._type))
            return there & ~again.cast("string").eqNullSafe(self._node.cast("string"))
        simple = self._type.split("(")[0]
        unlike = ~kind.rlike(f"^({_KINDS.get(simple, _NUMBER)})$")
        if simple in _SHAPES:
            unlike = unlike | ~self.column.rlike(_SHAPES[simple])
        return there & unlike


def _is_object(parsed: Column) -> Column:
    return F.coalesce(F.schema_of_variant(parsed).startswith("OBJECT"), F.lit(False))


def _stranger(event: str, value: Column, fields: tuple[PayloadField, ...]) -> Column:
    """The fault of a field that the payload's class does not have."""
    known = F.array(*(F.lit(f.name) for f in fields)).cast("array<string>")
    strangers = F.array_except(F.json_object_keys(value), known)
    named = F.concat(F.lit(f"payload:{event}: unknown field "), F.get(strangers, 0))
    return F.when(F.size(strangers) > 0, named)
