"""In which order files follow one another that tell no partition and no place of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.deliveries import by_offset
from cutline.sources.changes.scan import Input


def files_in_time(narrow: DataFrame, given: Input) -> Sequence[Path]:
    """The files by their first commits, rather than by their names; those of boundaries behind.

    As they are where their records tell partitions and offsets, where the log has positions, and
    where the cut is declared by the numbers of the files. A file without commits stays behind.
    """
    numbered = given.section.snapshot.policy == "kafka-offsets"
    if not by_offset(given.section) or numbered or given.changes < 2:
        return given.files
    # One row per file.
    elsewhere = (F.col("partition") != F.col("file")) | (F.col("offset") != F.col("place"))
    found = (
        narrow.groupBy("file")
        .agg(F.min("committed").alias("first"), F.count_if(elsewhere).alias("elsewhere"))
        .collect()
    )
    if any(row["elsewhere"] for row in found):
        return given.files
    first = {row["file"]: row["first"] for row in found if row["first"] is not None}
    own = sorted(range(given.changes), key=lambda at: (at not in first, first.get(at), at))
    return [*(given.files[at] for at in own), *given.files[given.changes :]]
