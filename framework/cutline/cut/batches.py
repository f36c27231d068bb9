"""The cut of extracts in batches, each exact at its own place in the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column

from cutline.cut.exported_snapshot import ExportedSnapshot
from cutline.cut.obligation import ASSUMED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.positions import Position


@dataclass(frozen=True)
class BatchPlace:
    """One batch: its id, its generation, its consistent point, and the folder of its files.

    `written` is the point as the project writes it; `rows` what the job says it wrote, by table.
    """

    id: str
    generation: int
    point: Position
    written: str
    folder: str
    rows: dict[str, int]


@dataclass(frozen=True)
class Batches(CutPolicy):
    """A change is history if it was committed before the point of the first batch.

    For keys that a later batch has too, what was committed before that batch's point is history as
    well: that is settled where a row's changes come together, because only there the key is known.
    """

    batches: tuple[BatchPlace, ...]
    committed: str | None = None
    name = "batches"

    def side(self) -> Column:
        return self._first.side()

    def why_unplaced(self, source: str) -> str:
        return self._first.why_unplaced(source)

    def points(self) -> tuple[str, ...]:
        return self._first.points()

    def with_commits(self, committed: Mapping[str, str]) -> Batches:
        return replace(self, committed=self._first.with_commits(committed).committed)

    def words(self) -> CutWords:
        several = ", ".join(
            f"{b.id} (generation {b.generation}) at {b.written}" for b in self.batches
        )
        return CutWords(
            f"what each batch shows: {several}; of two that have a key, the higher generation",
            "begins, for each key, at the consistent point of the batch that has it",
            "there is none: each key has one batch that counts",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        assumption = "that each batch was read at its consistent point as a whole"
        return (
            Obligation("O2", ASSUMED, "that the log is retained from the first batch's point on"),
            Obligation("O3", ASSUMED, assumption),
            Obligation("O4", ASSUMED, assumption),
        )

    @property
    def _first(self) -> ExportedSnapshot:
        first = min(self.batches, key=lambda batch: batch.point.text)
        return ExportedSnapshot(first.point, first.written, self.committed)
