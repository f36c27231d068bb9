"""What an extract saw in the logs of its sources: where they begin and end, what they leave out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, BEFORE, lines_of
from cutline.cut.commit_timestamp import CommitTimestamp
from cutline.engine.compose import commit_is_known
from cutline.engine.restore import ChangeFeatures
from cutline.positions import FIRST_DIGITS, SECOND_DIGITS
from cutline.results import ClockCrossing, SourceLog, TableLog
from cutline.sources.changes import OUT_OF_ORDER
from cutline.sources.used_tables import UsedSource, UsedTable
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE, changes
from cutline.workspace import Workspace

_FLAGS = ("partial", "renames", "rereads", "unplaced", "alone", "again", "out_of_order")
_COUNTED = (*_FLAGS, "generations")


def source_logs(
    workspace: Workspace, sources: Sequence[UsedSource], in_line: Collection[str]
) -> dict[str, SourceLog]:
    """By source that has changes what is in them, from one look at a few narrow columns each.

    `in_line` names the sources whose snapshot ends where the log's own transactions say so.
    """
    return {
        source.name: _source_log_of(workspace, source, source.name in in_line)
        for source in sources
        if source.section.changes is not None
    }


def change_features(logs: Mapping[str, SourceLog], source: str, table: str) -> ChangeFeatures:
    """What a translator needs to know of a table's changes; the defaults, where it has none."""
    log = logs.get(source)
    counts = None if log is None else log.tables.get(table)
    if log is None or counts is None:
        return ChangeFeatures()
    return ChangeFeatures(
        partial=counts.partial > 0,
        renames=counts.renames > 0,
        rereads=counts.rereads > 0,
        unplaced=counts.unplaced > 0,
        generations=counts.generations > 1,
        in_line=log.in_line,
        by_partition=log.by_partition,
    )


def _source_log_of(workspace: Workspace, source: UsedSource, in_line: bool) -> SourceLog:
    rows: DataFrame | None = None
    line = lines_of(workspace.project, workspace.context.name, source.name).snapshot
    side = line.side() if isinstance(line, CommitTimestamp) else F.lit(None)
    assert source.section.changes is not None
    by_offset = source.section.changes.log == "kafka"
    for table in source.tables:
        changes_of_table = _narrow_rows(workspace, table, side, by_offset)
        rows = changes_of_table if rows is None else rows.unionByName(changes_of_table)
    assert rows is not None
    # One row per table and partition of the topic: as few as there are files.
    partitions = rows.groupBy("table", "partition").agg(
        F.count("offset").alias("changes"),
        F.min("position").alias("first"),
        F.max("position").alias("last"),
        *(F.sum(name).alias(name) for name in _FLAGS),
        F.count_distinct("generation").alias("generations"),
        F.min(F.when(F.col("out_of_order") > 0, _place_of_change())).alias("stray"),
        F.max(F.when(F.col("side") == BEFORE, _place_of_change())).alias("last_before"),
        F.min(F.when(F.col("side") == AFTER, _place_of_change())).alias("first_after"),
    )
    return _log_summary(source, [row.asDict() for row in partitions.collect()], in_line)


def _log_summary(source: UsedSource, rows: list[dict[str, Any]], in_line: bool) -> SourceLog:
    """The log of a source, from a row per table and partition of its topic."""
    assert source.section.changes is not None
    logged = [row for row in rows if row["partition"] is not None]
    on_topics = bool(source.section.changes.topic_names)
    return SourceLog(
        tables={
            table.name: TableLog(
                **{
                    name: sum(int(row[name] or 0) for row in rows if row["table"] == table.name)
                    for name in _COUNTED
                },
                lasts={
                    row["partition"]: row["last"]
                    for row in logged
                    if row["table"] == table.name and row["last"] and on_topics
                },
            )
            for table in source.tables
        },
        changes=sum(row["changes"] for row in logged),
        first=min((row["first"] for row in logged if row["first"]), default=None),
        last=max((row["last"] for row in logged if row["last"]), default=None),
        crossed=_clock_crossing(source, logged),
        stray=min((tuple(row["stray"]) for row in logged if row["stray"]), default=None),
        in_line=in_line,
        by_partition=source.section.changes.log == "kafka",
    )


def _clock_crossing(source: UsedSource, rows: list[dict[str, Any]]) -> ClockCrossing | None:
    """Two changes in the order of the log, of which the clock says the opposite; null for none."""
    # In a topic each partition has an order of its own, in a log all tables have one together.
    assert source.section.changes is not None
    apart = source.section.changes.log == "kafka"
    for partition in sorted({row["partition"] for row in rows}) if apart else [None]:
        mine = [row for row in rows if partition is None or row["partition"] == partition]
        before = max((r["last_before"] for r in mine if r["last_before"]), default=None)
        after = min((r["first_after"] for r in mine if r["first_after"]), default=None)
        if before is not None and after is not None and before > after:
            return ClockCrossing(before=tuple(before), after=tuple(after))
    return None


def _place_of_change() -> Column:
    """Where a change is, and when it was committed; null for one that has no place."""
    at = F.date_format("source_time", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX").alias("at")
    return F.when(F.col("position").isNotNull(), F.struct("position", at))


def _offset() -> Column:
    """How the position of what came at an offset begins, where offsets are the order."""
    widths = {"partition": FIRST_DIGITS, "offset": SECOND_DIGITS}
    numbers = (F.lpad(F.col(n).cast("string"), width, "0") for n, width in widths.items())
    return F.concat_ws(".", *numbers)


def _narrow_rows(
    workspace: Workspace, table: UsedTable, side: Column, by_offset: bool
) -> DataFrame:
    contract = changes(table.source, table.name, table.contract.ddl())
    rows = workspace.lake.read(workspace.spark, contract)
    sound, snapshot = F.size("defects") == 0, F.col("op") == SNAPSHOT
    ends = F.col("op").isin(UPDATE, DELETE) & F.col("before").isNull()
    partial = sound & (F.col("unknown").isNotNull() | ends)
    flags = {
        "partial": partial,
        "renames": sound & F.col("old_key").isNotNull(),
        "rereads": snapshot & F.col("offset").isNotNull(),
        "unplaced": F.col("position").isNull(),
        "alone": ~snapshot & ~commit_is_known(),
        "again": ~snapshot & ~F.startswith("position", _offset()) if by_offset else F.lit(False),
        "out_of_order": F.array_contains("defects", OUT_OF_ORDER),
    }
    return rows.select(
        "table",
        "partition",
        "offset",
        "position",
        "source_time",
        F.when(~snapshot, side).alias("side"),
        F.when(snapshot & F.col("offset").isNull(), F.col("generation")).alias("generation"),
        *(F.coalesce(flag, F.lit(False)).cast("int").alias(name) for name, flag in flags.items()),
    )
