"""The business's own date, on a technical cut beneath it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column

from cutline.cut.obligation import Obligation
from cutline.cut.policy import CutPolicy, CutWords


@dataclass(frozen=True)
class EffectiveDate(CutPolicy):
    """Which changes have been seen is for the line beneath; the date decides who speaks for a day.

    What was committed after that line and happened before `begins` is a late correction, which the
    merge appends with a new recorded time and its earlier business time.
    """

    begins: dt.datetime
    beneath: CutPolicy
    name = "effective-date"

    @property
    def holds_overlap(self) -> bool:  # type: ignore[override]
        return self.beneath.holds_overlap

    def side(self) -> Column:
        return self.beneath.side()

    def why_unplaced(self, source: str) -> str | None:
        return self.beneath.why_unplaced(source)

    def points(self) -> tuple[str, ...]:
        return self.beneath.points()

    def with_commits(self, committed: Mapping[str, str]) -> EffectiveDate:
        return replace(self, beneath=self.beneath.with_commits(committed))

    def words(self) -> CutWords:
        below, day = self.beneath.words(), self.begins.isoformat()
        return CutWords(
            f"{below.history}, and whatever is said later of a time before {day}",
            f"{below.tail}, where it speaks of {day} or later",
            below.overlap,
        )

    def obligations(self) -> tuple[Obligation, ...]:
        return self.beneath.obligations()
