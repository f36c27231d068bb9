"""AWS Database Migration Service: data and control records, former values beside the new."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.project.changes import DmsChanges
from cutline.sources.changes.envelope import (
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
    enveloped,
)
from cutline.sources.changes.images import image, text, with_prefix, without_prefix
from cutline.sources.changes.placing import KAFKA

EXPECTED = "a record has `metadata` with `record-type`, `operation` and `table-name`"


def envelopes(records: DataFrame, section: DmsChanges) -> DataFrame:
    """One row per record. What was before stands in `before-image`, or under names with a prefix.

    Rows of the full load (`load`) are those of a snapshot.
    """
    data, former = image("value", "data"), image("value", "before-image")
    images = records.selectExpr("*", f"{data} AS data", f"{former} AS former")
    prefix = section.before_prefix
    deleted = f"{_OPERATION} = 'delete'"
    before = f"coalesce(former, {with_prefix('data', prefix)})"
    told = {
        "kind": _KIND,
        "op": f"CASE {_OPERATION} {_OPS} END",
        "table": _TABLE,
        "named": f"CASE WHEN {_OPERATION} NOT IN ({_HARMLESS}) THEN array({_TABLE}) END",
        "schema": text("metadata", "schema-name"),
        "position": KAFKA,
        "transaction": text("metadata", "transaction-id"),
        "committed": f"try_cast({_TIME} AS timestamp)",
        "before": f"CASE WHEN {deleted} THEN coalesce(data, former)"
        f" WHEN {_OPERATION} = 'update' THEN {before} END",
        "after": f"CASE WHEN NOT {deleted} THEN {without_prefix('data', prefix)} END",
    }
    return enveloped(images, told)


_TYPE, _OPERATION = text("metadata", "record-type"), text("metadata", "operation")
_TABLE = text("metadata", "table-name")
_TIME = f"coalesce({text('metadata', 'commit-timestamp')}, {text('metadata', 'timestamp')})"
_OPS = "WHEN 'load' THEN 'r' WHEN 'insert' THEN 'c' WHEN 'update' THEN 'u' WHEN 'delete' THEN 'd'"
_HARMLESS = "'create-table', 'create-index', 'drop-index'"
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL OR {_OPERATION} IS NULL THEN NULL
    WHEN {_TYPE} = 'control' AND {_OPERATION} = 'truncate-table' THEN '{TRUNCATE}'
    WHEN {_TYPE} = 'control' THEN CASE WHEN {_TABLE} IS NULL THEN '{OTHER}' ELSE '{STRUCTURE}' END
    WHEN {_TYPE} <> 'data' THEN '{OTHER}'
    WHEN {_TABLE} IS NULL THEN NULL
    WHEN CASE {_OPERATION} {_OPS} END IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""
