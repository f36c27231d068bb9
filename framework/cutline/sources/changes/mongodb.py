"""MongoDB by Debezium: documents are texts of extended JSON, and updates may be incomplete."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.images import array_at, as_map, overlay
from cutline.sources.changes.mend import with_mended_object
from cutline.spark import json_text

_TEXTS = {
    "_after": ("after",),
    "_before": ("before",),
    "_updated": ("updateDescription", "updatedFields"),
    "_patch": ("patch",),
}


def with_documents(records: DataFrame) -> DataFrame:
    """The records with their documents, which are texts, as variants."""
    for name, path in _TEXTS.items():
        records = with_mended_object(records, json_text.text(F.col("value"), *path), name)
    return records


_ID = f"try_parse_json({json_text.text_sql('key', 'id')})"
KEY = f"CASE WHEN {_ID} IS NOT NULL THEN to_variant_object(map('_id', {_ID})) END"
"""SQL for the record's key as a document: `id` is its text."""

BEFORE = "_before"
"""SQL for the document before."""

# An update of fields has those set, and those removed, which are null.
_SET = f"coalesce(_updated, {json_text.node_sql('_patch', '$set')})"
_REMOVED = f"""coalesce(
    transform({array_at("value", "updateDescription", "removedFields")},
              f -> {json_text.text_sql("f")}),
    map_keys({as_map(json_text.node_sql("_patch", "$unset"))}))"""
_NAMES = f"array_distinct({_REMOVED})"
_REMOVED_AS_NULLS = (
    f"transform_values(map_from_arrays({_NAMES}, {_NAMES}), (k, v) -> parse_json('null'))"
)
_EMPTY = "to_variant_object(CAST(map() AS map<string,variant>))"
_FIELDS = overlay(
    f"coalesce(to_variant_object({_REMOVED_AS_NULLS}), {_EMPTY})", f"coalesce({_SET}, {_EMPTY})"
)
_PARTLY = overlay(_FIELDS, f"coalesce({KEY}, {_EMPTY})")

PARTIAL = f"""{json_text.text_sql("value", "op")} = 'u'
    AND {json_text.text_sql("value", "after")} IS NULL"""
"""SQL for whether the record holds some fields only."""

# A path into a field, or a truncated array, is a part of that field only: the whole field is not
# known. Nor is a field that is removed without its name.
_TRUNCATED = array_at("value", "updateDescription", "truncatedArrays")
_INSIDE = f"""(coalesce(exists(map_keys({as_map(_SET)}), k -> contains(k, '.')), false)
    OR coalesce(exists({_REMOVED}, k -> k IS NULL OR contains(k, '.')), false)
    OR coalesce(size({_TRUNCATED}) > 0, false))"""

AFTER = f"CASE WHEN NOT ({PARTIAL}) THEN _after WHEN NOT {_INSIDE} THEN {_PARTLY} END"
"""SQL for the document after, or the fields of it that the record holds."""

_WRAPPED = r'^\{"\$(?:oid|symbol|numberLong|numberInt|numberDouble|numberDecimal)":"([^"]*)"\}$'
_DATE = r'^\{"\$date":(?:\{"\$numberLong":"(-?[0-9]{1,15})"\}|(-?[0-9]{1,15}))\}$'
_ISO = r'^\{"\$date":"([^"]*)"\}$'
_BYTES = r'^\{"\$binary":(?:"([^"]*)"|\{"base64":"([^"]*)")'


def plain_text(text: str, node: str) -> str:
    """SQL for the plain text of a value of extended JSON, of which `node` is the variant.

    Numbers are as written, times are ISO text or a count of milliseconds, bytes are in base64;
    other text is unchanged. Only an object wraps a value: a string may spell such an object.
    """
    in_object, bare = (f"nullif({_matched_group(text, _DATE, n)}, '')" for n in (1, 2))
    millis = f"coalesce({in_object}, {bare})"
    moment = f"CAST(timestamp_millis(CAST({millis} AS bigint)) AS string)"
    base64_text = f"concat({_matched_group(text, _BYTES, 1)}, {_matched_group(text, _BYTES, 2)})"
    return f"""CASE WHEN NOT coalesce(startswith({text}, '{{"$'), false) THEN {text}
        WHEN schema_of_variant({node}) = 'STRING' THEN {text}
        WHEN {text} RLIKE r'{_WRAPPED}' THEN {_matched_group(text, _WRAPPED, 1)}
        WHEN {text} RLIKE r'{_ISO}' THEN {_matched_group(text, _ISO, 1)}
        WHEN {text} RLIKE r'{_DATE}' THEN {moment}
        WHEN {text} RLIKE r'{_BYTES}' THEN {base64_text}
        ELSE {text} END"""


def _matched_group(text: str, pattern: str, group: int) -> str:
    return f"regexp_extract({text}, r'{pattern}', {group})"
