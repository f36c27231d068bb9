"""Findings: departures from an expected order. The events flow; the finding is recorded."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

FINDINGS = Table(
    name="findings",
    one_row_is="one departure of one subject from an order that its aggregate expects",
    columns=(
        Column("rule", "string", "the expectation's name", False),
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False),
        Column("event_id", "string", "the event that came when it was not expected", False),
        Column("type", "string", "its type", False),
        Column("reason", "string", "what was expected, for people", False),
    ),
    rules=("at most one row per rule and subject",),
)
