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


class MergeResult(StageResult):
    """What the merge hands on."""

    stage: ClassVar[str] = MERGE

    candidates: Candidates = Candidates(synthetic=0, native=0)
    """All candidate events: each has one verdict."""
    native_unreadable: int = 0
    """Records of live topics that are no events that the context can read."""
    advanced_from: str | None = None
    """The run whose tables these go on from; null where everything was merged."""
