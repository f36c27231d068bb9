"""The cut at a change number."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import side_of
from cutline.positions import Position


@dataclass(frozen=True)
class ChangeNumber(CutPolicy):
    """A change is history if its number is at most the one that was read with the rows.

    Of a log whose numbers are those of commits. Numbers that are handed out before the commit
    become visible in another order, and then a change may be lost: that they are not is assumed.
    """

    number: Position
    written: str
    name = "change-number"

    def side(self) -> Column:
        return side_of(F.col("commit") <= F.lit(self.number.commit))

    def why_unplaced(self, source: str) -> str:
        return f"its record in {source} tells no change number"

    def words(self) -> CutWords:
        return CutWords(
            f"everything with a change number up to {self.written}",
            f"begins with the first change number after {self.written}",
            "there is none, if numbers are given in the order in which commits become visible",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        monotone = "that change numbers are given in the order in which commits become visible"
        return (
            Obligation("O2", ASSUMED, "that the log is retained from the number on"),
            Obligation("O3", ASSUMED, monotone),
            Obligation("O4", ASSUMED, monotone),
        )
