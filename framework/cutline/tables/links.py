"""Links: what broke or was put aside below a break."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

LINKS = Table(
    name="links",
    one_row_is="one subject whose decision or state breaks, and one thing below that may feed it: "
    "a break of a lower level, or of its part's state, or a row or an event that was put aside",
    columns=(
        Column("level", "string", "outcome | state", False),
        Column("name", "string", "the outcome, or the aggregate", False),
        Column(
            "aggregate",
            "string",
            "whose subject it is; empty where the outcome does not say",
        ),
        Column(
            "subject", "string", "the subject that is decided on, or whose state differs", False
        ),
        Column("cluster", "string", "the cluster of its break", False),
        Column(
            "way",
            "string",
            "how the one depends on the other: itself | looks-at | part | row; by a row whose "
            "events the subject gets",
            False,
        ),
        Column("by_level", "string", "record | state | source-row | event", False),
        Column("by_name", "string", "the aggregate below; null where a row does not tell"),
        Column("by_subject", "string", "the subject below; null likewise"),
        Column(
            "by_kind",
            "string",
            "the kind of that break; the rule that put the row or the event aside",
            False,
        ),
        Column("by_column", "string", "its column that differs; null but at state level"),
        Column("by_cluster", "string", "the cluster of that break; null where it is none"),
        Column("by_source", "string", "the legacy system of a row that was put aside; else null"),
        Column("by_table", "string", "its table; null likewise"),
        Column("by_key", "string", "its key; null likewise"),
        Column("by_event", "string", "the event that was put aside; else null"),
    ),
    rules=(
        "subject and cluster of a row are one break of `breaks`",
        "where `by_cluster` is told, `by_subject` and it are one as well",
    ),
)
