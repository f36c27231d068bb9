"""Annotations of breaks: an id, a state against the previous run, and a waiver."""

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
    """The annotations that the previous run and the slice's waivers give to breaks."""

    annotate: Callable[[DataFrame], DataFrame]
    """Adds `id`, `state` and `waiver` to breaks."""
    waivers: WaiverCounting
    """The Spark aggregates over annotated breaks that count waivers."""

    @property
    def counts(self) -> Mapping[str, Column]:
        """The aggregates over annotated breaks, by metric."""
        return self.waivers.counts.columns

    def tallies(self, metrics: Mapping[str, int]) -> list[Tally]:
        """The tally of each waiver, from the metrics of `counts`."""
        return self.waivers.tallies(metrics)


def break_annotations(workspace: Workspace, before: RunBefore) -> BreakAnnotations:
    """The annotations of a run's breaks, with the run that it is compared to."""
    waivers = workspace.project.waivers_of(workspace.context.name, workspace.region)
    at = workspace.recorded_at

    def annotate(breaks: DataFrame) -> DataFrame:
        return with_waiver(with_break_state(workspace, before, breaks), waivers, at)

    return BreakAnnotations(annotate, WaiverCounting(waivers, at, LEVELS))
