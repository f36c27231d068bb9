"""Maxwell's daemon: one row a record, numbered in its transaction, with the last one marked."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.positions import ORDINAL_DIGITS
from cutline.project.changes import MaxwellChanges
from cutline.sources.changes.envelope import (
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    UNKNOWN_OP,
    to_envelope,
)
from cutline.sources.changes.images import object_at, overlay, text
from cutline.sources.changes.moments import counted_moment
from cutline.sources.changes.position_sql import TOPIC_POSITION, position
from cutline.sources.changes.statements import EVERY_TABLE, changed_tables, replaces_table
from cutline.sql.spark import let

EXPECTED = "a change has `type`, `database`, `table` and its row in `data`"


def envelopes(records: DataFrame, section: MaxwellChanges) -> DataFrame:
    """One row per record. `old` holds the former values of the row's changed columns."""
    data, old = object_at("value", "data"), object_at("value", "old")
    images = records.selectExpr("*", f"{data} AS data", f"{old} AS old")
    numbered = f"{_XID} IS NOT NULL AND {'true' if section.complete else 'false'}"
    deleted = f"{_TYPE} = 'delete'"
    before = f"CASE WHEN {_TYPE} = 'update' THEN {overlay('data', 'old')}"
    fields = {
        "kind": _KIND,
        "op": f"CASE {_TYPE} {_OPS} END",
        "table": _TABLE,
        "named": _NAMED,
        "schema": text("database"),
        "position": _BINLOG if section.log == "mysql" else TOPIC_POSITION,
        "own": _LOG_PLACE,
        "transaction": _XID,
        "ordinal": f"CASE WHEN {numbered} THEN try_cast({text('xoffset')} AS bigint) END",
        "last": f"CASE WHEN {_XID} IS NOT NULL THEN coalesce({text('commit')} = 'true', false) END",
        "committed": counted_moment(f"try_cast({text('ts')} AS bigint)", 1),
        "before": f"{before} WHEN {deleted} THEN data END",
        "after": f"CASE WHEN NOT {deleted} THEN data END",
    }
    return to_envelope(images, fields)


_TYPE, _TABLE, _XID = text("type"), text("table"), text("xid")
_OPS = (
    "WHEN 'insert' THEN 'c' WHEN 'update' THEN 'u' WHEN 'delete' THEN 'd'"
    " WHEN 'bootstrap-insert' THEN 'r'"
)
_STATEMENTS = "'table-create', 'table-alter', 'table-drop', 'database-drop'"
_SQL = text("sql")
# A table that is renamed has its name of before in `table` and `old`, and the new one in `def`.
_TABLES = f"array_compact(array({_TABLE}, {text('old', 'table')}, {text('def', 'table')}))"
_NAMED = f"""CASE WHEN {_TYPE} IN ('table-alter', 'table-drop') THEN
        {let("names", _TABLES, changed_tables(_SQL, "names"))}
    WHEN {_TYPE} = 'table-create' AND {replaces_table(_SQL)} THEN array({_TABLE})
    WHEN {_TYPE} = 'database-drop' THEN array('{EVERY_TABLE}') END"""
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL THEN NULL
    WHEN {_TYPE} IN ({_STATEMENTS}) THEN '{STRUCTURE}'
    WHEN {_TYPE} IN ('bootstrap-start', 'bootstrap-complete', 'heartbeat')
        OR startswith({_TYPE}, 'database-') THEN '{OTHER}'
    WHEN {_TABLE} IS NULL THEN NULL
    WHEN CASE {_TYPE} {_OPS} END IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""

# The last row of a transaction has no number, and comes after the numbered ones. If none has one,
# its place in the file breaks ties.
_LAST = f"CASE WHEN {text('commit')} = 'true' THEN '{10**ORDINAL_DIGITS - 1}' END"
_ROW = f"CASE WHEN {_XID} IS NOT NULL THEN coalesce({text('xoffset')}, {_LAST}) END"
# The rows of one event of the binary log share its place, and are different rows.
_LOG_PLACE = f"""CASE WHEN {text("position")} IS NOT NULL
    THEN concat_ws('/', {text("position")}, {_XID}, {_ROW})
    WHEN {_ROW} IS NOT NULL THEN concat_ws('/', {text("ts")}, {_XID}, {_ROW}) END"""
_PLACE = r"^(?:.*\.)?([0-9]+):([0-9]+)$"
_BINLOG = position(
    f"nullif(regexp_extract({text('position')}, r'{_PLACE}', 1), '')",
    f"nullif(regexp_extract({text('position')}, r'{_PLACE}', 2), '')",
    f"coalesce({_ROW}, CAST(place AS string))",
)
