"""What breaks get beside the comparison: an id, a state against the run before, and a waiver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from cutline.tables.breaks import LEVELS
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.history.histories import with_break_state
from cutline_reconciliation.waivers.apply import Tally, WaiverCounting, with_waiver


@dataclass(frozen=True)
class BreakAnnotations:
    """What the run before and the waivers of the slice know of breaks."""

    annotate: Callable[[DataFrame], DataFrame]
    """The breaks with their `id`, `state` and `waiver`."""
    waivers: WaiverCounting
    """What is counted of annotated breaks, in the pass that writes them."""

    @property
    def counts(self) -> Mapping[str, Column]:
        """Aggregates over annotated breaks."""
        return self.waivers.counts.columns

    def tallies(self, metrics: Mapping[str, int]) -> list[Tally]:
        """What each waiver came to, of the metrics of these counts."""
        return self.waivers.tallies(metrics)


def break_annotations(workspace: Workspace, before: RunBefore) -> BreakAnnotations:
    """The annotations of a run's breaks, given the run that it is compared with."""
    waivers = workspace.project.waivers_of(workspace.context.name, workspace.region)
    at = workspace.recorded_at

    def annotate(breaks: DataFrame) -> DataFrame:
        return with_waiver(with_break_state(workspace, before, breaks), waivers, at)

    return BreakAnnotations(annotate, WaiverCounting(waivers, at, LEVELS))
