"""Clusters: breaks that look alike, and what they have that matches have not."""

from __future__ import annotations

from cutline.tables.contract import Column, Table

CLUSTERS = Table(
    name="clusters",
    one_row_is="breaks of one level, name, kind, column, pattern, rule and disposition, "
    "with their likely cause",
    columns=(
        Column("cluster", "string", "its id: a digest of its pattern and of no run", False),
        Column("by_count", "int", "its place among the run's clusters by count, from 1", False),
        Column(
            "by_money",
            "int",
            "its place by money, from 1; null where it has none",
        ),
        Column("level", "string", "record | state | outcome", False),
        Column("name", "string", "the aggregate or the outcome", False),
        Column("kind", "string", "missing | unexpected | different | duplicated", False),
        Column("column", "string", "the column that differs; null where the whole subject does"),
        Column(
            "columns",
            "string",
            "all columns in which its subjects differ, by name, where many differ in just these; "
            "else null",
        ),
        Column("pattern", "string", "what became of the legacy's value, in words", False),
        Column("rule", "string", "what made the new value: see `breaks`"),
        Column("disposition", "string", "the end of the legacy row: see `breaks`"),
        Column("count", "bigint", "breaks in it", False),
        Column("subjects", "bigint", "distinct subjects of those", False),
        Column("amount", "decimal(38,6)", "sum of new minus legacy; null where none is a number"),
        Column(
            "money",
            "decimal(38,6)",
            "sum of what they put at risk, and of those that say no such thing of their amounts "
            "without sign; null where none has either",
        ),
        Column(
            "cause",
            "string",
            "what feeds it from below, such as `stock.reserved differs`; else what its "
            "subjects have and matches hardly have, such as `erp.products.kind = BUNDLE`; null "
            "where nothing stands out",
        ),
        Column("with_cause", "bigint", "its subjects that have the cause; null without one"),
        Column("matched_with_cause", "bigint", "subjects that match and have it; null without one"),
        Column("matched", "bigint", "subjects of the same level and name that match", False),
        Column(
            "risk_ratio",
            "decimal(38,6)",
            "how many times as often a subject with the cause is in the cluster as one without; "
            "at least so many, where none without it is; null without a cause",
        ),
        Column(
            "fed_by",
            "array<string>",
            "the clusters of breaks below that its decisions or states depend on, those of most "
            "subjects first; empty where rows or events that were put aside feed it; null where "
            "the cause is of neither",
        ),
        Column(
            "fed_subjects",
            "bigint",
            "distinct subjects of those breaks, or distinct rows or events; null likewise",
        ),
        Column("fed_amount", "decimal(38,6)", "sum of their amounts; null where none is a number"),
        Column(
            "settled",
            "bigint",
            "its decisions that are the legacy's once what feeds them is as the legacy has it; "
            "null where that was not tried",
        ),
        Column("why", "string", "the cause for people: a sentence or two", False),
        Column("sentence", "string", "all of this for people", False),
    ),
    rules=("every break is in exactly one cluster: the counts add up to the rows of `breaks`",),
)
