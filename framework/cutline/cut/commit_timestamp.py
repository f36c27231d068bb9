"""The cut by commit time: what a source committed up to a moment is history."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import AFTER, BEFORE, OVERLAP, snapshot_before


@dataclass(frozen=True)
class CommitTimestamp(CutPolicy):
    """What was committed exactly at the cut is history, exactly at `until` still in the zone."""

    at: dt.datetime
    until: dt.datetime | None = None
    holds_overlap: bool = False
    name = "commit-timestamp"

    def side(self) -> Column:
        time = F.col("source_time")
        side = F.when(time <= F.lit(self.at), F.lit(BEFORE))
        if self.until is not None:
            side = side.when(time <= F.lit(self.until), F.lit(OVERLAP))
        return snapshot_before(side.when(time.isNotNull(), F.lit(AFTER)))

    def words(self) -> CutWords:
        end = self.until or self.at
        zone = "there is none"
        if self.until is not None:
            done = "held for a person" if self.holds_overlap else "applied on both sides"
            zone = (
                f"those committed after {_moment_text(self.at)} and up to {_moment_text(end)} "
                f"are {done}"
            )
        return CutWords(
            f"everything committed up to {_moment_text(self.at)}",
            f"begins with what was committed after {_moment_text(self.at)}",
            zone,
        )

    def obligations(self) -> tuple[Obligation, ...]:
        clock = "that the source's clock never runs backwards"
        if self.until is None:
            clock += ", and that it was at rest at the moment of the cut"
        return (
            Obligation("O2", ASSUMED, "that the change file reaches back before the cut"),
            Obligation("O3", ASSUMED, clock),
            Obligation("O4", ASSUMED, clock),
        )


def _moment_text(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).isoformat(sep=" ").replace("+00:00", " UTC")
