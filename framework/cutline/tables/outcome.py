"""Outcomes: one business decision, taken on both sides, per subject."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

AGREE, WITHIN_TOLERANCE, DIFFER, ONLY_LEGACY, ONLY_NEW, NOT_ELIGIBLE, EXPLAINED = (
    "agree",
    "within-tolerance",
    "differ",
    "only-legacy",
    "only-new",
    "not-eligible",
    "explained",
)
CLASSES = (AGREE, WITHIN_TOLERANCE, DIFFER, ONLY_LEGACY, ONLY_NEW, NOT_ELIGIBLE, EXPLAINED)

OUTCOMES = Table(
    name="outcomes",
    one_row_is="one subject in one outcome's population, on either side",
    columns=(
        Column("outcome", "string", "the outcome", False),
        Column("subject", "string", "the subject", False),
        Column("class", "string", " | ".join(CLASSES), False),
        Column("legacy", "string", "the legacy's decision as text; null if not in its population"),
        Column("new", "string", "the new side's decision as text; null if not in its population"),
        Column("amount", "decimal(38,6)", "new minus legacy where both are numbers, else null"),
        Column("reason", "string", "why it is not eligible or explained; else null"),
    ),
)
