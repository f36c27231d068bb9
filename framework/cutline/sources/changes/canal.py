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
    enveloped,
)
from cutline.sources.changes.images import elements, is_object, overlaid, text
from cutline.sources.changes.placing import KAFKA

EXPECTED = "a change has `type`, `table` and its rows in `data`"


def envelopes(records: DataFrame) -> DataFrame:
    """One row per row of each record, one for a record without rows.

    `old` holds what the row's changed columns had before: the image before is the one after, with
    these laid over it.
    """
    rows = f"CASE WHEN {_TYPE} IN ({_ROWS}) THEN {elements('value', 'data')} END"
    spread = records.selectExpr("*", f"posexplode_outer({rows}) AS (at, row)")
    olds = f"get({elements('value', 'old')}, at)"
    split = spread.selectExpr(
        "*", "coalesce(at, 0) AS item", f"CASE WHEN {is_object('row')} THEN row END AS image"
    ).selectExpr("*", f"{olds} AS old")
    deleted = f"{_TYPE} = 'DELETE'"
    before = f"CASE WHEN {_TYPE} = 'UPDATE' THEN {overlaid('image', 'old')}"
    told = {
        "item": "item",
        "kind": _KIND,
        "op": f"CASE {_TYPE} WHEN 'INSERT' THEN 'c' WHEN 'UPDATE' THEN 'u' ELSE 'd' END",
        "table": _TABLE,
        "named": f"CASE WHEN {_TYPE} NOT IN ({_HARMLESS}) THEN array({_TABLE}) END",
        "schema": text("database"),
        "position": KAFKA,
        "transaction": f"nullif({text('gtid')}, '')",
        "committed": f"timestamp_millis(try_cast({text('es')} AS bigint))",
        "before": f"{before} WHEN {deleted} THEN image END",
        "after": f"CASE WHEN NOT {deleted} THEN image END",
    }
    return enveloped(split, told)


_TYPE, _TABLE = text("type"), text("table")
_ROWS = "'INSERT', 'UPDATE', 'DELETE'"
# What makes a table or an index changes no row; a query is a statement that names no table.
_HARMLESS = "'CREATE', 'CINDEX', 'DINDEX', 'QUERY'"
_DATA = f"coalesce(size({elements('value', 'data')}), 0) > 0"
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL OR {_TABLE} IS NULL THEN NULL
    WHEN {_TYPE} = 'TRUNCATE' THEN '{TRUNCATE}'
    WHEN {text("isDdl")} = 'true' THEN '{STRUCTURE}'
    WHEN {_TYPE} NOT IN ({_ROWS}) THEN '{UNKNOWN_OP}'
    WHEN {_DATA} THEN '{ROW}' ELSE '{OTHER}' END"""
