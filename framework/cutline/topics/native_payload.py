"""A native event's data, judged and written as its synthetic twin's would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Event, Header, Twin
from cutline.context.payload import PayloadField, payload_fields
from cutline.engine.payloads import Payload
from cutline.identity.columns import json_value
from cutline.sql.spark import in_small_letters, quoted
from cutline.topics.headers import mapped_header

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


def with_parsed_value(records: DataFrame, events: Iterable[type[Event]]) -> DataFrame:
    """The records with their `value` taken apart, once for all the events that it may be of."""
    names = sorted({f.name for event in events for f in payload_fields(event)})
    parsed = records.withColumn("parsed", F.try_parse_json("value")).withColumn(
        "names", F.json_object_keys("value")
    )
    return parsed.select(
        "*",
        *(F.variant_get("parsed", _path(n), "string").alias(_text_column(n)) for n in names),
        *(F.variant_get("parsed", _path(n), "variant").alias(_node_column(n)) for n in names),
    )


def payload_of(event: type[Event], twin: Twin | None = None) -> Column:
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
    read_fields = {f.name: _read_field(f) for f in fields}
    types = {f.name: f.type if _is_nested(f) else "string" for f in fields}
    live_payload = Payload(event if twin is None else twin.live, read_fields, types)
    values = live_payload if twin is None else _twin_payload(twin, read_fields, types)
    subject = F.lit(None).cast("string")
    unsaid = F.lit(None).cast("string")
    if twin is not None and twin.subject is not None:
        subject = _value(twin.subject, read_fields)
        unsaid = F.when(
            F.coalesce(subject, F.lit("")) == "", F.lit(f"payload:{name}: it says no subject")
        )
    fault = F.coalesce(
        F.when(~_is_object(), F.lit(f"payload:{name}: no JSON object")),
        _unknown_field_fault(name, fields),
        *(
            F.when(_is_other_type(f, read_fields[f.name]), F.lit(f"payload:{name}.{f.name}"))
            for f in fields
        ),
        live_payload.fault(),
        values.fault(),
        unsaid,
    )
    return F.struct(
        fault.alias("fault"),
        values.json().alias("data"),
        values.occurrence().alias("occurrence"),
        subject.alias("subject"),
    )


def _twin_payload(
    twin: Twin, read_fields: Mapping[str, Column], types: Mapping[str, str]
) -> Payload:
    """Our event's payload, from the fields and headers of the live one."""
    sources = {f.name: twin.source_of(f.name) for f in payload_fields(twin.of)}
    declared = {name: one for name, one in sources.items() if one is not None}
    return Payload(
        twin.of,
        {name: _value(one, read_fields) for name, one in declared.items()},
        {n: "string" if isinstance(one, Header) else types[one] for n, one in declared.items()},
    )


def _value(source: str | Header, read_fields: Mapping[str, Column]) -> Column:
    if isinstance(source, Header):
        return mapped_header(source.name)
    return read_fields[source]


def _read_field(field: PayloadField) -> Column:
    """The field as its JSON gives it: a text for a simple type, else a value of the type."""
    text = F.col(quoted(_text_column(field.name)))
    return F.from_json(text, field.type) if _is_nested(field) else text


def _is_other_type(field: PayloadField, value: Column) -> Column:
    """Whether the JSON value is not one that stands for the type; absence is not judged."""
    node = F.col(quoted(_node_column(field.name)))
    kind = F.schema_of_variant(node)
    present = node.isNotNull() & (kind != "VOID")
    if _is_nested(field):
        again = F.try_parse_json(json_value(value, field.type))
        return present & ~again.cast("string").eqNullSafe(node.cast("string"))
    simple = field.type.split("(")[0]
    unlike = ~kind.rlike(f"^({_KINDS.get(simple, _NUMBER)})$")
    if simple in _SHAPES:
        unlike = unlike | ~value.rlike(_SHAPES[simple])
    return present & unlike


def _is_nested(field: PayloadField) -> bool:
    return field.type.startswith(("array<", "struct<"))


def _is_object() -> Column:
    return F.coalesce(F.schema_of_variant("parsed").startswith("OBJECT"), F.lit(False))


def _unknown_field_fault(event: str, fields: tuple[PayloadField, ...]) -> Column:
    """The fault of a field that the payload's class does not have."""
    declared_names = F.array(*(F.lit(f.name) for f in fields)).cast("array<string>")
    strangers = F.array_except("names", declared_names)
    named = F.concat(F.lit(f"payload:{event}: unknown field "), F.get(strangers, 0))
    return F.when(F.size(strangers) > 0, named)


def _text_column(name: str) -> str:
    return f"text:{in_small_letters(name)}"


def _node_column(name: str) -> str:
    return f"node:{in_small_letters(name)}"


def _path(name: str) -> str:
    return f"$['{name}']"
