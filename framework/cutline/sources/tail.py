"""The changes that came to a source since a run read it, and nothing else of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.cut import snapshot_position
from cutline.project.changes import DebeziumChanges, LogicalDecoding
from cutline.project.source import LogSource
from cutline.sources.changes import ChangeInput, open_change_file
from cutline.sources.changes.renames import HALF
from cutline.sources.growth import Growth
from cutline.sources.inspect import InspectedSource
from cutline.sources.kafka import TopicInput
from cutline.sources.needs_whole import NeedsWholeRun
from cutline.sources.read import SourceReading, TableReading, no_changes, with_changes
from cutline.sources.used_tables import UsedSource


@dataclass(frozen=True)
class TailStart:
    """Where the tail of a source begins: what a run told of the changes before it.

    `ends_told` says that they told where transactions end, `places` how many lines they are.
    `committed` is as of `ChangeFile`.
    """

    ends_told: bool
    places: int
    committed: Mapping[str, str]


def why_whole(source: UsedSource) -> str | None:
    """Why the changes of a source cannot be read from where a run ended; null if they can."""
    section = source.section.changes
    if section is None:
        return None
    if section.log == "kafka":
        return (
            f"{source.name}: offsets are the only order of its changes, and what was delivered "
            "again is seen from the beginning only"
        )
    if not isinstance(section, DebeziumChanges | LogicalDecoding):
        return f"{source.name}: changes of kind {section.kind} are read from the beginning only"
    if isinstance(section, DebeziumChanges) and section.transactions is not None:
        if section.topic_names:
            return None
        return f"{source.name}: its transactions end in files of their own"
    return None


def read_tail(
    spark: SparkSession,
    source: InspectedSource,
    growth: Growth,
    start: TailStart,
    *,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
    points: tuple[str, ...] = (),
    topics: TopicInput | None = None,
) -> SourceReading:
    """The new changes of a source for the slice, in whole transactions; nothing is written yet.

    `topics` are what is new on topics, where its changes are none of files.

    NeedsWholeRun where they cannot be understood without those before them.
    """
    used, section = source.used, source.used.section.changes
    assert section is not None
    columns = {
        t.database_name: (*source.tables[t.name].columns, *t.read_columns) for t in used.tables
    }
    file = open_change_file(
        spark,
        ChangeInput(
            f"sources.{used.name}.changes.path" if topics is None else topics.key,
            section,
            source.changes if topics is None else topics.slots,
            len(source.changes) if topics is None else topics.change_slots,
            {t.name: t.database_name for t in used.tables},
            points,
            columns,
            topics,
            growth.parts if topics is None else (),
            start.places,
            start.ends_told,
            waits=topics is not None,
            is_tail=True,
        ),
        f"{scratch}/changes",
    )
    if topics is None and not file.in_line:
        raise NeedsWholeRun(f"{used.name}: its changes stand in partitions of a topic")
    if file.halves is not None and not file.halves.where(F.col("part") == HALF).isEmpty():
        raise NeedsWholeRun(f"{used.name}: a key was changed, and half of that was read before")
    committed = {**start.committed, **file.committed}
    if committed != dict(start.committed):
        raise NeedsWholeRun(f"{used.name}: the log has come to where the snapshot was taken")
    empty = [TableReading(table, no_changes(spark, table), lambda: 0) for table in used.tables]
    tables = tuple(
        with_changes(file, reading, source.tables[reading.table.name].columns, region, extract_time)
        for reading in empty
    )
    position = "" if isinstance(used.section, LogSource) else snapshot_position(source.cut_policy)
    return SourceReading(
        used.name,
        position,
        tables,
        file.tombstones,
        file.ignored,
        file.transactions,
        in_line=file.in_line,
        newest=file.newest,
        committed=committed,
        lines=file.lines,
        parts=file.parts,
        topics=file.topics,
    )
