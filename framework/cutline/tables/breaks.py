"""Breaks: differences that reconciliation found between the legacy's truth and the new state."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

RECORD, STATE, OUTCOME = "record", "state", "outcome"
LEVELS = (RECORD, STATE, OUTCOME)
MISSING, UNEXPECTED, DIFFERENT, DUPLICATED = "missing", "unexpected", "different", "duplicated"
OPENED, PERSISTING, FIXED, REOPENED = "opened", "persisting", "fixed", "reopened"
STATES = (OPENED, PERSISTING, FIXED, REOPENED)

BREAKS = Table(
    name="breaks",
    one_row_is="one difference in one subject: at state level one row per column that differs",
    columns=(
        Column("level", "string", "record | state | outcome", False),
        Column("name", "string", "the aggregate or the outcome", False),
        Column("subject", "string", "the subject, one of its `aggregate`", False),
        Column("kind", "string", "missing | unexpected | different | duplicated", False),
        Column("column", "string", "the column that differs; null where the whole subject does"),
        Column("legacy", "string", "the legacy's value as text"),
        Column("new", "string", "the new side's value as text"),
        Column("amount", "decimal(38,6)", "new minus legacy where both are numbers, else null"),
        Column("aggregate", "string", "the aggregate that the subject is one of", False),
        Column("category", "string", "the subject's category; null if none is declared or known"),
        Column(
            "at_risk",
            "decimal(38,6)",
            "of a decision, by how much both differ, or the whole value where one side decides "
            "alone; null where it is no number, and at the other levels",
        ),
        Column(
            "source",
            "string",
            "the legacy system whose row made the value; this and the next five are null where "
            "the run holds no row of the subject",
        ),
        Column("table", "string", "the table within the source"),
        Column("key", "string", "the row's key, a canonical JSON array"),
        Column("position", "string", "the position of the row's change"),
        Column("disposition", "string", "the row's end; null for an event of a live producer"),
        Column(
            "rule",
            "string",
            "what made the value: `<translator>.<method>` that announced the event, "
            "`native:<type>` for a live producer's; where no event did, the rule of the row's end",
        ),
        Column("cluster", "string", "the cluster that the break is in: see `clusters`"),
        Column(
            "id",
            "string",
            "what it is called in every run: a UUIDv5 of context, region, level, name, subject, "
            "column and kind",
            False,
            varied=True,
        ),
        Column("state", "string", "opened | persisting | reopened, against the run before", False),
        Column("waiver", "string", "the waiver that takes it; null if none does"),
    ),
    rules=("one row per id", "every break is in exactly one cluster"),
)
