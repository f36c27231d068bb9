"""Exceptions: rows and events that a person must look at."""

from __future__ import annotations

from typing import Literal

from cutline.tables.contract import Column, Table

ExceptionLevel = Literal["source-row", "event"]
"""The unit of an exception."""
SOURCE_ROW: ExceptionLevel = "source-row"
EVENT: ExceptionLevel = "event"

EXCEPTIONS = Table(
    name="exceptions",
    one_row_is="one source row or candidate event that a person must look at",
    columns=(
        Column("rule", "string", "the named rule that sent it here", False),
        Column("level", "string", "source-row | event", False),
        Column("aggregate", "string", "the aggregate it would have become; null if unknown"),
        Column("subject", "string", "the subject; null where the row does not tell"),
        Column("reason", "string", "the reason, for people", False),
        Column(
            "checks",
            "array<string>",
            "all checks of its contract that a source row fails, in order; empty where none",
            False,
        ),
        Column("source", "string", "the legacy system, or the topic of a native event"),
        Column("table", "string", "its table"),
        Column("key", "string", "its row's key, or the native event's partition and offset"),
        Column("position", "string", "its position"),
        Column("event_id", "string", "the event, where it is one"),
        Column("payload", "string", "the row or the event as it was read"),
    ),
)
