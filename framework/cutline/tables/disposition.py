"""Dispositions: the one end of each source row."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

TRANSLATED = "translated"
NO_OP = "no-op"
VISIBLE = "visible-in-snapshot"
QUARANTINED = "quarantined"
AMBIGUOUS = "ambiguous"
EXCEPTIONAL = (QUARANTINED, AMBIGUOUS)
ALL = (TRANSLATED, NO_OP, VISIBLE, QUARANTINED, AMBIGUOUS)

UNKNOWN_COMMIT = "unknown-commit"
"""The rule of a change that a cut line cannot place."""

DISPOSITIONS = Table(
    name="dispositions",
    one_row_is="one source row and its one end, with the rule that decided it; of a change by "
    "which a row left one subject for another, one for each of the two",
    columns=(
        Column("source", "string", "the legacy system", False),
        Column("table", "string", "the table within the source", False),
        Column("key", "string", "the row's key, a canonical JSON array", varied=True),
        Column("op", "string", "r, c, u or d", False),
        Column("position", "string", "the change's position", False),
        Column(
            "subject",
            "string",
            "the subject the translator reads it as; null if unknown",
            varied=True,
        ),
        Column("aggregate", "string", "the aggregate of that subject; null for reference data"),
        Column("disposition", "string", " | ".join(ALL), False),
        Column("rule", "string", "the rule that decided", False),
        Column("reason", "string", "the reason, for people"),
        Column(
            "checks",
            "array<string>",
            "all checks of its contract that the row fails, in order; empty where none",
            False,
        ),
        Column("events", "int", "events announced from this row", False),
        Column("translator", "string", "name and version of the translator"),
        Column("payload", "string", "the row as JSON, where a person must look at it; else null"),
        Column("finding", "string", "what its contract's lifecycle does not allow; mostly null"),
        Column("finding_reason", "string", "the same, for people"),
        Column(
            "side",
            "string",
            "where the row lies at the end of history: before | overlap | after; null if unknown",
        ),
    ),
    rules=(
        "one row per row of the changes tables, and one more per change by which a row left a "
        "subject: the books balance to zero",
    ),
)
