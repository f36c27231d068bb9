"""The re-verify queue: subjects that changed after the end of history."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

OWED, SETTLED = "owed", "settled"

REVERIFY = Table(
    name="reverify",
    one_row_is="one subject that is owed a comparison, or that an earlier run owed one and this "
    "run compared",
    columns=(
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False),
        Column("state", "string", "owed | settled", False),
        Column(
            "touches",
            "bigint",
            "its changes after the end of history, each of which is owed a comparison; 1 where "
            "only the moment of its last change is known, 0 where it is settled",
            False,
        ),
        Column("since", "string", "the run that owed it first", False),
    ),
    rules=("one row per aggregate and subject", "while a row is owed, the decision is not GO"),
)
