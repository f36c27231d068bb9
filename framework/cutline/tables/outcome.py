"""Outcomes: one business decision, taken on both sides, per subject."""

from __future__ import annotations

from cutline.tables.contract import Column, Table
from cutline.tables.evidence import EVIDENCE

AGREE, WITHIN_TOLERANCE, DIFFER, ONLY_LEGACY, ONLY_NEW, DUPLICATED = (
    "agree",
    "within-tolerance",
    "differ",
    "only-legacy",
    "only-new",
    "duplicated",
)
NOT_ELIGIBLE, EXPLAINED, LATE = "not-eligible", "explained", "late"
BREAKING = (DIFFER, ONLY_LEGACY, ONLY_NEW, DUPLICATED)
"""The classes of decisions that are breaks."""
COMPARED = (AGREE, WITHIN_TOLERANCE, *BREAKING)
CLASSES = (*COMPARED, NOT_ELIGIBLE, EXPLAINED, LATE)
"""The classes of decisions that count: what is set aside or explained does not."""

OUTCOMES = Table(
    name="outcomes",
    one_row_is="one subject in one outcome's population, on either side",
    columns=(
        Column("outcome", "string", "the outcome", False),
        Column("aggregate", "string", "the aggregate that it decides on", False),
        Column("subject", "string", "the subject, one of that aggregate", False),
        Column("class", "string", " | ".join(CLASSES), False),
        Column("legacy", "string", "the legacy's decision as text; null if not in its population"),
        Column("new", "string", "the new side's decision as text; null if not in its population"),
        Column("amount", "decimal(38,6)", "new minus legacy where both are numbers, else null"),
        Column("reason", "string", "why it is not eligible or explained; else null"),
        Column("category", "string", "its category; null where neither side tells one"),
        Column(
            "churned",
            "boolean",
            "whether the legacy decided otherwise at its other moment; null without a baseline",
        ),
        Column(
            "at_risk",
            "decimal(38,6)",
            "what a break puts at risk: by how much both differ, or the whole value where one side "
            "decides alone; null where nothing breaks, or no value is a number",
        ),
        *EVIDENCE,
    ),
)
