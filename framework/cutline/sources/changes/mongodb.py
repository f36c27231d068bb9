"""MongoDB through Debezium: documents are texts of extended JSON, updates may tell fields only."""

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
    """The records with the documents that they hold as texts, as variants."""
    for name, path in _TEXTS.items():
        records = with_mended_object(records, json_text.text(F.col("value"), *path), name)
    return records


_ID = f"try_parse_json({json_text.text_sql('key', 'id')})"
KEY = f"CASE WHEN {_ID} IS NOT NULL THEN to_variant_object(map('_id', {_ID})) END"
"""SQL for the record's key as a document: `id` is its text."""

BEFORE = "_before"
"""SQL for the document before."""

# What an update of fields tells: those set, and those taken away, which are null.
_SET = f"coalesce(_updated, {json_text.node_sql('_patch', '$set')})"
_REMOVED = f"""coalesce(
    transform({array_at("value", "updateDescription", "removedFields")},
              f -> {json_text.text_sql("f")}),
    map_keys({as_map(json_text.node_sql("_patch", "$unset"))}))"""
_GONE = f"transform_values(map_from_arrays({_REMOVED}, {_REMOVED}), (k, v) -> parse_json('null'))"
_EMPTY = "to_variant_object(CAST(map() AS map<string,variant>))"
_FIELDS = overlay(f"coalesce(to_variant_object({_GONE}), {_EMPTY})", f"coalesce({_SET}, {_EMPTY})")
_PARTLY = overlay(_FIELDS, f"coalesce({KEY}, {_EMPTY})")

PARTIAL = f"""{json_text.text_sql("value", "op")} = 'u'
    AND {json_text.text_sql("value", "after")} IS NULL"""
"""SQL for whether only fields were told."""

# A path into a field, or an array cut short, tells a part of that field only: neither what it is
# now, nor that it stayed as it was.
_TRUNCATED = array_at("value", "updateDescription", "truncatedArrays")
_INSIDE = f"""(coalesce(exists(map_keys({as_map(_SET)}), k -> contains(k, '.')), false)
    OR coalesce(exists({_REMOVED}, k -> contains(k, '.')), false)
    OR coalesce(size({_TRUNCATED}) > 0, false))"""

AFTER = f"CASE WHEN NOT ({PARTIAL}) THEN _after WHEN NOT {_INSIDE} THEN {_PARTLY} END"
"""SQL for the document after, or what was told of it."""

_ONE = r'^\{"\$(?:oid|symbol|numberLong|numberInt|numberDouble|numberDecimal)":"([^"]*)"\}$'
_DATE = r'^\{"\$date":(?:\{"\$numberLong":"(-?[0-9]{1,15})"\}|(-?[0-9]{1,15}))\}$'
_ISO = r'^\{"\$date":"([^"]*)"\}$'
_BYTES = r'^\{"\$binary":(?:"([^"]*)"|\{"base64":"([^"]*)")'


def plain_text(text: str) -> str:
    """SQL for the plain text of a value of extended JSON: numbers as written, moments as ISO text
    or as a count of milliseconds, bytes in base64; any other text as it is."""
    in_object, bare = (f"nullif({_matched_group(text, _DATE, n)}, '')" for n in (1, 2))
    millis = f"coalesce({in_object}, {bare})"
    moment = f"CAST(timestamp_millis(CAST({millis} AS bigint)) AS string)"
    base64_text = f"concat({_matched_group(text, _BYTES, 1)}, {_matched_group(text, _BYTES, 2)})"
    return f"""CASE WHEN NOT coalesce(startswith({text}, '{{"$'), false) THEN {text}
        WHEN {text} RLIKE r'{_ONE}' THEN {_matched_group(text, _ONE, 1)}
        WHEN {text} RLIKE r'{_ISO}' THEN {_matched_group(text, _ISO, 1)}
        WHEN {text} RLIKE r'{_DATE}' THEN {moment}
        WHEN {text} RLIKE r'{_BYTES}' THEN {base64_text}
        ELSE {text} END"""


def _matched_group(text: str, pattern: str, group: int) -> str:
    return f"regexp_extract({text}, r'{pattern}', {group})"
