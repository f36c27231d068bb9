"""SQL for parts of a record: texts, and images as variants."""

from __future__ import annotations

from cutline.spark import json_text
from cutline.sql.spark import let, literal

_MAP = "map<string,variant>"


def is_object(variant: str) -> str:
    """SQL for whether a variant is an object; false for null."""
    return f"coalesce(startswith(schema_of_variant({variant}), 'OBJECT'), false)"


def text(*path: str) -> str:
    """SQL for the text at a path of the record; null without one."""
    return json_text.text_sql("value", *path)


def object_at(column: str, *path: str) -> str:
    """SQL for the object at a path; null for anything else."""
    node = json_text.node_sql(column, *path)
    return f"CASE WHEN {is_object(node)} THEN {node} END"


def overlay(below: str, above: str) -> str:
    """SQL for an object with the fields of `above`, and of `below` where `above` lacks them.

    Null if one of them is null.
    """
    below_fields, above_fields = as_map(below), as_map(above)
    rest = f"map_filter({below_fields}, (k, v) -> NOT map_contains_key({above_fields}, k))"
    return f"to_variant_object(map_concat({rest}, {above_fields}))"


def with_prefix(variant: str, prefix: str, own_names: str) -> str:
    """SQL for the fields whose names begin with a prefix, named without it; null if there are none.

    Names in `own_names`, SQL for an array, are the table's own, whatever they begin with.
    """
    fields = f"map_filter({as_map(variant)}, (k, v) -> {_has_prefix(prefix, own_names)})"
    bare = f"transform_keys({fields}, (k, v) -> substr(k, {len(prefix) + 1}))"
    return f"CASE WHEN size({fields}) > 0 THEN to_variant_object({bare}) END"


def without_prefix(variant: str, prefix: str, own_names: str) -> str:
    """SQL for the fields that `with_prefix` leaves out."""
    rest = f"map_filter({as_map(variant)}, (k, v) -> NOT ({_has_prefix(prefix, own_names)}))"
    return f"to_variant_object({rest})"


def _has_prefix(prefix: str, own_names: str) -> str:
    return f"startswith(k, {literal(prefix)}) AND NOT array_contains({own_names}, k)"


def as_map(variant: str) -> str:
    """SQL for an object's fields by name; null for anything but an object."""
    return f"try_variant_get({variant}, '$', '{_MAP}')"


def array_at(column: str, *path: str) -> str:
    """SQL for the array at a path; null for anything else."""
    node = json_text.node_sql(column, *path)
    return f"try_variant_get({node}, '$', 'array<variant>')"


def object_of(names: str, values: str) -> str:
    """SQL for an object from an array of names and one of values.

    Null if one of them is null, if they differ in length, and for a name that is null or comes
    twice.
    """
    unique = "size(array_distinct(array_compact(o.names))) = size(o.names)"
    whole = f"size(o.names) = size(o.fields) AND {unique}"
    lists = f"named_struct('names', {names}, 'fields', {values})"
    of = f"CASE WHEN {whole} THEN to_variant_object(map_from_arrays(o.names, o.fields)) END"
    return let("o", lists, of)
