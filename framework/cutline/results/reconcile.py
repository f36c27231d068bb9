"""What reconciliation hands on: the decision, and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from cutline.results.model import Handed
from cutline.results.names import RECONCILE
from cutline.results.result import StageResult


class Memory(Handed):
    """What became of the breaks of the slice since the run before."""

    compared_with: str | None
    """The run before; null for the first."""
    place: int
    """The run's place in the trend, 1 for the first."""
    levels: Mapping[str, Mapping[str, int]]
    """By level, the counts of `tables.trend.FIGURES`."""
    gone: tuple[str, ...] = ()
    """Runs after the one before whose memory is no longer in the lake, newest first."""


class ReconcileResult(StageResult):
    """What reconciliation hands on."""

    stage: ClassVar[str] = RECONCILE

    decision: Literal["go", "no-go"] = "no-go"
    """`go` or `no-go`."""
    decided_by: str = ""
    """The sentences that decided."""
    gates: tuple[Mapping[str, Any], ...] = ()
    levels: Mapping[str, tuple[Mapping[str, Any], ...]] = {}
    clusters: tuple[Any, ...] = ()
    memory: Memory | None = None
    waivers: tuple[Mapping[str, Any], ...] = ()
    reverify: Mapping[str, int] = {}
    truth: Mapping[str, Any] = {}
