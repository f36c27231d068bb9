"""Two extracts and no log: what the later one lacks was deleted in between."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import AFTER, snapshot_before


@dataclass(frozen=True)
class ComparedExtracts(CutPolicy):
    """Of a source without changes whose extract is compared with the one before."""

    name = "compared-extracts"

    def side(self) -> Column:
        return snapshot_before(F.lit(AFTER))

    def words(self) -> CutWords:
        return CutWords(
            "what this extract holds",
            "is empty: there are no changes, but rows that the extract before holds and this one "
            "lacks were deleted in between",
            "there is none",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        unseen = "that what came and went between two extracts matters to nobody"
        return tuple(Obligation(code, ASSUMED, unseen) for code in ("O2", "O3", "O4"))
