"""The order of change files whose records have neither partitions nor offsets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.kafka.parts import TopicPart
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.deliveries import ordered_by_offset
from cutline.sources.changes.envelope import ROW
from cutline.sources.changes.file_times import FileTimes, Span, order_of
from cutline.tables.change import SNAPSHOT


def files_in_order(narrow: DataFrame, change_input: ChangeInput) -> Sequence[Path | TopicPart]:
    """The files of changes in the order of their times; those of transaction boundaries follow.

    The files keep their order where their records have partitions and offsets, where the log has
    positions, and where the cut is declared by numbers of files. RunFailed where the times do not
    tell the order of a file of snapshot rows alone (see `order_of`).
    """
    numbered = change_input.section.snapshot.policy == "kafka-offsets"
    if (
        not ordered_by_offset(change_input.section)
        or numbered
        or change_input.change_file_count < 2
    ):
        return change_input.files
    times = _times_of_files(narrow, change_input)
    if times is None:
        return change_input.files
    order = order_of(times)
    if order.undecided is not None:
        snapshot, changes = (change_input.files[number] for number in order.undecided)
        raise RunFailed(
            f"{snapshot}: its rows are all of a snapshot, and their times do not tell whether they "
            f"were read before or behind the changes in {changes}",
            left_behind="Nothing was written.",
            next_step="Put the lines of both files into one, in the order in which the connector "
            "wrote them, then run the same command.",
        )
    return [
        *(change_input.files[number] for number in order.numbers),
        *change_input.files[change_input.change_file_count :],
    ]


def _times_of_files(narrow: DataFrame, change_input: ChangeInput) -> list[FileTimes] | None:
    """The times of each file of changes; null where a record has a partition and an offset."""
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    read = F.when(F.col("table").isin(list(change_input.tables.values())), F.col("table"))
    is_snapshot = (F.col("kind") == ROW) & (F.col("op") == SNAPSHOT)
    # One row per file and table that is read, and one more per file.
    rows = (
        narrow.groupBy("file", read.alias("table"))
        .agg(
            _span("committed").alias("commits"),
            _span("read_at").alias("reads"),
            F.count_if(is_snapshot).alias("of_snapshot"),
            F.count_if(elsewhere).alias("elsewhere"),
        )
        .collect()
    )
    if any(row["elsewhere"] for row in rows):
        return None
    numbers = range(change_input.change_file_count)
    commits: dict[int, dict[str | None, Span]] = {number: {} for number in numbers}
    reads: dict[int, dict[str, Span | None]] = {number: {} for number in numbers}
    for row in rows:
        number, table = row["file"], row["table"]
        if number in commits and row["commits"] is not None:
            commits[number][table] = tuple(row["commits"])
        if number in reads and table is not None and row["of_snapshot"]:
            reads[number][table] = row["reads"] and tuple(row["reads"])
    return [FileTimes(number, commits[number], reads[number]) for number in numbers]


def _span(name: str) -> Column:
    """The first and the last time of a column, in microseconds since 1970; null without one."""
    first, last = (F.unix_micros(end(name)) for end in (F.min, F.max))
    return F.when(first.isNotNull(), F.array(first, last))
