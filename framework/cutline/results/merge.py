"""What the merge hands on: how many candidates there were of each origin."""

from __future__ import annotations

from typing import ClassVar

from cutline.results.model import ResultModel
from cutline.results.names import MERGE
from cutline.results.result import StageResult


class Candidates(ResultModel):
    """Candidate events by origin."""

    synthetic: int
    """From the legacy."""
    native: int
    """From the live topics."""


class LiveEpoch(ResultModel):
    """The highest epoch of the slice that came in a partition of a live topic."""

    topic: str
    partition: int
    epoch: int


class MergeResult(StageResult):
    """What the merge hands on."""

    stage: ClassVar[str] = MERGE

    candidates: Candidates = Candidates(synthetic=0, native=0)
    """All candidate events: each has one verdict."""
    native_unreadable: int = 0
    """Records of live topics that are no events that the context can read, or whose writer had not
    the authority."""
    live_epochs: tuple[LiveEpoch, ...] = ()
    """By partition of the live topics, the highest epoch that the run and those that it goes on
    from read; none where the rollout of the slice was never opened."""
    advanced_from: str | None = None
    """The run whose tables these go on from; null where everything was merged."""
