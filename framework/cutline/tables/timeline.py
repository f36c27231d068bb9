"""Timeline: the events that survived the merge, in causal order per subject."""

from __future__ import annotations

from cutline.tables.contract import Column, Table
from cutline.tables.event import EVENTS
from cutline.tables.verdict import ACCEPTED, LATE_ARRIVAL

TIMELINE = Table(
    name="timeline",
    one_row_is="one event that survived the merge, at its place in its subject's history",
    columns=(
        *EVENTS.columns,
        Column("ordinal", "int", "1 for the subject's first event, then 2, …", False),
        Column(
            "corrects",
            "string",
            "id of the event whose word this one corrects: the one that it supersedes, or that had "
            "the last word on its moment; null for what is no correction",
        ),
        Column("rule", "string", f"why: {ACCEPTED}, or {LATE_ARRIVAL} for a correction", False),
        Column(
            "findings",
            "array<struct<rule:string,reason:string>>",
            "what departs from the order that is expected; empty where nothing does",
            False,
        ),
    ),
    rules=(
        "no two rows of one fact key",
        "no event before one that its aggregate requires first",
    ),
)
