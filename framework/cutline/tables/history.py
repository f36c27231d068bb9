"""Histories: what became of each break and each exception that the runs of a slice ever found."""

from __future__ import annotations

from cutline.tables.breaks import BREAKS, STATES
from cutline.tables.contract import Column, Table
from cutline.tables.exception import EXCEPTIONS

AGES = {"below_1d": 1, "1d_to_7d": 7, "7d_to_30d": 30, "from_30d": float("inf")}
"""Ages of what is open by name, each below so many days."""

LIFE = (
    Column("state", "string", " | ".join(STATES), False),
    Column("openings", "int", "how often it was opened, reopened ones included; 1 at least", False),
    Column("first_seen_run", "string", "the first run that found it", False),
    Column("first_seen_at", "timestamp", "that run's knowledge time", False),
    Column("last_seen_run", "string", "the last run that found it", False),
    Column("last_seen_at", "timestamp", "that run's knowledge time", False),
    Column("fixed_run", "string", "the run that found it no more; null while it is open"),
    Column("fixed_at", "timestamp", "that run's knowledge time"),
)
"""What the history of a thing says of its life."""

BREAK_HISTORY = Table(
    name="break_history",
    one_row_is="one break that this run or one before it found, as it was last seen",
    columns=(
        *(c for c in BREAKS.columns if c.name != "state"),
        *LIFE,
    ),
    rules=("one row per id", "a break that is open is in `breaks` of the run"),
)

EXCEPTION_HISTORY = Table(
    name="exception_history",
    one_row_is="one row or event that this run or one before it sent to a person, as last seen",
    columns=(
        Column(
            "id",
            "string",
            "what it is called in every run: a UUIDv5 of context, region, rule, level, aggregate, "
            "subject, source, table, key and event, and of the payload where there is neither key "
            "nor event",
            False,
            varied=True,
        ),
        Column("rows", "bigint", "rows of `exceptions` of that id when it was last seen", False),
        *EXCEPTIONS.columns,
        *LIFE,
    ),
    rules=("one row per id",),
)
