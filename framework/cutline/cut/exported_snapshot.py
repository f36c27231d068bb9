"""The cut at a place in the log where a snapshot was exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import side_of
from cutline.positions import FIRST_DIGITS, SECOND_DIGITS, Position, PostgresPosition


@dataclass(frozen=True)
class ExportedSnapshot(CutPolicy):
    """A change is history if it was committed before the consistent point.

    What was committed exactly there is not: the rule is commit >= point keeps it.

    Debezium's PostgreSQL connector does not tell where a row's transaction was committed, but two
    bounds of it. The row's own place is before its commit, so a row at the point or behind it is
    the tail's. And each row names the last commit before its own transaction: what names an
    earlier one was committed at or before that commit. `committed` is the latest commit before the
    point that any record of the log names; a change that names an earlier one is history. Between
    the bounds the change cannot be placed.
    """

    point: Position
    written: str
    committed: str | None = None
    name = "exported-snapshot"

    def side(self) -> Column:
        point = F.lit(self.point.commit)
        by_commit = F.col("commit") < point
        if not isinstance(self.point, PostgresPosition):
            return side_of(by_commit)
        last_before = F.substring("position", 1, FIRST_DIGITS)
        row = F.greatest(last_before, F.substring("position", FIRST_DIGITS + 2, SECOND_DIGITS))
        bounds = F.when(row >= point, F.lit(False))
        if self.committed is not None:
            bounds = bounds.when(last_before < F.lit(self.committed), F.lit(True))
        return side_of(F.coalesce(by_commit, bounds))

    def why_unplaced(self, source: str) -> str:
        if not isinstance(self.point, PostgresPosition):
            return f"its record in {source} does not tell where in the log it was committed"
        return (
            f"its transaction wrote before {self.written}, and no record of {source} says whether "
            f"it was committed before it: sources.{source}.changes.transactions, the topic that "
            "tells where transactions end, would"
        )

    def points(self) -> tuple[str, ...]:
        return (self.point.commit,) if isinstance(self.point, PostgresPosition) else ()

    def with_commits(self, committed: Mapping[str, str]) -> ExportedSnapshot:
        return replace(self, committed=committed.get(self.point.commit))

    def words(self) -> CutWords:
        return CutWords(
            f"everything committed before {self.written}",
            f"begins with what was committed at {self.written} or after it",
            "there is none: a commit is before the point or it is not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        assumption = "that each connection of the extract imported the snapshot exported there"
        return (
            Obligation("O2", ASSUMED, "that the log is retained from the point on, by its slot"),
            Obligation("O3", ASSUMED, assumption),
            Obligation("O4", ASSUMED, assumption),
        )
