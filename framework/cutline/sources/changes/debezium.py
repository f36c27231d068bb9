"""Debezium: change events, transaction boundaries and schema changes of its connectors."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.project.changes import DebeziumChanges
from cutline.sources.changes import mongodb
from cutline.sources.changes.debezium_positions import change_position, transaction_id
from cutline.sources.changes.envelope import (
    BEGIN,
    END,
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
    schema_and_table,
    to_envelope,
)
from cutline.sources.changes.images import array_at, object_at, text
from cutline.sources.changes.moments import counted_moment
from cutline.sources.changes.statements import changed_tables, is_harmless, replaces_table
from cutline.sources.kafka import UNREADABLE_CHANGE
from cutline.spark import json_text
from cutline.sql.spark import let

EXPECTED = "a change has `op` and `source.table`, a transaction's boundary `status` and `id`"


def envelopes(records: DataFrame, section: DebeziumChanges) -> DataFrame:
    """One row per record."""
    mongo = section.log == "mongodb"
    frame = mongodb.with_documents(records) if mongo else records
    after, before = object_at("value", "after"), object_at("value", "before")
    table_name = text("source", "collection") if mongo else text("source", "table")
    fields = {
        "key": mongodb.KEY if mongo else "key",
        "key_text": "key_text",
        "newkey": "newkey",
        "oldkey": "oldkey",
        "kind": _KIND.replace("{table}", table_name),
        "op": text("op"),
        "table": table_name,
        "named": _NAMED,
        "schema": f"concat_ws('.', {_SCHEMA})",
        "position": change_position(section.log),
        "transaction": transaction_id(section.log),
        "ordinal": f"CASE WHEN {text('op')} <> 'r' THEN try_cast({_ORDINAL} AS bigint) END",
        "scope": f"CASE WHEN {_OF_TABLE} IS NOT NULL THEN {_qualified_table(table_name)} END",
        "events": f"CASE WHEN {_STATUS} = 'END' THEN {_EVENTS} END",
        "lsn": f"CASE WHEN {_STATUS} = 'END' THEN {_LSN} END",
        "committed": _COMMITTED,
        "before": mongodb.BEFORE if mongo else before,
        "after": mongodb.AFTER if mongo else after,
        "partial": mongodb.PARTIAL if mongo else "false",
        "unreadable": text(UNREADABLE_CHANGE),
    }
    return to_envelope(frame, fields)


def _qualified_table(table_name: str) -> str:
    return schema_and_table(f"concat_ws('.', {_SCHEMA}, {table_name})")


def _number(*path: str) -> str:
    return f"try_cast({text(*path)} AS bigint)"


_SCHEMA = f"{text('source', 'db')}, {text('source', 'schema')}"
_STATUS = text("status")
_SNAPSHOT = f"coalesce({text('source', 'snapshot')}, 'false') <> 'false'"
_OF_TABLE = text("transaction", "data_collection_order")
_ORDINAL = f"coalesce({_OF_TABLE}, {text('transaction', 'total_order')})"
_LSN = f"nullif(regexp_extract({text('id')}, ':([0-9]+)$', 1), '')"

_EVENTS = f"""transform({array_at("value", "data_collections")}, c -> named_struct(
    'table', {schema_and_table(json_text.text_sql("c", "data_collection"))},
    'events', try_cast({json_text.text_sql("c", "event_count")} AS bigint)))"""

# A heartbeat is the time alone, under a key that names the connector, where there is a key.
_TIMES = "array('ts_ms', 'ts_us', 'ts_ns')"
_HEARTBEAT = f"""{text("ts_ms")} IS NOT NULL
    AND size(array_except({json_text.keys_sql("value")}, {_TIMES})) = 0
    AND (key_text IS NULL OR {json_text.text_sql("key", "serverName")} IS NOT NULL)"""

_KIND = f"""CASE
    WHEN tombstone THEN '{TOMBSTONE}'
    WHEN {text("op")} = 'm' THEN '{OTHER}'
    WHEN {text("op")} IS NOT NULL AND {{table}} IS NOT NULL THEN
        CASE WHEN {text("op")} IN ('r', 'c', 'u', 'd') THEN '{ROW}'
             WHEN {text("op")} = 't' THEN '{TRUNCATE}' ELSE '{UNKNOWN_OP}' END
    WHEN {text("op")} IS NOT NULL THEN NULL
    WHEN {_STATUS} = 'BEGIN' AND {text("id")} IS NOT NULL THEN '{BEGIN}'
    WHEN {_STATUS} = 'END' AND {text("id")} IS NOT NULL THEN '{END}'
    WHEN {text("ddl")} IS NOT NULL THEN '{STRUCTURE}'
    WHEN {_HEARTBEAT} THEN '{OTHER}' END"""

_DDL = text("ddl")
# A created table, and a snapshot's description of existing tables, change no row. A table that is
# renamed has its name of before in `previousId`, or in `id` before the new one.
_IDS = f"""array({json_text.text_sql("t", "id")}, {json_text.text_sql("t", "previousId")})"""
_CHANGED = f"""flatten(transform(
    filter({array_at("value", "tableChanges")},
           t -> coalesce({json_text.text_sql("t", "type")}, '') <> 'CREATE'
                OR {replaces_table(_DDL)}),
    t -> flatten(transform(array_compact({_IDS}),
                           i -> regexp_extract_all(i, r'"?([^".,]+)"?\\s*(?:,|$)', 1)))))"""
_LISTED = f"""CASE WHEN NOT {is_harmless(_DDL)} THEN
    filter(transform(split({text("source", "table")}, ','), n -> trim(n)), n -> n <> '') END"""
_NOTHING = "CAST(array() AS array<string>)"
_TABLES = f"array_union(coalesce({_CHANGED}, {_NOTHING}), coalesce({_LISTED}, {_NOTHING}))"
_NAMED = f"""CASE WHEN {_DDL} IS NOT NULL AND NOT ({_SNAPSHOT}) THEN
    {let("names", _TABLES, changed_tables(_DDL, "names"))} END"""

_MICROS = f"""coalesce({_number("source", "ts_us")},
    try_multiply({_number("source", "ts_ms")}, 1000))"""
# Some connectors do not know when they read a row of their snapshot, and write 0.
_UNKNOWN = f"{text('op')} = 'r' AND {_MICROS} = 0"
_MOMENT = counted_moment(_MICROS, 10**6)
_COMMITTED = f"CASE WHEN NOT coalesce({_UNKNOWN}, false) THEN {_MOMENT} END"
