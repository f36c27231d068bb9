"""Links: what differs below a decision that differs."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

LINKS = Table(
    name="links",
    one_row_is="one decision that breaks, and one subject that it looks at and that breaks at a "
    "level below",
    columns=(
        Column("level", "string", "outcome", False),
        Column("name", "string", "the outcome", False),
        Column(
            "aggregate",
            "string",
            "whose subject is decided on; empty where the outcome does not say",
        ),
        Column("subject", "string", "the subject that is decided on", False),
        Column("cluster", "string", "the cluster of the decision's break", False),
        Column("by_level", "string", "record | state", False),
        Column("by_name", "string", "the aggregate of the subject that is looked at", False),
        Column("by_subject", "string", "the subject that is looked at", False),
        Column("by_column", "string", "its column that differs; null at record level"),
        Column("by_cluster", "string", "the cluster of that break", False),
    ),
    rules=("each side of a row is one break of `breaks`",),
)
