"""Refused: the candidate events that did not get into the timeline, whole."""

from __future__ import annotations

from cutline.tables.contract import Table
from cutline.tables.event import EVENTS
from cutline.tables.verdict import VERDICTS

REFUSED = Table(
    name="refused",
    one_row_is="one candidate event that the merge did not accept, as it came",
    columns=(
        *EVENTS.columns,
        *(c for c in VERDICTS.columns if c.name in ("verdict", "rule", "reason", "winner")),
    ),
    rules=("no candidate is both here and in the timeline",),
)
