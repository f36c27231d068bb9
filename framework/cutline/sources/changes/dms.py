"""AWS Database Migration Service: data and control records, former values beside new ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from cutline.project.changes import DmsChanges
from cutline.sources.changes.envelope import (
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
    to_envelope,
)
from cutline.sources.changes.images import object_at, text, with_prefix, without_prefix
from cutline.sources.changes.position_sql import TOPIC_POSITION
from cutline.sources.exact_cast import cast_text
from cutline.sql.spark import literal

EXPECTED = "a record has `metadata` with `record-type`, `operation` and `table-name`"


def envelopes(
    records: DataFrame, section: DmsChanges, columns: Mapping[str, Sequence[str]]
) -> DataFrame:
    """One row per record. Former values are in `before-image`, or under names with a prefix.

    Rows of the full load (`load`) are rows of a snapshot. `columns` has the columns that are read
    of each table, by its name: these are the table's own, whatever their names begin with.
    """
    data, former = object_at("value", "data"), object_at("value", "before-image")
    images = records.selectExpr("*", f"{data} AS data", f"{former} AS former")
    prefixed = ("data", section.before_prefix, _own_columns(columns))
    deleted = f"{_OPERATION} = 'delete'"
    before = f"coalesce(former, {with_prefix(*prefixed)})"
    fields = {
        "kind": _KIND,
        "op": f"CASE {_OPERATION} {_OPS} END",
        "table": _TABLE,
        "named": f"CASE WHEN {_OPERATION} NOT IN ({_HARMLESS}) THEN array({_TABLE}) END",
        "schema": text("metadata", "schema-name"),
        "position": TOPIC_POSITION,
        "own": _LOG_PLACE,
        "transaction": _TRANSACTION,
        "committed": cast_text(_TIME, "timestamp"),
        "before": f"CASE WHEN {deleted} THEN coalesce(data, former)"
        f" WHEN {_OPERATION} = 'update' THEN {before} END",
        "after": f"CASE WHEN NOT {deleted} THEN {without_prefix(*prefixed)} END",
    }
    return to_envelope(images, fields)


def _own_columns(columns: Mapping[str, Sequence[str]]) -> str:
    """SQL for the columns that are read of a record's table."""
    cases = " ".join(
        f"WHEN {literal(table)} THEN array({', '.join(map(literal, names))})"
        for table, names in columns.items()
        if names
    )
    nothing = "CAST(array() AS array<string>)"
    return f"CASE {_TABLE} {cases} ELSE {nothing} END" if cases else nothing


_TYPE, _OPERATION = text("metadata", "record-type"), text("metadata", "operation")
_TABLE = text("metadata", "table-name")
_TIME = f"coalesce({text('metadata', 'commit-timestamp')}, {text('metadata', 'timestamp')})"
# Ids begin again: two commit times of one id are two transactions.
_ID, _COMMITTED = text("metadata", "transaction-id"), text("metadata", "commit-timestamp")
_TRANSACTION = f"CASE WHEN {_ID} IS NOT NULL THEN concat_ws('@', {_ID}, {_COMMITTED}) END"
_OPS = "WHEN 'load' THEN 'r' WHEN 'insert' THEN 'c' WHEN 'update' THEN 'u' WHEN 'delete' THEN 'd'"
# Present if the task has IncludeTransactionDetails.
_LOG_PLACE = f"""CASE WHEN {text("metadata", "transaction-record-id")} IS NOT NULL
    THEN concat_ws('/', {text("metadata", "stream-position")}, {text("metadata", "transaction-id")},
        {text("metadata", "transaction-record-id")}) END"""
_HARMLESS = "'create-table', 'create-index', 'drop-index'"
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL OR {_OPERATION} IS NULL THEN NULL
    WHEN {_TYPE} = 'control' AND {_OPERATION} = 'truncate-table' THEN '{TRUNCATE}'
    WHEN {_TYPE} = 'control' THEN CASE WHEN {_TABLE} IS NULL THEN '{OTHER}' ELSE '{STRUCTURE}' END
    WHEN {_TYPE} <> 'data' THEN '{OTHER}'
    WHEN {_TABLE} IS NULL THEN NULL
    WHEN CASE {_OPERATION} {_OPS} END IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""
