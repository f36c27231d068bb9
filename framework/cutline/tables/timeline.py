"""Timeline: the events that survived the merge, in causal order per subject."""

from __future__ import annotations

from cutline.tables.contract import Column, Table
from cutline.tables.event import EVENTS

TIMELINE = Table(
    name="timeline",
    one_row_is="one event that survived the merge, at its place in its subject's history",
    columns=(
        *EVENTS.columns,
        Column("ordinal", "int", "1 for the subject's first event, then 2, …", False),
    ),
    rules=(
        "no two rows of one fact key",
        "no event before one that its aggregate requires first",
    ),
)
