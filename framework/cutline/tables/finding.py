"""Findings: what was not as expected. The events flow; the finding is recorded."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

FINDINGS = Table(
    name="findings",
    one_row_is="one departure of an event from the order that its aggregate expects, or of a "
    "source row from the lifecycle that its contract declares",
    columns=(
        Column("rule", "string", "the expectation's name", False),
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False),
        Column(
            "event_id",
            "string",
            "the event that came when it was not expected; of a row the first that it announced, "
            "null where it announced none",
        ),
        Column("type", "string", "its type; the table, for a row that announced none", False),
        Column("reason", "string", "what was expected, for people", False),
    ),
    rules=("at most one row per rule and subject for events, and per source row for rows",),
)
