"""Oracle GoldenGate's JSON: updates may hold only the key and the changed columns."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.project.changes import OggChanges
from cutline.sources.changes.envelope import ROW, TOMBSTONE, TRUNCATE, UNKNOWN_OP, to_envelope
from cutline.sources.changes.images import object_at, text
from cutline.sources.changes.moments import moment
from cutline.sources.changes.position_sql import TOPIC_POSITION, ZERO, position

EXPECTED = "a change has `op_type` and `table`"


def envelopes(records: DataFrame, section: OggChanges) -> DataFrame:
    """One row per record. The trail holds committed transactions in the order of their commits."""
    csn, place = text("csn"), text("pos")
    by_commit = position(csn, f"coalesce({place}, {ZERO})", ZERO)
    in_trail = f"CASE WHEN {csn} IS NULL THEN {position(place, ZERO, ZERO)} ELSE {by_commit} END"
    fields = {
        "kind": _KIND,
        "op": f"CASE {_TYPE} {_OPS} END",
        "table": f"substring_index({_TABLE}, '.', -1)",
        "schema": f"regexp_extract({_TABLE}, '^(?:(.*)[.])?[^.]*$', 1)",
        "position": in_trail if section.log == "number" else TOPIC_POSITION,
        "numbered": f"{csn} IS NOT NULL" if section.log == "number" else "NULL",
        "own": place,
        "transaction": text("xid"),
        "committed": moment(text("op_ts"), section.zone),
        "before": object_at("value", "before"),
        "after": f"CASE WHEN {_TYPE} <> 'D' THEN {object_at('value', 'after')} END",
        "partial": f"{_TYPE} = 'U'",
    }
    return to_envelope(records, fields)


_TYPE, _TABLE = text("op_type"), text("table")
_OPS = "WHEN 'I' THEN 'c' WHEN 'U' THEN 'u' WHEN 'D' THEN 'd'"
_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {_TYPE} IS NULL OR {_TABLE} IS NULL THEN NULL
    WHEN {_TYPE} = 'T' THEN '{TRUNCATE}'
    WHEN CASE {_TYPE} {_OPS} END IS NOT NULL THEN '{ROW}' ELSE '{UNKNOWN_OP}' END"""
