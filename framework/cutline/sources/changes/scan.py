"""The scan of a change file: counts, and the records that stop a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.positions import FIRST_DIGITS
from cutline.project.changes import Changes
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
from cutline.sources.changes.formats import expected_fields
from cutline.tables.change import SNAPSHOT

_TAIL_BYTES = 4096


@dataclass(frozen=True)
class ChangeInput:
    """A change file as the project declares it.

    `key` is its key in cutline.yaml. `files` are the files of changes, `change_file_count` of them,
    and then those of transaction boundaries. `tables` has the names in the file of the tables that
    are read, by their own names. `points` are commits whose predecessors are wanted, as text of a
    position's first digits. `columns` has the columns that are read of each table, by its name in
    the file.
    """

    key: str
    section: Changes
    files: Sequence[Path]
    change_file_count: int
    tables: Mapping[str, str]
    points: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The key and the first file, for messages."""
        others = " and others" if len(self.files) > 1 else ""
        return f"{self.key}: {self.files[0]}{others}"

    def stop_at(self, place: Row, message: str, next_step: str) -> NoReturn:
        """RunFailed for the line at a place."""
        raise RunFailed(
            f"{self.files[place.file]}, line {place.number}: {message}",
            left_behind="Nothing was written.",
            next_step=next_step,
        )


def scan_change_file(narrow: DataFrame, change_input: ChangeInput) -> dict[str, Any]:
    """Counts and facts of the whole file, by name, from one pass.

    RunFailed for an unreadable record; for a truncated or altered table, or an unknown operation on
    a table that is read; for changes of which only some have a commit number; and for one table
    name in two schemas.
    """
    scan = _scan(narrow, change_input)
    if scan["broken"] is not None:
        _stop_at_unreadable(narrow, change_input, scan["broken"])
    if scan["truncated"] is not None:
        change_input.stop_at(
            scan["truncated"],
            f"truncates table {scan['truncated'].table!r}, and which rows that removed is not said",
            "Take a new snapshot from after the truncation, and changes from there on.",
        )
    if scan["structure"] is not None:
        change_input.stop_at(
            scan["structure"],
            f"gives table {scan['structure'].table!r} another structure",
            "Take a new snapshot from after it, and changes from there on; or, if the contract "
            "declares the shapes of before and after, leave that line out of the file.",
        )
    if scan["unknown"] is not None:
        change_input.stop_at(
            scan["unknown"],
            f"has an operation on table {scan['unknown'].table!r} that is none of those that "
            f"{change_input.section.kind} is known to write",
            "If it changes no row, leave that line out of the file; else export the changes again "
            "with a connector that this version reads.",
        )
    if 0 < scan["numbered"] < scan["numberable"]:
        raise RunFailed(
            f"{change_input.key}: {scan['numbered']:,} of {scan['numberable']:,} changes tell the "
            "number of their commit, and the others do not: they have no common order",
            next_step="Have the connector write it in every record, or in none.",
        )
    for name, name_in_file in change_input.tables.items():
        low, high = scan[f"low_{name}"], scan[f"high_{name}"]
        if low != high:
            raise RunFailed(
                f"{change_input.key}: table {name_in_file!r} comes from {low} and from {high}",
                next_step="Give one change file per schema.",
            )
    return scan


def _stop_at_unreadable(narrow: DataFrame, change_input: ChangeInput, place: Row) -> NoReturn:
    last = narrow.where(F.col("file") == place.file).agg(F.max("number")).first()
    message = "is no change that can be read: its table or operation cannot be told"
    next_step = (
        f"See that `kind`, beside {change_input.key}, names what wrote the file, and that the file "
        "holds changes alone, then run the same command."
    )
    if place.file >= change_input.change_file_count:
        message = "tells no boundary of a transaction: `status` BEGIN or END, and `id`"
    elif (
        last is not None
        and last[0] == place.number
        and _ends_mid_object(change_input.files[place.file])
    ):
        message += ". It is the last line of the file"
        next_step = "Was the file cut off? Copy it again as a whole, then run the same command."
    change_input.stop_at(
        place,
        f"{message} ({change_input.section.kind}: {expected_fields(change_input.section)})",
        next_step,
    )


def _ends_mid_object(path: Path) -> bool:
    """Whether the file ends inside an object, or with anything that is no object."""
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return not handle.read().rstrip().endswith(b"}")


def _scan(narrow: DataFrame, change_input: ChangeInput) -> dict[str, Any]:
    of_read_table = F.col("table").isin(list(change_input.tables.values()))
    named = F.arrays_overlap("named", F.array(*map(F.lit, change_input.tables.values())))
    in_boundary_file = F.col("file") >= change_input.change_file_count
    row = (F.col("kind") == ROW) & F.coalesce(of_read_table, F.lit(False))
    unreadable = F.col("kind").isNull() | (
        in_boundary_file & ~F.col("kind").isin(BEGIN, END, TOMBSTONE)
    )
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    changed = F.coalesce(named, F.lit(False)) & (F.col("kind") == STRUCTURE)
    unread = (F.col("kind") == ROW) & ~F.coalesce(of_read_table, F.lit(False))
    # Of every record of the log, whatever its table: each names the last commit before its own.
    last_commit = F.when(F.col("op") != SNAPSHOT, F.left("position", F.lit(FIRST_DIGITS)))
    passed = F.col("kind").isin(OTHER, TRUNCATE, STRUCTURE, UNKNOWN_OP) | unread
    first = F.col("item") == 0
    scan = narrow.agg(
        F.min(F.when(unreadable, _line_of())).alias("broken"),
        F.min(F.when(of_read_table & (F.col("kind") == TRUNCATE), _line_of("table"))).alias(
            "truncated"
        ),
        F.min(F.when(changed, _line_of(F.array_join("named", ", ")))).alias("structure"),
        F.min(F.when(of_read_table & (F.col("kind") == UNKNOWN_OP), _line_of("table"))).alias(
            "unknown"
        ),
        F.date_format(F.max("committed"), "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX").alias("newest"),
        F.count_if(elsewhere).alias("elsewhere"),
        F.count_if(F.col("kind") == TOMBSTONE).alias("tombstones"),
        F.count_if(passed).alias("ignored"),
        F.count_if(first & row).alias("with_rows"),
        F.count_if(first & F.col("kind").isin(BEGIN, END)).alias("boundaries"),
        F.count_if(first & unread).alias("of_other_tables"),
        F.count_if(first & passed & ~unread).alias("without_rows"),
        F.count_if(row & F.col("numbered")).alias("numbered"),
        F.count_if(row & F.col("numbered").isNotNull()).alias("numberable"),
        F.count_if(row & ~F.coalesce("numbered", F.lit(True))).alias("unplaced"),
        F.count_if(F.col("kind") == BEGIN).alias("begins"),
        F.count_if(F.col("kind") == END).alias("ends"),
        F.count_if((F.col("kind") == END) & F.col("lsn").isNotNull()).alias("commits"),
        F.count_if(F.col("last").isNotNull()).alias("lasts"),
        F.count_if(F.col("ordinal").isNotNull()).alias("ordinals"),
        F.count_if(row & (F.coalesce("newkey", "oldkey").isNotNull())).alias("halves"),
        *(
            F.max(F.when(last_commit < point, last_commit)).alias(f"before_{point}")
            for point in change_input.points
        ),
        *(
            F.count_if(row & (F.col("table") == name_in_file)).alias(f"rows_{name}")
            for name, name_in_file in change_input.tables.items()
        ),
        *(
            aggregate(F.when(F.col("table") == name_in_file, F.col("schema"))).alias(
                f"{end}_{name}"
            )
            for name, name_in_file in change_input.tables.items()
            for end, aggregate in (("low", F.min), ("high", F.max))
        ),
    ).first()
    assert scan is not None
    return scan.asDict()


def _line_of(table: str | Column | None = None) -> Column:
    table_column = F.lit(None).cast("string") if table is None else table
    return F.struct(
        "file",
        "number",
        F.col(table_column).alias("table")
        if isinstance(table_column, str)
        else table_column.alias("table"),
    )
