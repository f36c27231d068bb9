"""The results of the levels, from the counts of the passes."""

from __future__ import annotations

from collections.abc import Mapping

from cutline.context import Context, Outcome
from cutline.results.reconcile import LevelResults, OutcomeLevel, RecordLevel, StateLevel
from cutline.stages.books import check_balance
from cutline.tables import outcome as o
from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.aggregates import AggregateComparison, ComparedAggregates
from cutline_reconciliation.levels.break_counts import AggregateBreaks, BreakCounts
from cutline_reconciliation.levels.break_down import BreakDown, LevelBreakDown
from cutline_reconciliation.levels.outcome_counts import LEGACY_MONEY, NEW_MONEY, OutcomeCounts


def level_results(
    compared: ComparedAggregates,
    breaks: BreakCounts,
    context: Context,
    outcomes: Mapping[str, OutcomeCounts],
    break_down: BreakDown,
) -> LevelResults:
    """The level results of a run; `outcomes` are the counts of those that the legacy answers.

    ConservationError if a differing subject is neither a break nor explained.
    """
    aggregates = [
        (name, comparison, breaks.by_aggregate[name])
        for name, comparison in compared.aggregates.items()
    ]
    return LevelResults(
        record=tuple(_record(*aggregate, break_down) for aggregate in aggregates),
        state=tuple(_state(*aggregate, break_down) for aggregate in aggregates),
        outcome=tuple(
            _outcome(outcome, outcomes.get(outcome.name), break_down)
            for outcome in context.outcomes
        ),
        without_truth=tuple(
            a.name for a in context.aggregates if a.name not in compared.aggregates
        ),
    )


def _record(
    name: str, comparison: AggregateComparison, breaks: AggregateBreaks, break_down: BreakDown
) -> RecordLevel:
    by_class = comparison.counts.by_class
    explained = sum(breaks.missing_explained_by.values())
    accounted = breaks.missing + explained + breaks.filtered
    check_balance(f"missing subjects of {name}", by_class[classes.ONLY_LEFT], accounted)
    check_balance(f"unexpected subjects of {name}", by_class[classes.ONLY_RIGHT], breaks.unexpected)
    check_balance(f"duplicated subjects of {name}", by_class[classes.DUPLICATED], breaks.duplicated)
    matched = by_class[classes.MATCHED] + by_class[classes.CHANGED]
    categories = break_down.of(RECORD, name)
    return RecordLevel(
        name=name,
        compared=matched + breaks.missing + breaks.unexpected + breaks.duplicated,
        matched=matched,
        missing=breaks.missing,
        unexpected=breaks.unexpected,
        duplicated=breaks.duplicated,
        explained=explained,
        explained_by=breaks.missing_explained_by,
        late=by_class[o.LATE],
        not_eligible=by_class[o.NOT_ELIGIBLE] + breaks.filtered,
        not_eligible_by=categories.reasons,
        categories=categories.categories,
        categories_in_all=categories.in_all,
    )


def _state(
    name: str, comparison: AggregateComparison, breaks: AggregateBreaks, break_down: BreakDown
) -> StateLevel:
    """The result at state level; without compared columns nothing is compared."""
    counts = comparison.counts
    matched, changed = counts.by_class[classes.MATCHED], counts.by_class[classes.CHANGED]
    categories = break_down.of(STATE, name) if comparison.columns else LevelBreakDown()
    return StateLevel(
        name=name,
        compared=(matched if comparison.columns else 0) + changed - breaks.differing_explained,
        matched=matched if comparison.columns else 0,
        breaks=breaks.state,
        explained=breaks.differing_explained,
        columns=breaks.by_column,
        late=counts.by_class[o.LATE],
        forgiven=counts.forgiven,
        forgiven_by={
            f"{column}.{rule}": number for (column, rule), number in counts.forgiven_by.items()
        },
        categories=categories.categories,
        categories_in_all=categories.in_all,
    )


def _outcome(outcome: Outcome, counts: OutcomeCounts | None, break_down: BreakDown) -> OutcomeLevel:
    """The result at outcome level; without an answer of the legacy nothing is compared."""
    by_class = dict.fromkeys(o.CLASSES, 0) if counts is None else counts.by_class
    noise = None if counts is None else counts.noise
    categories = break_down.of(OUTCOME, outcome.name)
    return OutcomeLevel(
        name=outcome.name,
        question=outcome.question,
        unit=outcome.unit,
        compared=sum(by_class[name] for name in o.COMPARED),
        agree=by_class[o.AGREE],
        within_tolerance=by_class[o.WITHIN_TOLERANCE],
        differ=by_class[o.DIFFER],
        only_legacy=by_class[o.ONLY_LEGACY],
        only_new=by_class[o.ONLY_NEW],
        duplicated=by_class[o.DUPLICATED],
        not_eligible=by_class[o.NOT_ELIGIBLE],
        explained=by_class[o.EXPLAINED],
        late=by_class[o.LATE],
        noise=None if noise is None else noise.churned,
        noise_compared=None if noise is None else noise.compared,
        drift=None if counts is None else counts.drift,
        legacy_total=None if counts is None else counts.totals[LEGACY_MONEY],
        new_total=None if counts is None else counts.totals[NEW_MONEY],
        at_risk=None if counts is None else counts.at_risk,
        not_eligible_by=categories.reasons,
        categories=categories.categories,
        categories_in_all=categories.in_all,
        aggregate=outcome.aggregate,
    )
