"""The trend: how many breaks each run of a slice opened, kept, fixed and reopened."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

FIGURES = ("opened", "persisting", "fixed", "reopened", "open", "waived")
"""What is counted per run and level; `open` is opened, persisting and reopened together."""

TREND = Table(
    name="trend",
    one_row_is="one level of one run: of this run, and of those that it was compared with in turn",
    columns=(
        Column("run_id", "string", "the run", False),
        Column("place", "int", "1 for the first run, counting up", False),
        Column("recorded_at", "timestamp", "the run's knowledge time", False),
        Column("level", "string", "record | state | outcome", False),
        Column("opened", "bigint", "breaks that no run before found", False),
        Column("persisting", "bigint", "breaks that the run before had open", False),
        Column("fixed", "bigint", "breaks that the run before had open, and this one not", False),
        Column("reopened", "bigint", "breaks that were fixed before", False),
        Column("open", "bigint", "opened, persisting and reopened", False),
        Column("waived", "bigint", "those of them that a waiver takes", False),
    ),
    rules=("three rows per run",),
)
