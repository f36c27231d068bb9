"""The cut at a place in the log where a snapshot was exported."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, Words
from cutline.cut.side import by
from cutline.positions import FIRST_DIGITS, SECOND_DIGITS, Position, PostgresPosition


@dataclass(frozen=True)
class ExportedSnapshot(CutPolicy):
    """A change is history if it was committed before the consistent point.

    What was committed exactly there is not: the rule is commit >= point keeps it. The row's own
    place says only that its commit is not before it, because a transaction may write before the
    point and commit after. Where the commit's place is not told and the row lies before the point,
    the change cannot be placed.
    """

    point: Position
    written: str
    name = "exported-snapshot"

    def side(self) -> Column:
        point = F.lit(self.point.commit)
        told = F.col("commit") < point
        if not isinstance(self.point, PostgresPosition):
            return by(told)
        row = F.greatest(
            F.substring("position", 1, FIRST_DIGITS),
            F.substring("position", FIRST_DIGITS + 2, SECOND_DIGITS),
        )
        return by(F.coalesce(told, F.when(row >= point, F.lit(False))))

    def words(self) -> Words:
        return Words(
            f"everything committed before {self.written}",
            f"begins with what was committed at {self.written} or after it",
            "there is none: a commit is before the point or it is not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        same = "that each connection of the extract imported the snapshot exported there"
        return (
            Obligation("O2", ASSUMED, "that the log is retained from the point on, by its slot"),
            Obligation("O3", ASSUMED, same),
            Obligation("O4", ASSUMED, same),
        )
