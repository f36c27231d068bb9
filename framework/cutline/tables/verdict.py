"""Verdicts: the one end of each candidate event, synthetic or native."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

ACCEPTED = "accepted"
DUPLICATE_ID = "duplicate-id"
DUPLICATE_FACT = "duplicate-fact"
NATIVE_PREFERRED = "native-preferred"
AFTER_CUT = "after-cut"
HELD = "held"
ALL = (ACCEPTED, DUPLICATE_ID, DUPLICATE_FACT, NATIVE_PREFERRED, AFTER_CUT, HELD)

VERDICTS = Table(
    name="verdicts",
    one_row_is="one candidate event and its one end",
    columns=(
        Column("id", "string", "the event's id", False),
        Column("migfactkey", "string", "its fact key"),
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False),
        Column("type", "string", "the event's type", False),
        Column("migorigin", "string", "synthetic | native | corrective", False),
        Column("verdict", "string", " | ".join(ALL), False),
        Column("reason", "string", "why, for people", False),
        Column("winner", "string", "id of the event that won instead; null if none did"),
    ),
    rules=("one row per candidate event: the books balance to zero",),
)
