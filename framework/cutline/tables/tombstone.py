"""Tombstones: subjects that have ended, so that consumers forget their state."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

TOMBSTONES = Table(
    name="tombstones",
    one_row_is="one subject whose last event ends it",
    columns=(
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False),
        Column("event_id", "string", "the event that ended it", False),
        Column("type", "string", "its type", False),
        Column("time", "timestamp", "its business time"),
    ),
    rules=("no subject has both a tombstone and a row of state",),
)
