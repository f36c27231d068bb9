"""What is known of breaks beside the comparison: their name, their past, and who accepts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from cutline.tables.breaks import LEVELS
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.history.remember import known_again
from cutline_reconciliation.waivers.apply import waived, waiver_counts


@dataclass(frozen=True)
class Known:
    """`tell` gives breaks their `id`, `state` and `waiver`; `counts` are aggregates over what it
    gives, for the pass that writes."""

    tell: Callable[[DataFrame], DataFrame]
    counts: Mapping[str, Column]


def known(workspace: Workspace, before: RunBefore) -> Known:
    """What the run before and the waivers of the slice know."""
    waivers = workspace.project.waivers_of(workspace.context.name, workspace.region)
    at = workspace.recorded_at

    def tell(breaks: DataFrame) -> DataFrame:
        return waived(known_again(workspace, before, breaks), waivers, at)

    return Known(tell, waiver_counts(waivers, at, LEVELS))
