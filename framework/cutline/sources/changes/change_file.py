"""A change file, parsed and checked as a whole before anything of it is written."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.kafka.frozen import FrozenTopics
from cutline.kafka.parts import TopicPart
from cutline.positions import FIRST_DIGITS
from cutline.project.changes import Changes, DebeziumChanges, LogicalDecoding, OggChanges
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import BEGIN, END, ROW
from cutline.sources.changes.envelope_files import narrow_table, write_envelopes
from cutline.sources.changes.file_order import files_in_order
from cutline.sources.changes.file_part import FilePart, copy_parts, parts_until
from cutline.sources.changes.formats import envelopes, marks_every_last_row
from cutline.sources.changes.line_kinds import count_line_kinds
from cutline.sources.changes.position_order import refuse_backwards
from cutline.sources.changes.position_sql import commit_part, zero_padded
from cutline.sources.changes.records import PARSED, records
from cutline.sources.changes.renames import key_change_halves
from cutline.sources.changes.reused_ids import commit_times_of_reused_ids, with_distinct_ids
from cutline.sources.changes.scan import scan_change_file
from cutline.sources.changes.scan_counts import ScanCounts
from cutline.sources.changes.transactions import (
    commits_by_transaction,
    refuse_gaps,
    unfinished_transactions,
)
from cutline.sources.kafka import lines_before, write_lines
from cutline.sources.needs_whole import NeedsWholeRun
from cutline.sources.text_records import RECORD_DDL, LineAccounts, TextFormat, split_records
from cutline.spark.few_rows import broadcast_if_few, counted_few
from cutline.tables.change import SNAPSHOT

RECORDED: Final = "told"
ASSUMED: Final = "assumed"
"""Whether a file records the ends of its transactions, or they must be assumed to be complete."""


@dataclass(frozen=True)
class ChangeFile:
    """A change file that was checked as a whole.

    `rows` has one row per changed row of any table (envelope.ENVELOPE). `tombstones` counts the
    lines that only delete a key, `ignored` those that concern no table that is read. `files` are in
    the order of their numbers; `place` names them, for messages. `row_counts` has the number of
    changed rows of each table that is read, `lines` the number of lines of each kind.

    `transactions` is RECORDED or ASSUMED. `commit_sql` is SQL for the commit of a row. `commits`
    has one row per transaction, with its commit and its commit time, where the records that end
    transactions have them; else null. `last_places` has one row per transaction, with its commit,
    where each position is the place of a row; else null. `halves` are the halves of changed keys,
    `unfinished` the ids of transactions without an end; null where there are none.

    `offsets` are the first and last offset of each partition (without partitions, line numbers of
    each file); empty unless the order is that of a topic. `in_line`: the files follow one another,
    as no record has a partition. `newest` is the latest commit time of the changes of all tables,
    as ISO text; null if no record has one. `committed` has by point the latest commit before it,
    for logs whose rows name the last commit before their own transaction. `parts` are what was read
    where only parts of the files were, `topics` what was read of topics: without transactions that
    have no end there, where the read waits for them.
    """

    section: Changes
    rows: DataFrame
    tombstones: int
    ignored: int
    transactions: Literal["told", "assumed"]
    commit_sql: str
    commits: DataFrame | None
    last_places: DataFrame | None
    halves: DataFrame | None
    unfinished: DataFrame | None
    offsets: Mapping[int, tuple[int, int]]
    in_line: bool
    newest: str | None
    files: Sequence[Path | TopicPart]
    place: str
    row_counts: Mapping[str, int]
    lines: Mapping[str, int]
    committed: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[FilePart, ...] = ()
    topics: FrozenTopics | None = None


def open_change_file(spark: SparkSession, change_input: ChangeInput, scratch: str) -> ChangeFile:
    """Read the records of a change file; only `scratch` is written to.

    RunFailed, naming file and line, for a record without a recognisable table or operation, and for
    a table that was truncated or altered; for positions that go back, for a gap in a transaction,
    and for one without an end before others; and for one table name in two schemas.
    """
    lines, accounts = _lines(spark, change_input, f"{scratch}/lines")
    return _opened(spark, change_input, scratch, lines, accounts)


def _opened(
    spark: SparkSession,
    change_input: ChangeInput,
    scratch: str,
    lines: DataFrame,
    accounts: LineAccounts,
) -> ChangeFile:
    envelope_rows = write_envelopes(
        envelopes(records(lines), change_input.section, change_input.columns),
        f"{scratch}/envelopes",
    )
    narrow = narrow_table(envelope_rows)
    waits = bool(change_input.parts) or change_input.waits
    if waits and (held_lines := _lines_of_unfinished(narrow, change_input)):
        # Whole transactions only: what has no end yet is read when its end is there.
        if change_input.topics is not None:
            ended = replace(change_input, topics=change_input.topics.until(held_lines))
            ended_lines, accounts = lines_before(lines, held_lines, len(accounts.files))
            return _opened(spark, ended, f"{scratch}/ended", ended_lines, accounts)
        parts = parts_until(change_input.parts, held_lines)
        return open_change_file(spark, replace(change_input, parts=parts), f"{scratch}/ended")
    ordered_files = files_in_order(narrow, change_input)
    if ordered_files != change_input.files:
        return open_change_file(
            spark, replace(change_input, files=ordered_files), f"{scratch}/in-time"
        )
    section = change_input.section
    scan = scan_change_file(narrow, change_input)
    refuse_backwards(narrow, change_input)
    if scan.lasts and section.log == "kafka":
        reused_ids = commit_times_of_reused_ids(narrow)
        if reused_ids is not None:
            narrow, envelope_rows = (
                with_distinct_ids(rows, reused_ids) for rows in (narrow, envelope_rows)
            )
    if scan.ordinals:
        schemas = {name: low for name, (low, _) in scan.schemas.items() if low is not None}
        _refuse_gaps(narrow, change_input, schemas)
    lasts = scan.lasts if marks_every_last_row(section) else 0
    ends_recorded = bool(scan.ends or lasts or scan.begins) or change_input.ends_told
    by_ends = bool(scan.commits) and section.log == "postgresql"
    if scan.unplaced and not by_ends and isinstance(section, LogicalDecoding):
        raise RunFailed(
            f"{change_input.key}: no record tells where a transaction was committed, and the "
            "order of rows is that of their commits",
            left_behind="Nothing was written.",
            next_step="Write the changes again with the records that end transactions.",
        )
    # Only these were counted, and only these are joined with their halves.
    read_rows = narrow.where(F.col("table").isin(*change_input.tables.values()))
    return ChangeFile(
        section=section,
        rows=_whole_images(envelope_rows.where(F.col("kind") == ROW)),
        tombstones=accounts.blanks + scan.tombstones,
        ignored=accounts.licence + scan.ignored,
        transactions=RECORDED if ends_recorded else ASSUMED,
        commit_sql=_commit_sql(section),
        commits=broadcast_if_few(_padded_commits(narrow, change_input), scan.commits)
        if by_ends
        else None,
        last_places=_last_places(narrow) if _ordered_by_transaction(section, scan) else None,
        halves=broadcast_if_few(key_change_halves(read_rows, section.log), scan.halves)
        if scan.halves
        else None,
        unfinished=counted_few(unfinished_transactions(narrow, change_input))
        if ends_recorded
        else None,
        offsets=_offsets(narrow) if section.log == "kafka" else {},
        in_line=section.log != "kafka" and not scan.elsewhere,
        newest=scan.newest,
        committed=_last_commits_before(section, scan),
        files=change_input.files,
        place=change_input.place,
        row_counts=scan.row_counts,
        lines=count_line_kinds(accounts, scan.kinds, narrow, change_input),
        parts=change_input.parts,
        topics=None if change_input.topics is None else change_input.topics.topics,
    )


def _lines(
    spark: SparkSession, change_input: ChangeInput, folder: str
) -> tuple[DataFrame, LineAccounts]:
    """The lines of files, of parts of files, or of what topics hold, by RECORD_SCHEMA, and an
    account of them. Those of parts have their numbers in the whole files."""
    if change_input.topics is not None:
        return write_lines(spark, change_input.topics, folder)
    parts, text_format = change_input.parts, TextFormat(licence=True)
    if not parts:
        whole_files = [file for file in change_input.files if isinstance(file, Path)]
        accounts = split_records(whole_files, folder, change_input.key, text_format)
        return spark.read.schema(RECORD_DDL).parquet(folder), accounts
    with tempfile.TemporaryDirectory(prefix="cutline-changes-") as local:
        files = copy_parts(parts, local)
        accounts = split_records(files, folder, change_input.key, text_format)
    lines = spark.read.schema(RECORD_DDL).parquet(folder)
    before = F.array(*(F.lit(part.lines_before).cast("bigint") for part in parts))
    numbered = lines.withColumns(
        {
            "number": F.col("number") + F.get(before, F.col("file")),
            "place": F.col("place") + F.lit(change_input.places_before),
        }
    )
    return numbered, accounts


def _lines_of_unfinished(narrow: DataFrame, change_input: ChangeInput) -> dict[int, int]:
    """By file, or partition, the number of the first line of a transaction that has no end yet."""
    ends = F.col("kind").isin(BEGIN, END)
    if marks_every_last_row(change_input.section):
        ends = ends | F.col("last").isNotNull()
    if not change_input.ends_told and narrow.where(ends).isEmpty():
        return {}
    unfinished = unfinished_transactions(narrow, change_input)
    # One row per file.
    lines = (
        narrow.join(unfinished, "transaction", "left_semi")
        .groupBy("file")
        .agg(F.min("number").alias("number"))
        .collect()
    )
    return {row["file"]: row["number"] for row in lines}


def _refuse_gaps(narrow: DataFrame, change_input: ChangeInput, schemas: dict[str, str]) -> None:
    """As `refuse_gaps`; NeedsWholeRun where the rows may stand before the parts that are read."""
    try:
        refuse_gaps(narrow, change_input, schemas)
    except RunFailed as gap:
        if not change_input.is_tail:
            raise
        raise NeedsWholeRun(
            f"{change_input.key}: rows of a transaction stand before what is new"
        ) from gap


def _whole_images(rows: DataFrame) -> DataFrame:
    """The rows, whose images are read from their files as they are.

    Spark would let the reader of Parquet take single values out of a variant, by expressions that
    it can only compile. It takes nothing past a column that is not deterministic.
    """
    return rows.withColumn(PARSED, F.spark_partition_id()).where(F.col(PARSED) >= 0)


def _ordered_by_transaction(section: Changes, scan: ScanCounts) -> bool:
    """Whether positions are places of rows, while transactions are recorded: GoldenGate without
    `csn`.
    """
    return isinstance(section, OggChanges) and section.log == "number" and not scan.numbered


def _last_places(narrow: DataFrame) -> DataFrame:
    """One row per transaction of several rows, with the place of its last row as `last_place`.

    A trail holds transactions whole and in the order of their commits, so this place stands for the
    commit.
    """
    rows = narrow.where((F.col("kind") == ROW) & F.col("transaction").isNotNull())
    several = rows.groupBy("transaction").agg(
        F.max("position").alias("last_place"), F.count("position").alias("rows")
    )
    return several.where("rows > 1").selectExpr(
        "transaction", f"left(last_place, {FIRST_DIGITS}) AS last_place"
    )


def _last_commits_before(section: Changes, scan: ScanCounts) -> dict[str, str]:
    """By point, the latest commit before it that a record names; empty unless the log is
    PostgreSQL's.
    """
    if not (isinstance(section, DebeziumChanges) and section.log == "postgresql"):
        return {}
    return {point: commit for point, commit in scan.commits_before.items() if commit is not None}


def _offsets(narrow: DataFrame) -> dict[int, tuple[int, int]]:
    """The first and last offset by partition: as few as there are files."""
    ends = narrow.groupBy("partition").agg(
        F.min("offset").alias("low"), F.max("offset").alias("high")
    )
    return {row["partition"]: (row["low"], row["high"]) for row in ends.collect()}


def _commit_sql(section: Changes) -> str:
    """SQL for the commit of a row; null for a row of a snapshot, and where positions have no
    commit.
    """
    if isinstance(section, DebeziumChanges) and section.log == "postgresql":
        return "CAST(NULL AS string)"
    return f"CASE WHEN op <> '{SNAPSHOT}' THEN {commit_part(section.log, 'position')} END"


def _padded_commits(narrow: DataFrame, change_input: ChangeInput) -> DataFrame:
    """`commits_by_transaction` with each LSN as the first part of a position."""
    ends = commits_by_transaction(narrow, change_input)
    return ends.selectExpr("transaction", f"{zero_padded('lsn', FIRST_DIGITS)} AS lsn", "committed")
