"""Verdicts: the one end of each candidate event, synthetic or native."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

ACCEPTED = "accepted"
NOT_AUTHORITATIVE = "not-authoritative"
SUBJECT_TOO_LONG = "subject-too-long"
TOO_LATE = "too-late"
AFTER_CUT = "after-cut"
IN_OVERLAP = "in-overlap"
DUPLICATE_ID = "duplicate-id"
NATIVE_PREFERRED = "native-preferred"
SUPERSEDED = "superseded"
UNDECIDED = "undecided"
DUPLICATE_FACT = "duplicate-fact"
NATIVE_COLLISION = "native-collision"
HELD = "held"
ALL = (
    ACCEPTED,
    NOT_AUTHORITATIVE,
    SUBJECT_TOO_LONG,
    TOO_LATE,
    AFTER_CUT,
    IN_OVERLAP,
    DUPLICATE_ID,
    NATIVE_PREFERRED,
    SUPERSEDED,
    UNDECIDED,
    DUPLICATE_FACT,
    NATIVE_COLLISION,
    HELD,
)
EXCEPTIONAL = (SUBJECT_TOO_LONG, TOO_LATE, IN_OVERLAP, UNDECIDED, HELD)
"""What a person must look at: such an event is an exception as well."""

LATE_ARRIVAL = "late-arrival"
"""The rule by which a late correction is accepted; its verdict is `accepted`."""

VERDICTS = Table(
    name="verdicts",
    one_row_is="one candidate event and its one end",
    columns=(
        Column("id", "string", "the event's id", False, varied=True),
        Column("migfactkey", "string", "its fact key", varied=True),
        Column("aggregate", "string", "the aggregate", False),
        Column("subject", "string", "the subject", False, varied=True),
        Column("type", "string", "the event's type", False),
        Column("migorigin", "string", "synthetic | native | corrective", False),
        Column("verdict", "string", " | ".join(ALL), False),
        Column(
            "rule",
            "string",
            f"what decided: the verdict's name; {LATE_ARRIVAL} for an accepted correction; of a "
            "held event, the order rule that it breaks",
            False,
        ),
        Column("reason", "string", "why, for people", False),
        Column("winner", "string", "id of the event that won instead; null if none did"),
    ),
    rules=("one row per candidate event: the books balance to zero",),
)
