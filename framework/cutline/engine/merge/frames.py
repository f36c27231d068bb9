"""The frames of the merge: candidates as they come, packed, and with their verdicts."""

from __future__ import annotations

from cutline.engine.frames import ColumnFamily, Frame, FrameColumn, frame_of
from cutline.tables import EVENTS, REFUSED, TIMELINE, verdict

CANDIDATES = frame_of(EVENTS)

SUBJECT_KEY = ("aggregate", "subject")

RULE = FrameColumn(
    "rule", "string", "the merge rule that decided about the candidate; null while it is open"
)
LATE = FrameColumn("late", "boolean", "whether it is a correction that came after the cut", False)
FACT = FrameColumn(
    "fact",
    "string",
    "the fact key; the event's id where it has none (a native event may not)",
    False,
)
SUBJECT_HASH = FrameColumn(
    "subject_hash",
    "bigint",
    "hash of SUBJECT_KEY; windows sort by it first, because numbers compare faster than texts",
    False,
)
PAYLOAD_HASH = FrameColumn("payload_hash", "bigint", "hash of the payload", False)
SOURCE_HASH = FrameColumn("source_hash", "bigint", "hash of the producer's URI", False)
CONTENT_HASH = FrameColumn(
    "content_hash", "bigint", "hash of payload, type, fact key, producer and source row", False
)
ROW_HASH = FrameColumn("row_hash", "bigint", "hash of all columns of the candidate", False)

TIE_BREAKERS = (CONTENT_HASH, ROW_HASH)
"""The last columns of every order, so that rows which differ never change places between runs."""

WINNER = FrameColumn("winner", "string", "id of the event that won instead; null if none did")
SUPERSEDES = FrameColumn(
    "supersedes", "string", "id of the event of a lower translator version that this one replaces"
)
OTHER_PAYLOAD = FrameColumn(
    "other_payload", "boolean", "whether it repeats an event's id with another payload", False
)

RANK = FrameColumn(
    "rank",
    "int",
    "its type's place in the order that the aggregate declares, from 1; 0 for a foreign event",
    False,
)
PLACED_AT = FrameColumn("placed_at", "timestamp", "its moment in the timeline", False)
FIRST_PLACED = ColumnFamily(
    "first_", "timestamp", "PLACED_AT of the subject's first open event of a rank; null if none"
)
TIMELINE_ORDER = (PLACED_AT, RANK, "sequence", "id", *TIE_BREAKERS)
"""The order of a subject's accepted events."""

HELD_REASON = FrameColumn(
    "held_reason", "string", "why an event is held that breaks a required order; else null"
)
ORDINAL = FrameColumn(
    "ordinal", "int", "the event's place in its subject's timeline, from 1; null unless accepted"
)
CORRECTS = FrameColumn(
    "corrects", "string", "of a late correction the event that had the last word on its moment"
)
FINDINGS = FrameColumn(
    "findings",
    "array<struct<rule:string,reason:string>>",
    "what departs from an expected order, at the event where it shows; empty where nothing does",
    False,
)

VERDICT = FrameColumn("verdict", "string", " | ".join(verdict.ALL), False)
REASON = FrameColumn("reason", "string", "why, for people", False)
AMENDED_COLUMNS = ("migconfidence", "migorigin", "migsupersedes", "corrects")
"""The columns of TIMELINE in which an accepted event may differ from the candidate that it was."""

AMENDED = FrameColumn(
    "amended",
    f"struct<{','.join(f'{name}:string' for name in AMENDED_COLUMNS)}>",
    "the values of an accepted event that the timeline has instead of the candidate's own; "
    "null unless accepted",
)

COMPARED = (
    *SUBJECT_KEY,
    *("id", "type", "time", "sequence", "migorigin", "migconfidence", "migtimebasis"),
    *("migsrcsystem", "migsrcpos"),
)
"""The columns of EVENTS that the rules about several events compare."""

_REST = [column for column in CANDIDATES.columns if column not in COMPARED]
PACKED = FrameColumn(
    "packed",
    f"struct<{','.join(f'{column}:{column.type}' for column in _REST)}>",
    "all columns that are not COMPARED: a window copies one value of it, not forty",
    False,
)

PACKED_CANDIDATES = Frame(
    "one candidate event, as the rules about several events compare it",
    (
        *(column for column in CANDIDATES.columns if column in COMPARED),
        *(FACT, PAYLOAD_HASH, SOURCE_HASH, SUBJECT_HASH, CONTENT_HASH, ROW_HASH, PACKED),
    ),
)
CANDIDATES_WITH_RULE = PACKED_CANDIDATES.with_columns(LATE, RULE)
"""All candidates: open ones, without a rule yet, and those that a rule has decided about."""

MERGED = Frame(
    "one candidate event with its one verdict",
    (*CANDIDATES.columns, VERDICT, RULE, REASON, WINNER, ORDINAL, FINDINGS, AMENDED),
)

IS_ACCEPTED = FrameColumn(
    "is_accepted",
    "boolean",
    "whether the row belongs to TIMELINE; else it belongs to REFUSED",
    False,
)

SPLIT = Frame(
    "one candidate event, as a row of TIMELINE if it was accepted, else as one of REFUSED",
    (
        *(ORDINAL if column == ORDINAL else column for column in frame_of(TIMELINE).columns),
        *(column for column in frame_of(REFUSED).columns if column not in TIMELINE.names),
        IS_ACCEPTED,
    ),
)
