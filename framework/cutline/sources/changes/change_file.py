"""A change file, read through once before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.positions import FIRST_DIGITS
from cutline.project.changes import Changes, DebeziumChanges, LogicalDecoding, OggChanges
from cutline.sources.changes import narrow as narrowed
from cutline.sources.changes.envelope import ROW
from cutline.sources.changes.file_order import files_in_time
from cutline.sources.changes.formats import envelopes
from cutline.sources.changes.line_kinds import accounted
from cutline.sources.changes.position_order import refuse_backwards
from cutline.sources.changes.position_sql import commit, padded
from cutline.sources.changes.records import PARSED, records
from cutline.sources.changes.renames import halves
from cutline.sources.changes.reused_ids import commit_times_of_ids, told_apart
from cutline.sources.changes.scan import Input, looked_through
from cutline.sources.changes.transactions import commits, refuse_gaps, unfinished
from cutline.sources.text_records import RECORD_DDL, TextFormat, split_records
from cutline.tables.change import SNAPSHOT

TOLD: Final = "told"
ASSUMED: Final = "assumed"
"""Whether a file says where its transactions end, or that they are whole must be assumed."""


@dataclass(frozen=True)
class ChangeFile:
    """A change file that was read through once.

    `rows` has one row per changed row of any table (envelope.ENVELOPE), `tombstones` counts the
    lines that only say that a key is gone, `ignored` those that concern no table that is read.
    `transactions` is TOLD or ASSUMED. `commit` is SQL for the commit of a row; `commits` tells it
    by transaction, and when it was, where the ends of transactions do, else it is null.
    `last_places` tells it by transaction where each position is its row's own, else it is null.
    `halves` are those of changed keys, `unfinished` the ids of transactions without an end; null
    where there cannot be any.
    `offsets` are the first and the last record of each partition (of a file, its number), whatever
    they tell; empty but for records whose order is that of a topic. `in_line`: none tells its
    partition, so the files follow one another. `newest` is the latest commit time of any table's
    changes, as ISO text; null where none is told. `committed` tells by point, for logs whose rows
    name the last commit before their own transaction, the latest of those that is before it.
    `files` are in the order of their numbers, `place` names them, `row_counts` has the changed rows
    of each table that is read, `lines` says by name what the lines of the files are.
    """

    section: Changes
    rows: DataFrame
    tombstones: int
    ignored: int
    transactions: Literal["told", "assumed"]
    commit: str
    commits: DataFrame | None
    last_places: DataFrame | None
    halves: DataFrame | None
    unfinished: DataFrame | None
    offsets: Mapping[int, tuple[int, int]]
    in_line: bool
    newest: str | None
    files: Sequence[Path]
    place: str
    row_counts: Mapping[str, int]
    lines: Mapping[str, int]
    committed: Mapping[str, str] = field(default_factory=dict)


def opened_changes(spark: SparkSession, given: Input, scratch: str) -> ChangeFile:
    """Read a change file's records; nothing is written but to `scratch`.

    Raises RunFailed, naming file and line, for a record whose table or operation cannot be told,
    for a table that was truncated or given another structure, for positions that go back, a gap in
    a transaction, or one without an end before others, and for a table of the same name in two
    schemas.
    """
    cut = split_records(given.files, f"{scratch}/lines", given.key, TextFormat(licence=True))
    lines = spark.read.schema(RECORD_DDL).parquet(f"{scratch}/lines")
    told = envelopes(records(lines), given.section, given.columns)
    narrow = narrowed.written(told, f"{scratch}/narrow")
    in_time = files_in_time(narrow, given)
    if in_time != given.files:
        return opened_changes(spark, replace(given, files=in_time), f"{scratch}/in-time")
    section = given.section
    facts = looked_through(narrow, given)
    refuse_backwards(narrow, given)
    if facts["lasts"] and section.log == "kafka":
        again = commit_times_of_ids(narrow)
        if again is not None:
            narrow, told = (told_apart(rows, again) for rows in (narrow, told))
    if facts["ordinals"]:
        schemas = {name: facts[f"low_{name}"] for name in given.tables}
        refuse_gaps(narrow, given, {name: low for name, low in schemas.items() if low is not None})
    ended = bool(facts["ends"] or facts["lasts"] or facts["begins"])
    by_ends = bool(facts["commits"]) and section.log == "postgresql"
    if facts["unplaced"] and not by_ends and isinstance(section, LogicalDecoding):
        raise RunFailed(
            f"{given.key}: no record tells where a transaction was committed, and the order of "
            "rows is that of their commits",
            left_behind="Nothing was written.",
            next_step="Write the changes again with the records that end transactions.",
        )
    return ChangeFile(
        section=section,
        rows=told.where((F.col("kind") == ROW) & (F.col(PARSED) >= 0)),
        tombstones=cut.blanks + facts["tombstones"],
        ignored=cut.licence + facts["ignored"],
        transactions=TOLD if ended else ASSUMED,
        commit=_commit(section),
        commits=_commits(narrow, given) if by_ends else None,
        last_places=_last_places(narrow) if _by_transaction(section, facts) else None,
        halves=halves(narrow, section.log) if facts["halves"] else None,
        unfinished=unfinished(narrow, given) if ended else None,
        offsets=_offsets(narrow) if section.log == "kafka" else {},
        in_line=section.log != "kafka" and not facts["elsewhere"],
        newest=facts["newest"],
        committed=_committed(facts, given),
        files=given.files,
        place=f"{given.key}: {given.files[0]}{' and others' if len(given.files) > 1 else ''}",
        row_counts={name: facts[f"rows_{name}"] for name in given.tables},
        lines=accounted(cut, facts, narrow, given),
    )


def _by_transaction(section: Changes, facts: Mapping[str, Any]) -> bool:
    """Whether a position is its row's own place and tells no commit, but the transaction is told.

    So it is in GoldenGate's trail where no record has a `csn`.
    """
    return isinstance(section, OggChanges) and section.log == "number" and not facts["numbered"]


def _last_places(narrow: DataFrame) -> DataFrame:
    """One row per transaction of several rows of any table: `last_place`, which is their commit.

    A trail holds transactions whole and in the order of their commits, so the place of the last row
    stands for the commit.
    """
    rows = narrow.where((F.col("kind") == ROW) & F.col("transaction").isNotNull())
    several = rows.groupBy("transaction").agg(
        F.max("position").alias("last_place"), F.count("position").alias("rows")
    )
    return several.where("rows > 1").selectExpr(
        "transaction", f"left(last_place, {FIRST_DIGITS}) AS last_place"
    )


def _committed(facts: Mapping[str, Any], given: Input) -> dict[str, str]:
    section = given.section
    if not (isinstance(section, DebeziumChanges) and section.log == "postgresql"):
        return {}
    named = {point: facts[f"before_{point}"] for point in given.points}
    return {point: commit for point, commit in named.items() if commit is not None}


def _offsets(narrow: DataFrame) -> dict[int, tuple[int, int]]:
    """One entry per partition: as few as there are files."""
    ends = narrow.groupBy("partition").agg(
        F.min("offset").alias("low"), F.max("offset").alias("high")
    )
    return {row["partition"]: (row["low"], row["high"]) for row in ends.collect()}


def _commit(section: Changes) -> str:
    """SQL for the commit of a row; null for a row of a snapshot, and where none is told."""
    if isinstance(section, DebeziumChanges) and section.log == "postgresql":
        return "CAST(NULL AS string)"
    return f"CASE WHEN op <> '{SNAPSHOT}' THEN {commit(section.log, 'position')} END"


def _commits(narrow: DataFrame, given: Input) -> DataFrame:
    ends = commits(narrow, given)
    return ends.selectExpr("transaction", f"{padded('lsn', FIRST_DIGITS)} AS lsn", "committed")
