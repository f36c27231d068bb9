"""What one pass over the narrow table of a change file finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cutline.positions import FIRST_DIGITS
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import (
    BEGIN,
    END,
    OTHER,
    ROW,
    STRUCTURE,
    TOMBSTONE,
    TRUNCATE,
    UNKNOWN_OP,
)
from cutline.sources.changes.statements import EVERY_TABLE
from cutline.tables.change import SNAPSHOT

_NEWEST = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"


@dataclass(frozen=True)
class ScanCounts:
    """Counts over all records of a change file, and the first records that stop a run.

    `unreadable`, `truncated`, `altered` and `unknown_operation` are lines: `file`, `number` and
    `table`; null if there is none. `newest` is the latest commit time as ISO text; null without
    one. `dropped_schemas` counts the records that drop all tables of a schema, `elsewhere` rows
    with a partition or offset of their own, `ignored` those that concern no table that is read.
    `kinds` counts records by RECORD_KINDS.

    Of the rows of tables that are read, `numberable` counts those whose position may be made from
    a commit number, `numbered` those whose position is, and `unplaced` those whose position is not.
    `begins` and `ends` count boundaries of transactions, `commits` the ends that have an LSN,
    `lasts` the rows that say whether they are the last of a transaction, `ordinals` the rows with a
    number in it, and `halves` those of changed keys.

    `commits_before` has by point the latest commit before it that a record names; null without
    one. `row_counts` has the number of rows by table that is read, `schemas` the first and the last
    schema, in order of their names, that its rows name; both null without rows.
    """

    unreadable: Row | None
    truncated: Row | None
    altered: Row | None
    unknown_operation: Row | None
    newest: str | None
    dropped_schemas: int
    elsewhere: int
    tombstones: int
    ignored: int
    kinds: Mapping[str, int]
    numbered: int
    numberable: int
    unplaced: int
    begins: int
    ends: int
    commits: int
    lasts: int
    ordinals: int
    halves: int
    commits_before: Mapping[str, str | None]
    row_counts: Mapping[str, int]
    schemas: Mapping[str, tuple[str | None, str | None]]


RECORD_KINDS = ("with_rows", "boundaries", "tombstones", "of_other_tables", "without_rows")
"""The kinds of records: rows of tables that are read; beginnings and ends of transactions;
deletions of keys alone; rows of other tables; and records without rows."""


def scan_counts(narrow: DataFrame, change_input: ChangeInput) -> ScanCounts:
    """The counts of a change file, from one pass over its narrow table."""
    names_in_file = list(change_input.tables.values())
    of_read_table = F.col("table").isin(names_in_file)
    read_names = F.array(*map(F.lit, names_in_file))
    names_read_table = F.arrays_overlap("named", read_names)
    drops_schema = (F.col("kind") == STRUCTURE) & F.array_contains("named", EVERY_TABLE)
    in_boundary_file = F.col("file") >= change_input.change_file_count
    read_row = (F.col("kind") == ROW) & F.coalesce(of_read_table, F.lit(False))
    unreadable = F.col("kind").isNull() | (
        in_boundary_file & ~F.col("kind").isin(BEGIN, END, TOMBSTONE)
    )
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    alters_read_table = F.coalesce(names_read_table, F.lit(False)) & (F.col("kind") == STRUCTURE)
    of_other_table = (F.col("kind") == ROW) & ~F.coalesce(of_read_table, F.lit(False))
    # Of every record of the log, whatever its table: each names the last commit before its own.
    last_commit = F.when(F.col("op") != SNAPSHOT, F.left("position", F.lit(FIRST_DIGITS)))
    ignored = F.col("kind").isin(OTHER, TRUNCATE, STRUCTURE, UNKNOWN_OP) | of_other_table
    first_item = F.col("item") == 0
    kinds = {
        "with_rows": first_item & read_row,
        "boundaries": first_item & F.col("kind").isin(BEGIN, END),
        "tombstones": F.col("kind") == TOMBSTONE,
        "of_other_tables": first_item & of_other_table,
        "without_rows": first_item & ignored & ~of_other_table,
    }
    altered_names = F.array_join(F.array_intersect("named", read_names), ", ")
    truncated = of_read_table & (F.col("kind") == TRUNCATE)
    unknown_operation = of_read_table & (F.col("kind") == UNKNOWN_OP)
    counts = narrow.agg(
        F.min(F.when(unreadable, _line_of())).alias("unreadable"),
        F.min(F.when(truncated, _line_of("table"))).alias("truncated"),
        F.min(F.when(alters_read_table, _line_of(altered_names))).alias("altered"),
        F.min(F.when(unknown_operation, _line_of("table"))).alias("unknown_operation"),
        F.date_format(F.max("committed"), _NEWEST).alias("newest"),
        F.count_if(drops_schema).alias("dropped_schemas"),
        F.count_if(elsewhere).alias("elsewhere"),
        F.count_if(kinds["tombstones"]).alias("tombstones"),
        F.count_if(ignored).alias("ignored"),
        F.array(*(F.count_if(kinds[kind]) for kind in RECORD_KINDS)).alias("kinds"),
        F.count_if(read_row & F.col("numbered")).alias("numbered"),
        F.count_if(read_row & F.col("numbered").isNotNull()).alias("numberable"),
        F.count_if(read_row & ~F.coalesce("numbered", F.lit(True))).alias("unplaced"),
        F.count_if(F.col("kind") == BEGIN).alias("begins"),
        F.count_if(F.col("kind") == END).alias("ends"),
        F.count_if((F.col("kind") == END) & F.col("lsn").isNotNull()).alias("commits"),
        F.count_if(F.col("last").isNotNull()).alias("lasts"),
        F.count_if(F.col("ordinal").isNotNull()).alias("ordinals"),
        F.count_if(read_row & (F.coalesce("newkey", "oldkey").isNotNull())).alias("halves"),
        F.array(
            *(F.max(F.when(last_commit < point, last_commit)) for point in change_input.points)
        ).alias("commits_before"),
        F.array(*(F.count_if(read_row & (F.col("table") == n)) for n in names_in_file)).alias(
            "row_counts"
        ),
        F.array(*(F.min(_schema_of(name)) for name in names_in_file)).alias("first_schemas"),
        F.array(*(F.max(_schema_of(name)) for name in names_in_file)).alias("last_schemas"),
    ).first()
    assert counts is not None
    schemas = zip(counts["first_schemas"], counts["last_schemas"], strict=True)
    by_name: dict[str, Any] = {
        "kinds": dict(zip(RECORD_KINDS, counts["kinds"], strict=True)),
        "commits_before": dict(zip(change_input.points, counts["commits_before"], strict=True)),
        "row_counts": dict(zip(change_input.tables, counts["row_counts"], strict=True)),
        "schemas": dict(zip(change_input.tables, schemas, strict=True)),
    }
    names = [field.name for field in fields(ScanCounts) if field.name not in by_name]
    return ScanCounts(**{name: counts[name] for name in names}, **by_name)


def _schema_of(name_in_file: str) -> Column:
    # Of a change that nobody can read no schema is known.
    has_schema = (F.col("table") == name_in_file) & (F.col("schema") != "")
    return F.when(has_schema, F.col("schema"))


def _line_of(table: str | Column | None = None) -> Column:
    table_column = F.lit(None).cast("string") if table is None else table
    return F.struct(
        "file",
        "number",
        F.col(table_column).alias("table")
        if isinstance(table_column, str)
        else table_column.alias("table"),
    )
