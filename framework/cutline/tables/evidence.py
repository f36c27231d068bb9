"""Evidence: the very row, event or answer that an excuse rests on."""

from __future__ import annotations

from cutline.tables.contract import Column
from cutline.tables.exception import EVENT, SOURCE_ROW

TRUTH, DECIDE = "truth", "decide"
GROUNDS = (SOURCE_ROW, EVENT, TRUTH, DECIDE)
"""What an excuse may rest on: a legacy row, an event, what truth says of the subject, or what an
outcome's `decide` says."""

EVIDENCE = (
    Column("rests_on", "string", f"{' | '.join(GROUNDS)}; null where nothing is excused"),
    Column(
        "whole",
        "string",
        "the subject's declared whole, where the row or event is one of the whole; else null",
    ),
    Column("source", "string", "the legacy system of the row, or the topic of the event"),
    Column("table", "string", "the table within the source"),
    Column("key", "string", "the row's key, a canonical JSON array"),
    Column("position", "string", "the position of the row's change"),
    Column("event_id", "string", "the event, where it is one"),
)
"""Where an excuse can be looked up. Of what truth or `decide` says, only `rests_on` is told."""
