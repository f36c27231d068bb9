"""Envelopes: what the records of all formats become, one row per changed row or other record."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from cutline.sources.changes.records import PLACE
from cutline.sql.spark import quoted

ROW, TRUNCATE, STRUCTURE, TOMBSTONE = "row", "truncate", "structure", "tombstone"
BEGIN, END, OTHER, UNKNOWN_OP = "begin", "end", "other", "unknown-op"
"""The kinds of records: the change of a row; a table truncated, or altered; a key deleted; the
beginning and the end of a transaction; no concern of rows; an unknown operation. Null for an
unreadable record.
"""

FIELDS: Mapping[str, str] = {
    "item": "int",
    "key": "variant",
    "key_text": "string",
    "newkey": "string",
    "oldkey": "string",
    "kind": "string",
    "op": "string",
    "table": "string",
    "named": "array<string>",
    "schema": "string",
    "position": "string",
    "numbered": "boolean",
    "own": "string",
    "transaction": "string",
    "ordinal": "bigint",
    "scope": "string",
    "last": "boolean",
    "events": "array<struct<table: string, events: bigint>>",
    "lsn": "string",
    "committed": "timestamp",
    "before": "variant",
    "after": "variant",
    "partial": "boolean",
    "unreadable": "string",
}
"""The columns beside PLACE, each null where a format or a record has none.

item: the row's number within its record, from 0
key_text: the record's key as text that can be compared
named: of STRUCTURE, the tables that it changes, or words that may name them; EVERY_TABLE for all
    tables of `schema`
numbered: whether the position is made from the better of the format's two sources of it
own: the record's place in its database's log, if no other change of its row has the same
ordinal: the row's number in its transaction; `scope` is the table (its `schema_and_table`) whose
    rows it counts, null for all tables
last: whether it is the last row of its transaction
events, lsn: of END, how many rows of each table (its `schema_and_table`) the transaction changed,
    and where it was committed
partial: whether a column that `after` lacks is unknown
unreadable: why nobody can read the change of a row, of which only table and key are known
"""

ENVELOPE = (*PLACE, *FIELDS)


def schema_and_table(name: str) -> str:
    """SQL for `schema.table` of a name that may have more parts: the same text for a table
    everywhere.
    """
    return f"substring_index({name}, '.', -2)"


def to_envelope(frame: DataFrame, fields: Mapping[str, str]) -> DataFrame:
    """The frame's columns PLACE, and the fields as SQL; fields that are not given are null.

    By default a record has one row, the record's own key, and all of its columns.
    """
    fields = {"item": "0", "key": "key", "partial": "false", **fields}
    columns = (
        f"CAST({fields.get(name, 'NULL')} AS {ddl}) AS {quoted(name)}"
        if ddl != "variant"
        else f"{fields.get(name, 'CAST(NULL AS variant)')} AS {quoted(name)}"
        for name, ddl in FIELDS.items()
    )
    return frame.selectExpr(*(quoted(c) for c in PLACE), *columns)
