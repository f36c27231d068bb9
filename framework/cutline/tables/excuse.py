"""Excuses: what is not judged, and what that rests on."""

from __future__ import annotations

from cutline.tables.contract import Column, Table
from cutline.tables.evidence import EVIDENCE
from cutline.tables.outcome import EXPLAINED, LATE, NOT_ELIGIBLE

EXCUSES = Table(
    name="excuses",
    one_row_is="one subject that is not judged at one level, and what that rests on",
    columns=(
        Column("level", "string", "record | state | outcome", False),
        Column("name", "string", "the aggregate or the outcome", False),
        Column("aggregate", "string", "the aggregate that the subject is one of", False),
        Column("subject", "string", "the subject", False),
        Column("class", "string", f"{EXPLAINED} | {LATE} | {NOT_ELIGIBLE}", False),
        Column(
            "reason",
            "string",
            "the rule of the exception, or of the row that was left out; the reason that truth or "
            "`decide` gives; or that it changed after the end of history",
            False,
        ),
        *EVIDENCE,
    ),
    rules=(
        "one row per level, name and subject",
        "what the levels count as not judged has a row, and nothing else has",
    ),
)
