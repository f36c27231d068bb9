"""Canal's flat messages: several rows of one table in a record, values as text."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.sources.changes.envelope import (
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
    to_envelope,
)
from cutline.sources.changes.images import array_at, is_object, overlay, text
from cutline.sources.changes.moments import counted_moment
from cutline.sources.changes.position_sql import TOPIC_POSITION
from cutline.sources.changes.statements import changed_tables, replaces_table

EXPECTED = "a change has `type`, `table` and its rows in `data`"


def envelopes(records: DataFrame) -> DataFrame:
    """One row per row of each record, and one for a record without rows.

    `old` holds the former values of the row's changed columns: the image before is the one after,
    overlaid with these. Of a deletion, `old` may hold the row instead of `data`. A record of rows
    that holds none becomes one row without images.
    """
    data, old = array_at("value", "data"), array_at("value", "old")
    row_count = f"greatest(coalesce(size({data}), 0), coalesce(size({old}), 0), 1)"
    items = f"CASE WHEN {_TYPE} IN ({_ROWS}) THEN sequence(0, {row_count} - 1) ELSE array(0) END"
    spread = records.selectExpr("*", f"explode({items}) AS item").selectExpr(
        "*", f"get({data}, item) AS row", f"get({old}, item) AS old"
    )
    deleted_row = f"WHEN {_TYPE} = 'DELETE' AND {is_object('old')} THEN old"
    split = spread.selectExpr(
        "*", f"CASE WHEN {is_object('row')} THEN row {deleted_row} END AS image"
    )
    deleted = f"{_TYPE} = 'DELETE'"
    before = f"CASE WHEN {_TYPE} = 'UPDATE' THEN {overlay('image', 'old')}"
    fields = {
        "item": "item",
        "kind": _KIND,
        "op": f"CASE {_TYPE} WHEN 'INSERT' THEN 'c' WHEN 'UPDATE' THEN 'u' ELSE 'd' END",
        "table": _TABLE,
        "named": _NAMED,
        "schema": text("database"),
        "position": TOPIC_POSITION,
        "transaction": f"nullif({text('gtid')}, '')",
        "committed": counted_moment(f"try_cast({text('es')} AS bigint)", 10**3),
        "before": f"{before} WHEN {deleted} THEN image END",
        "after": f"CASE WHEN NOT {deleted} THEN image END",
    }
    return to_envelope(split, fields)


_TYPE, _TABLE = text("type"), text("table")
_ROWS = "'INSERT', 'UPDATE', 'DELETE'"
# Creating a table or an index changes no row, unless it replaces a table; a query is a statement
# whose record names no table.
_HARMLESS = "'CREATE', 'CINDEX', 'DINDEX', 'QUERY'"
# `isDdl` is unreliable: statements are marked as data, and only the type shows them.
_STATEMENTS = f"{_HARMLESS}, 'ALTER', 'ERASE', 'RENAME'"
_OTHERS = "'GTID', 'XACOMMIT', 'XAROLLBACK', 'MHEARTBEAT'"
_SQL = text("sql")
_TABLES = f"array_compact(array(nullif({_TABLE}, '')))"
# Of several tables the record names the first, and of a database none.
_NAMED = f"""CASE WHEN {_TYPE} IN ({_ROWS}, {_OTHERS}, 'CINDEX', 'DINDEX') THEN NULL
    WHEN {_TYPE} <> 'CREATE' THEN {changed_tables(_SQL, _TABLES)}
    WHEN {replaces_table(_SQL)} THEN {_TABLES} END"""
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IN ({_OTHERS}) THEN '{OTHER}'
    WHEN {_TYPE} IN ({_HARMLESS}) THEN '{STRUCTURE}'
    WHEN {_TYPE} IS NULL OR {_TABLE} IS NULL THEN NULL
    WHEN {_TYPE} = 'TRUNCATE' THEN '{TRUNCATE}'
    WHEN {_TYPE} IN ({_ROWS}) THEN '{ROW}'
    WHEN {_TYPE} IN ({_STATEMENTS}) OR {text("isDdl")} = 'true' THEN '{STRUCTURE}'
    ELSE '{UNKNOWN_OP}' END"""
