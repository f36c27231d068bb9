"""Oracle GoldenGate's JSON: updates may hold no more than the key and what changed."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.project.changes import OggChanges
from cutline.sources.changes.envelope import ROW, TOMBSTONE, TRUNCATE, UNKNOWN_OP, enveloped
from cutline.sources.changes.images import image, text
from cutline.sources.changes.position_sql import KAFKA, ZERO, position
from cutline.sources.local_times import instant_sql

EXPECTED = "a change has `op_type` and `table`"


def envelopes(records: DataFrame, section: OggChanges) -> DataFrame:
    """One row per record. The trail holds committed transactions in the order of their commits."""
    csn, place = text("csn"), text("pos")
    by_commit = position(csn, f"coalesce({place}, {ZERO})", ZERO)
    in_trail = f"CASE WHEN {csn} IS NULL THEN {position(place, ZERO, ZERO)} ELSE {by_commit} END"
    local = f"try_cast({text('op_ts')} AS timestamp)"
    told = {
        "kind": _KIND,
        "op": f"CASE {_TYPE} {_OPS} END",
        "table": f"substring_index({_TABLE}, '.', -1)",
        "schema": f"regexp_extract({_TABLE}, '^(?:(.*)[.])?[^.]*$', 1)",
        "position": in_trail if section.log == "number" else KAFKA,
        "numbered": f"{csn} IS NOT NULL" if section.log == "number" else "NULL",
        "own": place,
        "transaction": text("xid"),
        "committed": local if section.zone == "UTC" else instant_sql(local, section.zone),
        "before": image("value", "before"),
        "after": f"CASE WHEN {_TYPE} <> 'D' THEN {image('value', 'after')} END",
        "partial": f"{_TYPE} = 'U'",
    }
    return enveloped(records, told)


_TYPE, _TABLE = text("op_type"), text("table")
_OPS = "WHEN 'I' THEN 'c' WHEN 'U' THEN 'u' WHEN 'D' THEN 'd'"
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL OR {_TABLE} IS NULL THEN NULL
    WHEN {_TYPE} = 'T' THEN '{TRUNCATE}'
    WHEN CASE {_TYPE} {_OPS} END IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""
