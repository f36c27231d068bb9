"""The waivers of a run after its breaks are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cutline.results.reconcile import GateVerdict, LevelResults, WaiverResult
from cutline.tables import BREAKS
from cutline.workspace import Workspace
from cutline_reconciliation.levels.aggregates import ComparedAggregates
from cutline_reconciliation.waivers.apply import Tally
from cutline_reconciliation.waivers.population import fully_matched_levels
from cutline_reconciliation.waivers.verdicts import verdicts
from cutline_reconciliation.waivers.without_waived import WaivedSubjects, waived_subjects


@dataclass(frozen=True)
class WaiverOutcomes:
    """The results of waivers, for gates, levels and the report."""

    verdicts: tuple[GateVerdict, ...]
    """One verdict per waiver."""
    subjects: Sequence[WaivedSubjects]
    """The subjects whose breaks are all waived."""
    results: tuple[WaiverResult, ...]
    """One result per waiver, for the stage's result."""


def waiver_outcomes(
    workspace: Workspace,
    compared: ComparedAggregates,
    tallies: Sequence[Tally],
    breaks_by_level: Mapping[str, int],
    levels: LevelResults,
) -> WaiverOutcomes:
    """The results of the slice's waivers: of their tallies, and of their width in this run.

    Waived subjects are told apart by the categories that `levels` list.
    """
    if not tallies:
        return WaiverOutcomes((), (), ())
    wide = fully_matched_levels(workspace, compared, [tally.waiver for tally in tallies])
    of_waivers = verdicts(tallies, breaks_by_level, wide)
    return WaiverOutcomes(
        tuple(of_waivers),
        waived_subjects(workspace.lake.read(workspace.spark, BREAKS), _listed(levels)),
        tuple(map(_result, tallies, of_waivers)),
    )


def _listed(levels: LevelResults) -> list[str]:
    """The categories that results list, at any level."""
    parts = [
        *(part for level in levels.record for part in level.categories),
        *(part for level in levels.state for part in level.categories),
        *(part for level in levels.outcome for part in level.categories),
    ]
    return sorted({part.category for part in parts if part.category is not None})


def _result(tally: Tally, verdict: GateVerdict) -> WaiverResult:
    waiver = tally.waiver
    millionths = tally.money.numerator * 10**6 // tally.money.denominator
    return WaiverResult(
        **waiver.model_dump(exclude={"match"}),
        match=waiver.match.model_dump(mode="json", exclude_none=True),
        passed=verdict.passed,
        sentence=verdict.sentence,
        expired=tally.expired,
        matched=tally.matched,
        taken=tally.taken,
        money=Decimal(f"{millionths // 10**6}.{millionths % 10**6:06}"),
        without_amount=tally.unknown,
    )
