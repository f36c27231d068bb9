"""Changes: what a source says happened to one of its rows.

There is one physical table per source table, `changes_<source>_<table>`, because `before` and
`after` are structs of that table's own columns, typed by its contract. What follows are the
columns around them.
"""

from __future__ import annotations

from cutline.tables.contract import Column, Table

SNAPSHOT, CREATE, UPDATE, DELETE = "r", "c", "u", "d"


def changes_name(source: str, table: str) -> str:
    """The name of the changes table of one source table."""
    return f"changes_{source}_{table}"


def changes(source: str, table: str, image: str) -> Table:
    """The contract of one changes table; `image` is the DDL of a row, `struct<…>`."""
    return Table(
        name=changes_name(source, table),
        one_row_is=f"one image change of one row of {source}.{table}; a snapshot row has op `r`",
        columns=(
            Column("source", "string", "the legacy system, as cutline.yaml names it", False),
            Column("table", "string", "the table within the source", False),
            Column("key", "string", "the row's key: a canonical JSON array of its key columns"),
            Column(
                "old_key", "string", "its key before, where the change gave it another; else null"
            ),
            Column("op", "string", "r snapshot, c create, u update, d delete", False),
            Column("before", image, "the row before; null where there was none or it is unknown"),
            Column("after", image, "the row after; null for a delete"),
            Column(
                "unknown",
                "array<string>",
                "columns of the row that the change did not tell: null in `after`, and unknown; "
                "null where it told all",
            ),
            Column(
                "position",
                "string",
                "fixed-width text that sorts as the source commits; null for a re-read row that "
                "carries none: it is placed by arrival",
            ),
            Column(
                "commit",
                "string",
                "the part of a position that all rows of its commit share; null for a snapshot "
                "row, and where the log does not tell it",
            ),
            Column("transaction", "string", "the source's transaction; null where it tells none"),
            Column(
                "partition",
                "int",
                "the topic's partition that delivered it, or its file's number; null for a "
                "snapshot row",
            ),
            Column("offset", "bigint", "its place there, or its line; null for a snapshot row"),
            Column(
                "generation",
                "int",
                "of a snapshot row, the generation of its batch: the highest of a key counts; "
                "else null",
            ),
            Column(
                "source_time", "timestamp", "when the source committed; null for a snapshot row"
            ),
            Column(
                "extract_time",
                "timestamp",
                "when the row was read: by the extract, or by the connector for its own snapshot",
                False,
            ),
            Column(
                "defects",
                "array<string>",
                "why the row could not be read; empty when it could",
                False,
            ),
            Column("payload", "string", "the row as it was read, where it has defects; else null"),
        ),
        rules=(
            "every row that the source holds for the slice is here once, readable or not",
            "a row with defects keeps its payload, and null for each value that could not be read",
        ),
    )
