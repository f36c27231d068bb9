"""The order of change files whose records have neither partitions nor offsets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.kafka.parts import TopicPart
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.deliveries import ordered_by_offset


def order_by_first_commit(
    narrow: DataFrame, change_input: ChangeInput
) -> Sequence[Path | TopicPart]:
    """The files of changes ordered by their first commits; those of transaction boundaries follow.

    The files keep their order where their records have partitions and offsets, where the log has
    positions, and where the cut is declared by numbers of files. Files without commits come last.
    """
    numbered = change_input.section.snapshot.policy == "kafka-offsets"
    if (
        not ordered_by_offset(change_input.section)
        or numbered
        or change_input.change_file_count < 2
    ):
        return change_input.files
    # One row per file.
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    by_file = (
        narrow.groupBy("file")
        .agg(F.min("committed").alias("first"), F.count_if(elsewhere).alias("elsewhere"))
        .collect()
    )
    if any(row["elsewhere"] for row in by_file):
        return change_input.files
    first_commits = {row["file"]: row["first"] for row in by_file if row["first"] is not None}
    in_order = sorted(
        range(change_input.change_file_count),
        key=lambda at: (at not in first_commits, first_commits.get(at), at),
    )
    return [
        *(change_input.files[at] for at in in_order),
        *change_input.files[change_input.change_file_count :],
    ]
