"""What stops a run that reads a change file: records that leave open what happened."""

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
from cutline.sources.changes.formats import expected
from cutline.tables.change import SNAPSHOT

_TAIL = 4096


@dataclass(frozen=True)
class Input:
    """A change file as the project declares it.

    `key` is where it stands in cutline.yaml, `files` those of the changes and then those of the
    transactions, of which `changes` says how many are the former; `tables` are the names in the
    file of the tables that are read, by their own. `points` are commits that the records are asked
    about, as text of a position's first digits; `columns` is what is asked of each table, by its
    name in the file.
    """

    key: str
    section: Changes
    files: Sequence[Path]
    changes: int
    tables: Mapping[str, str]
    points: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def stopped(self, place: Row, what: str, next_step: str) -> NoReturn:
        """RunFailed for the line at a place."""
        raise RunFailed(
            f"{self.files[place.file]}, line {place.number}: {what}",
            left_behind="Nothing was written.",
            next_step=next_step,
        )


def looked_through(narrow: DataFrame, given: Input) -> dict[str, Any]:
    """What stops the run or is only counted, from one pass. Raises RunFailed for what stops it."""
    facts = _facts(narrow, given)
    if facts["broken"] is not None:
        _broken(narrow, given, facts["broken"])
    if facts["truncated"] is not None:
        given.stopped(
            facts["truncated"],
            f"truncates table {facts['truncated'].table!r}, and which rows that removed is not "
            "said",
            "Take a new snapshot from after the truncation, and changes from there on.",
        )
    if facts["structure"] is not None:
        given.stopped(
            facts["structure"],
            f"gives table {facts['structure'].table!r} another structure",
            "Take a new snapshot from after it, and changes from there on; or, if the contract "
            "declares the shapes of before and after, leave that line out of the file.",
        )
    if facts["unknown"] is not None:
        given.stopped(
            facts["unknown"],
            f"has an operation on table {facts['unknown'].table!r} that is none of those that "
            f"{given.section.kind} is known to write",
            "If it changes no row, leave that line out of the file; else export the changes again "
            "with a connector that this version reads.",
        )
    if 0 < facts["numbered"] < facts["numberable"]:
        raise RunFailed(
            f"{given.key}: {facts['numbered']:,} of {facts['numberable']:,} changes tell the "
            "number of their commit, and the others do not: they have no common order",
            next_step="Have the connector write it in every record, or in none.",
        )
    for name, spoken in given.tables.items():
        low, high = facts[f"low_{name}"], facts[f"high_{name}"]
        if low != high:
            raise RunFailed(
                f"{given.key}: table {spoken!r} comes from {low} and from {high}",
                next_step="Give one change file per schema.",
            )
    return facts


def _broken(narrow: DataFrame, given: Input, place: Row) -> NoReturn:
    last = narrow.where(F.col("file") == place.file).agg(F.max("number")).first()
    what = "is no change that can be read: its table or operation cannot be told"
    mend = (
        f"See that `kind`, beside {given.key}, names what wrote the file, and that the file holds "
        "changes alone, then run the same command."
    )
    if place.file >= given.changes:
        what = "tells no boundary of a transaction: `status` BEGIN or END, and `id`"
    elif last is not None and last[0] == place.number and _ends_within(given.files[place.file]):
        what += ". It is the last line of the file"
        mend = "Was the file cut off? Copy it again as a whole, then run the same command."
    given.stopped(place, f"{what} ({given.section.kind}: {expected(given.section)})", mend)


def _ends_within(path: Path) -> bool:
    """Whether the file ends in the middle of an object, or of something else that is none."""
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - _TAIL))
        return not handle.read().rstrip().endswith(b"}")


def _facts(narrow: DataFrame, given: Input) -> dict[str, Any]:
    ours = F.col("table").isin(list(given.tables.values()))
    named = F.arrays_overlap("named", F.array(*map(F.lit, given.tables.values())))
    aside = F.col("file") >= given.changes
    row = (F.col("kind") == ROW) & F.coalesce(ours, F.lit(False))
    strange = F.col("kind").isNull() | (aside & ~F.col("kind").isin(BEGIN, END, TOMBSTONE))
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    changed = F.coalesce(named, F.lit(False)) & (F.col("kind") == STRUCTURE)
    unread = (F.col("kind") == ROW) & ~F.coalesce(ours, F.lit(False))
    # Of every record of the log, whatever its table: each names the last commit before its own.
    last_commit = F.when(F.col("op") != SNAPSHOT, F.left("position", F.lit(FIRST_DIGITS)))
    passed = F.col("kind").isin(OTHER, TRUNCATE, STRUCTURE, UNKNOWN_OP) | unread
    first = F.col("item") == 0
    facts = narrow.agg(
        F.min(F.when(strange, _place())).alias("broken"),
        F.min(F.when(ours & (F.col("kind") == TRUNCATE), _place("table"))).alias("truncated"),
        F.min(F.when(changed, _place(F.array_join("named", ", ")))).alias("structure"),
        F.min(F.when(ours & (F.col("kind") == UNKNOWN_OP), _place("table"))).alias("unknown"),
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
            for point in given.points
        ),
        *(
            F.count_if(row & (F.col("table") == spoken)).alias(f"rows_{name}")
            for name, spoken in given.tables.items()
        ),
        *(
            aggregate(F.when(F.col("table") == spoken, F.col("schema"))).alias(f"{end}_{name}")
            for name, spoken in given.tables.items()
            for end, aggregate in (("low", F.min), ("high", F.max))
        ),
    ).first()
    assert facts is not None
    return facts.asDict()


def _place(table: str | Column | None = None) -> Column:
    named = F.lit(None).cast("string") if table is None else table
    return F.struct(
        "file",
        "number",
        F.col(named).alias("table") if isinstance(named, str) else named.alias("table"),
    )
