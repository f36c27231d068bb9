"""A native event's data, judged and written as its synthetic twin's would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Event, Header, Twin
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


def opened(records: DataFrame, events: Iterable[type[Event]]) -> DataFrame:
    """The records with their `value` taken apart, once for all the events that it may be of."""
    names = sorted({f.name for event in events for f in payload_fields(event)})
    parsed = records.withColumn("parsed", F.try_parse_json("value")).withColumn(
        "names", F.json_object_keys("value")
    )
    return parsed.select(
        "*",
        *(F.variant_get("parsed", _path(n), "string").alias(f"text:{n}") for n in names),
        *(F.variant_get("parsed", _path(n), "variant").alias(f"node:{n}") for n in names),
    )


def payload(event: type[Event], twin: Twin | None = None) -> Column:
    """What an opened record says as an event's payload: `fault`, `data`, `occurrence`, `subject`.

    `fault` names the first field that breaks the payload's class and is null where none does.
    `data` is JSON typed by the class, so equal facts have equal text; `occurrence` is what goes
    into the fact key. Both are rough: `cutline.identity.columns.finished` makes them canonical.

    A whole or decimal number may be written as a number, or a decimal as text. What is nested must
    be written as canonical JSON writes it, save for blanks and the order of keys.

    With a `twin`, the record is judged as the live event that it is, and `data` and `occurrence`
    are those of our event. `subject` is our subject where the twin says it, else null.
    """
    fields = payload_fields(event if twin is None else twin.live)
    name = event.__name__ if twin is None else twin.live.__name__
    given = {f.name: _given(f) for f in fields}
    types = {f.name: f.type if _is_nested(f) else "string" for f in fields}
    own = Payload(event if twin is None else twin.live, given, types)
    made = own if twin is None else _translated(twin, given, types)
    subject = F.lit(None).cast("string")
    unsaid = F.lit(None).cast("string")
    if twin is not None and twin.subject is not None:
        subject = _value(twin.subject, given)
        unsaid = F.when(
            F.coalesce(subject, F.lit("")) == "", F.lit(f"payload:{name}: it says no subject")
        )
    fault = F.coalesce(
        F.when(~_is_object(), F.lit(f"payload:{name}: no JSON object")),
        _stranger(name, fields),
        *(F.when(_unlike(f, given[f.name]), F.lit(f"payload:{name}.{f.name}")) for f in fields),
        own.fault(),
        made.fault(),
        unsaid,
    )
    return F.struct(
        fault.alias("fault"),
        made.json().alias("data"),
        made.occurrence().alias("occurrence"),
        subject.alias("subject"),
    )


def _translated(twin: Twin, given: Mapping[str, Column], types: Mapping[str, str]) -> Payload:
    """Our event's payload, from the fields and headers of the live one."""
    taken = {f.name: twin.taken_from(f.name) for f in payload_fields(twin.of)}
    said = {name: one for name, one in taken.items() if one is not None}
    return Payload(
        twin.of,
        {name: _value(one, given) for name, one in said.items()},
        {n: "string" if isinstance(one, Header) else types[one] for n, one in said.items()},
    )


def _value(taken: str | Header, given: Mapping[str, Column]) -> Column:
    if isinstance(taken, Header):
        return F.try_element_at(F.col("headers"), F.lit(taken.name))
    return given[taken]


def _given(field: PayloadField) -> Column:
    """The field as its JSON gives it: a text for a simple type, else a value of the type."""
    text = F.col(f"`text:{field.name}`")
    return F.from_json(text, field.type) if _is_nested(field) else text


def _unlike(field: PayloadField, given: Column) -> Column:
    """Whether the JSON value is not one that stands for the type; absence is not judged."""
    node = F.col(f"`node:{field.name}`")
    kind = F.schema_of_variant(node)
    there = node.isNotNull() & (kind != "VOID")
    if _is_nested(field):
        again = F.try_parse_json(json_value(given, field.type))
        return there & ~again.cast("string").eqNullSafe(node.cast("string"))
    simple = field.type.split("(")[0]
    unlike = ~kind.rlike(f"^({_KINDS.get(simple, _NUMBER)})$")
    if simple in _SHAPES:
        unlike = unlike | ~given.rlike(_SHAPES[simple])
    return there & unlike


def _is_nested(field: PayloadField) -> bool:
    return field.type.startswith(("array<", "struct<"))


def _is_object() -> Column:
    return F.coalesce(F.schema_of_variant("parsed").startswith("OBJECT"), F.lit(False))


def _stranger(event: str, fields: tuple[PayloadField, ...]) -> Column:
    """The fault of a field that the payload's class does not have."""
    known = F.array(*(F.lit(f.name) for f in fields)).cast("array<string>")
    strangers = F.array_except("names", known)
    named = F.concat(F.lit(f"payload:{event}: unknown field "), F.get(strangers, 0))
    return F.when(F.size(strangers) > 0, named)


def _path(name: str) -> str:
    return f"$['{name}']"
