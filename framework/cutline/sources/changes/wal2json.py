"""wal2json: PostgreSQL's changes, one transaction a record (format 1) or one row (format 2).

The format is recognised by a record's fields. An update lacks the columns whose value is an
unchanged TOAST value, so missing columns are unknown. Format 1 does not record truncations. Source:
the README and the expected regression results of eulerto/wal2json.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.project.changes import Wal2JsonChanges
from cutline.sources.changes.envelope import (
    BEGIN,
    END,
    OTHER,
    ROW,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
    to_envelope,
)
from cutline.sources.changes.images import array_at, object_of, text
from cutline.sources.changes.logical_decoding import lsn, place_in_commit, row_position
from cutline.sources.changes.position_sql import ZERO, position
from cutline.sources.exact_cast import cast_text
from cutline.spark import json_text

EXPECTED = (
    "written with include-xids, include-lsn and include-timestamp, a record of format 2 has "
    "`action`, `xid` and `lsn`, one of format 1 `xid`, `nextlsn` and its rows in `change`"
)


def envelopes(records: DataFrame, section: Wal2JsonChanges) -> DataFrame:
    """One row per record of format 2; of format 1, one row per changed row, and at least one a
    record.
    """
    rows = f"CASE WHEN {_IS_FORMAT_1} THEN {array_at('value', 'change')} END"
    spread = records.selectExpr("*", f"posexplode_outer({rows}) AS (at, row)")
    after = _image(section, "columns", "column")
    before = _image(section, "identity", "key", "oldkeys")
    images = spread.selectExpr("*", f"{after} AS new_image", f"{before} AS old_image")
    first = position(place_in_commit(_NEXT), ZERO, "CAST(coalesce(at, 0) AS string)")
    fields = {
        "item": "coalesce(at, 0)",
        "kind": _KIND,
        "op": _OP,
        "table": f"coalesce({text('table')}, {json_text.text_sql('row', 'table')})",
        "schema": f"coalesce({text('schema')}, {json_text.text_sql('row', 'schema')})",
        "position": f"CASE WHEN {_IS_FORMAT_1} THEN {first} ELSE {row_position(_LSN)} END",
        "numbered": _IS_FORMAT_1,
        "transaction": text("xid"),
        "last": f"CASE WHEN {_IS_FORMAT_1} THEN true END",
        "lsn": f"CASE WHEN {_ACTION} = 'C' THEN {_LSN} END",
        "committed": cast_text(text("timestamp"), "timestamp"),
        "before": "old_image",
        "after": f"CASE WHEN {_OP} <> 'd' THEN new_image END",
        "partial": f"coalesce({_OP} = 'u', false)",
        "unreadable": f"CASE WHEN old_image IS NULL AND {_HAS_OLD} THEN 'no-image' END",
    }
    return to_envelope(images, fields)


def _image(section: Wal2JsonChanges, column_list: str, prefix: str, *path: str) -> str:
    """SQL for an image as an object.

    Format 2 has an object per column in `column_list`; format 1 has three lists at `path` of a row,
    whose names begin with `prefix`.
    """
    listed = array_at("value", column_list)
    parts = ("name", "value", "type")
    name, value, kind = (
        f"transform({listed}, c -> {json_text.node_sql('c', part)})" for part in parts
    )
    names, values, kinds = (array_at("row", *path, f"{prefix}{part}s") for part in parts)
    format_2 = _object(section, name, value, kind)
    format_1 = _object(section, names, values, kinds)
    return f"CASE WHEN {_IS_FORMAT_1} THEN {format_1} ELSE {format_2} END"


def _object(section: Wal2JsonChanges, names: str, values: str, kinds: str) -> str:
    """SQL for an object from lists of names, values and types; null without lists, and for lists
    that do not fit together.
    """
    if section.numbers == "json":
        unclear = f"is_variant_null(v) AND {json_text.text_sql(f'get({kinds}, i)')} IN ({_FLOATS})"
        values = f"transform({values}, (v, i) -> CASE WHEN {unclear} THEN {_UNCLEAR} ELSE v END)"
    keys = f"transform({names}, n -> {json_text.text_sql('n')})"
    return object_of(keys, values)


_FLOATS = "'real', 'double precision', 'float4', 'float8'"
# No number is spelled so: the row is quarantined with the column's name.
_UNCLEAR = "parse_json('\"null, NaN or an infinity\"')"

_ACTION, _LSN, _NEXT = text("action"), lsn(text("lsn")), lsn(text("nextlsn"))
_IS_FORMAT_1 = f"({_ACTION} IS NULL AND {array_at('value', 'change')} IS NOT NULL)"
_HAS_OLD = (
    f"coalesce({array_at('value', 'identity')}, {array_at('row', 'oldkeys', 'keynames')})"
    " IS NOT NULL"
)
_CHANGE = json_text.text_sql("row", "kind")
_OP = (
    f"CASE coalesce({_ACTION}, {_CHANGE}) WHEN 'I' THEN 'c' WHEN 'insert' THEN 'c'"
    " WHEN 'U' THEN 'u' WHEN 'update' THEN 'u' WHEN 'D' THEN 'd' WHEN 'delete' THEN 'd' END"
)
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_IS_FORMAT_1} THEN CASE
        WHEN {text("xid")} IS NULL OR {_NEXT} IS NULL THEN NULL
        WHEN row IS NULL OR {_CHANGE} = 'message' THEN '{OTHER}'
        WHEN {_CHANGE} = 'truncate' THEN '{TRUNCATE}'
        WHEN {_OP} IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END
    WHEN {_ACTION} = 'M' THEN '{OTHER}'
    WHEN {_ACTION} IS NULL OR {text("xid")} IS NULL OR {_LSN} IS NULL THEN NULL
    WHEN {_ACTION} = 'B' THEN '{BEGIN}'
    WHEN {_ACTION} = 'C' THEN '{END}'
    WHEN {_ACTION} = 'T' THEN '{TRUNCATE}'
    WHEN {_OP} IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""
