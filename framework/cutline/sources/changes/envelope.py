"""What the records of all formats become: one row per changed row, or per record that is none."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from cutline.sources.changes.records import PLACE
from cutline.sources.sql_text import quoted

ROW, TRUNCATE, STRUCTURE, TOMBSTONE = "row", "truncate", "structure", "tombstone"
BEGIN, END, OTHER, UNKNOWN_OP = "begin", "end", "other", "unknown-op"
"""What a record is: a row's change; a table truncated, or given another structure; a key that is
gone; where a transaction begins and ends; nothing that concerns rows; an operation of another kind.
Null for a record that cannot be told."""

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
}
"""The columns beside PLACE, each null where a format or a record has nothing to say.

item: the row's number within its record, from 0
key_text: the record's key as text that compares
named: of STRUCTURE, the tables that it changes
numbered: whether the position is made from the better of two ways that the format has
own: what the record says of its place in its database's log, where no other change of its row has
    the same
ordinal: the row's number in its transaction; `scope` is the table (`in_schema`) whose rows it
    counts, null for all tables
last: whether it is the last row of its transaction
events, lsn: of END, how many rows of each table (`in_schema`) the transaction changed, and where
    it was committed
partial: whether a column that `after` lacks is unknown
"""

ENVELOPE = (*PLACE, *FIELDS)


def in_schema(name: str) -> str:
    """SQL for `schema.table` of a name that may tell more: of one table everywhere the same."""
    return f"substring_index({name}, '.', -2)"


def to_envelope(frame: DataFrame, fields: Mapping[str, str]) -> DataFrame:
    """The frame's columns PLACE, and the fields as SQL; those that are not told are null.

    Unless it is told otherwise a record has one row, the record's own key, and all of its columns.
    """
    fields = {"item": "0", "key": "key", "partial": "false", **fields}
    columns = (
        f"CAST({fields.get(name, 'NULL')} AS {ddl}) AS {quoted(name)}"
        if ddl != "variant"
        else f"{fields.get(name, 'CAST(NULL AS variant)')} AS {quoted(name)}"
        for name, ddl in FIELDS.items()
    )
    return frame.selectExpr(*(quoted(c) for c in PLACE), *columns)
