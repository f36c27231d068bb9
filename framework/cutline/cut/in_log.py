"""No line at all: the snapshot is the beginning of the change file itself."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import AFTER, snapshot_before


@dataclass(frozen=True)
class SnapshotInLog(CutPolicy):
    """Every change is kept: the connector began to stream where its snapshot ended."""

    name = "in-log"
    rereads = True

    def side(self) -> Column:
        return snapshot_before(F.lit(AFTER))

    def words(self) -> CutWords:
        return CutWords(
            "what the connector's own snapshot read",
            "begins with the connector's first change after its snapshot",
            "there is none: rows that were read twice settle by their positions",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        joined = "that the connector joins its own snapshot and its stream without gap or double"
        return tuple(Obligation(code, ASSUMED, joined) for code in ("O2", "O3", "O4"))
