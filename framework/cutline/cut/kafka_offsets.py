"""The cut by a topic's offsets, frozen at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, PROVEN, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import side_of


@dataclass(frozen=True)
class KafkaOffsets(CutPolicy):
    """A record is history if its offset is less than the end that its partition had at the start.

    A record of a partition that had no frozen end cannot be placed.
    """

    offsets: Mapping[int, int]
    name = "kafka-offsets"

    def side(self) -> Column:
        before: Column = F.lit(None).cast("boolean")
        for partition, end in sorted(self.offsets.items()):
            before = F.when(F.col("partition") == partition, F.col("offset") < end).otherwise(
                before
            )
        return side_of(before)

    def why_unplaced(self, source: str) -> str:
        return f"the cut names no offset for the partition of {source} that it came through"

    def words(self) -> CutWords:
        ends = ", ".join(f"{end} of partition {p}" for p, end in sorted(self.offsets.items()))
        return CutWords(
            f"every record before offset {ends}",
            f"begins with offset {ends}",
            "there is none: an offset is before the end or it is not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        order = (
            "that the topic holds each row's changes in commit order, all in one partition, also "
            "where its key changes"
        )
        return (
            Obligation("O2", ASSUMED, "that the topic retains its records from the start on"),
            Obligation("O3", PROVEN, "frozen end offsets: every record is before or after them"),
            Obligation("O4", ASSUMED, order),
        )
