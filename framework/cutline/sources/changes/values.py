"""Values of changes in the contract's types, by the connector's modes: exact, or null."""

from __future__ import annotations

from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources.changes.decimals import scaled_text, unscaled_text
from cutline.sources.changes.modes import Modes
from cutline.sources.changes.mongodb import plain_text
from cutline.sources.changes.times import date_value, timestamp_value
from cutline.sources.exact_cast import cast_text, castable_from_text
from cutline.spark import json_text
from cutline.sql.spark import let

DOUBLE_DIGITS = 15
"""The number of decimal digits that a double always keeps."""
_SCALE = "^-?[0-9]{1,3}$"


def column_text(variant: str, name: str, modes: Modes) -> str:
    """SQL for the text of a column in an image, for defects and older shapes."""
    return text_at(variant, (name,), modes)


def text_at(variant: str, path: tuple[str, ...], modes: Modes) -> str:
    """SQL for the text at a path of a variant."""
    text = json_text.text_sql(variant, *path)
    return plain_text(text, json_text.node_sql(variant, *path)) if modes.documents else text


def column_value(variant: str, name: str, text: str, ddl: str, modes: Modes) -> str:
    """SQL for the value of a column in an image; `text` is SQL for its text.

    Null for a missing value, and for one that cannot be read without loss.
    """
    kind = T.DataType.fromDDL(ddl) if _depends_on_modes(ddl) else None
    if isinstance(kind, T.StructType | T.ArrayType | T.MapType):
        return nested_value(variant, name, kind, modes)
    number = json_text.is_number_sql(variant, name)
    return scalar_value(text, number, name, ddl, modes)


def scalar_value(text: str, number: str, name: str, ddl: str, modes: Modes) -> str:
    """SQL for a value that is no struct, array or map."""
    if not _depends_on_modes(ddl):
        return cast_text(text, ddl)
    match T.DataType.fromDDL(ddl):
        case T.DecimalType() as kind if modes.decimals == "precise":
            return _precise_decimal(text, number, kind, ddl)
        case T.DateType():
            return date_value(text, number, modes)
        case T.TimestampType() | T.TimestampNTZType():
            return timestamp_value(text, number, ddl, name, modes)
        case T.BinaryType():
            return _binary_value(text, modes)
        case _:
            return cast_text(text, ddl)


def refuse_unreadable(contract: str, columns: dict[str, str], modes: Modes, key: str) -> None:
    """ConfigurationError for a type that the change file cannot give."""
    for name, ddl in columns.items():
        if not _readable(ddl):
            raise ConfigurationError(
                f"contract {contract}: column {name!r} is {ddl}, which a change file cannot give",
                next_step="Declare it as text and take it apart in the translator.",
            )
        if modes.decimals == "double" and _digits(ddl) > DOUBLE_DIGITS:
            raise ConfigurationError(
                f"contract {contract}: column {name!r} is {ddl}, of which a double keeps "
                f"{DOUBLE_DIGITS} digits, and {key}.decimals is double",
                next_step="Have the connector write decimals as `string` or `precise`.",
            )


def nested_value(variant: str, name: str | None, kind: T.DataType, modes: Modes) -> str:
    """SQL for a struct, an array or a map; null if a part of it cannot be read.

    The value may be a text that holds JSON, as Debezium writes a database's own JSON.
    """
    path = () if name is None else (name,)
    node = json_text.node_sql(variant, *path)
    parsed = json_text.parsed_sql(json_text.text_sql(variant, *path))
    whole = f"CASE WHEN schema_of_variant({node}) = 'STRING' THEN {parsed} ELSE {node} END"
    value, bad = _nested_parts("n", kind, modes)
    readable = f"CASE WHEN NOT ({bad}) THEN {value} END"
    return let("n", whole, readable)


def _nested_parts(node: str, kind: T.DataType, modes: Modes, depth: int = 0) -> tuple[str, str]:
    """SQL for the value of a node, and for whether a part of it cannot be read."""
    ddl = kind.simpleString()
    item = f"e{depth}"
    present = f"({node} IS NOT NULL AND NOT is_variant_null({node}))"
    match kind:
        case T.StructType(fields=fields):
            inside = [
                (
                    f.name,
                    *_nested_parts(json_text.node_sql(node, f.name), f.dataType, modes, depth + 1),
                )
                for f in fields
            ]
            shape = f"try_variant_get({node}, '$', 'map<string,variant>')"
            values = ", ".join(f"'{n}', {value}" for n, value, _ in inside)
            typed = f"CAST(named_struct({values}) AS {ddl})"
            any_bad = " OR ".join(bad for _, _, bad in inside) or "false"
        case T.ArrayType(elementType=element):
            shape = f"try_variant_get({node}, '$', 'array<variant>')"
            value, bad = _nested_parts(item, element, modes, depth + 1)
            typed = f"CAST(transform({shape}, {item} -> {value}) AS {ddl})"
            any_bad = f"exists({shape}, {item} -> {bad})"
        case T.MapType(valueType=element):
            shape = f"try_variant_get({node}, '$', 'map<string,variant>')"
            value, bad = _nested_parts(item, element, modes, depth + 1)
            typed = f"CAST(transform_values({shape}, (k, {item}) -> {value}) AS {ddl})"
            any_bad = f"exists(map_values({shape}), {item} -> {bad})"
        case _:
            text = text_at(node, (), modes)
            value = scalar_value(text, json_text.is_number_sql(node), "", ddl, modes)
            return value, f"({text} IS NOT NULL AND {value} IS NULL)"
    bad = f"({present} AND ({shape} IS NULL OR {any_bad}))"
    return f"CASE WHEN {present} THEN {typed} END", f"coalesce({bad}, false)"


def _precise_decimal(text: str, number: str, kind: T.DecimalType, ddl: str) -> str:
    """SQL for a decimal in base64, with the column's scale or, of an object, its own; numbers as
    written.
    """
    beside = f"get_json_object({text}, '$.scale')"
    scale = f"CASE WHEN {beside} RLIKE '{_SCALE}' THEN CAST({beside} AS int) END"
    variable = scaled_text(unscaled_text(f"get_json_object({text}, '$.value')"), scale)
    fixed = scaled_text(unscaled_text(text), str(kind.scale))
    coded = f"CASE WHEN startswith({text}, '{{') THEN {variable} ELSE {fixed} END"
    written = f"CASE WHEN {number} THEN {text} ELSE {coded} END"
    return let("c", written, cast_text("c", ddl))


def _binary_value(text: str, modes: Modes) -> str:
    match modes.binary:
        case "base64":
            return f"try_to_binary({text}, 'base64')"
        case "base64-url-safe":
            return f"try_to_binary(translate({text}, '-_', '+/'), 'base64')"
        case "hex":
            return f"try_to_binary({text}, 'hex')"
        case "latin1":
            only = r"(?s)^[\x00-\xff]*$"
            return f"CASE WHEN {text} RLIKE r'{only}' THEN encode({text}, 'ISO-8859-1') END"


_KINDS = ("decimal", "date", "timestamp", "timestamp_ntz", "binary", "struct", "array", "map")


def _depends_on_modes(ddl: str) -> bool:
    """Whether modes affect the type; decided by its name, so that no session is needed."""
    return _name(ddl) in _KINDS


def _readable(ddl: str) -> bool:
    return castable_from_text(ddl) or _name(ddl) in _KINDS


def _name(ddl: str) -> str:
    return ddl.partition("(")[0].partition("<")[0].strip().lower()


def _digits(ddl: str) -> int:
    if _name(ddl) != "decimal":
        return 0
    return int(ddl.partition("(")[2].partition(",")[0].rstrip(")") or 10)
