"""From the counts of the passes to the levels that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutline.context import Outcome
from cutline.stages.books import balance
from cutline.tables import outcome as o
from cutline.tables.breaks import DUPLICATED, MISSING, RECORD, STATE, UNEXPECTED
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels import Compared, Vouched
from cutline_reconciliation.results import OutcomeLevel, RecordLevel, StateLevel, Summary


def summarise(
    compared: Compared,
    broken: Mapping[str, int],
    outcomes: Sequence[Outcome],
    decided: Mapping[str, int],
) -> Summary:
    """The levels, from the counts of `levels.write_breaks` and `levels.write_outcomes`.

    ConservationError if a subject that differs is neither a break nor explained.
    """
    aggregates = compared.aggregates.items()
    return Summary(
        record=tuple(_record(name, vouched, broken) for name, vouched in aggregates),
        state=tuple(_state(name, vouched, broken) for name, vouched in aggregates),
        outcome=tuple(_outcome(outcome, decided) for outcome in outcomes),
    )


def _record(name: str, vouched: Vouched, broken: Mapping[str, int]) -> RecordLevel:
    counts = vouched.counts
    prefix = f"explained-{RECORD}/{name}/"
    by_rule = {
        key.removeprefix(prefix): number
        for key, number in broken.items()
        if key.startswith(prefix) and number
    }
    missing, unexpected, duplicated = (
        broken[f"{RECORD}/{name}/{kind}"] for kind in (MISSING, UNEXPECTED, DUPLICATED)
    )
    explained = sum(by_rule.values())
    balance(f"missing subjects of {name}", counts[classes.ONLY_LEFT], missing + explained)
    balance(f"unexpected subjects of {name}", counts[classes.ONLY_RIGHT], unexpected)
    balance(f"duplicated subjects of {name}", counts[classes.DUPLICATED], duplicated)
    matched = counts[classes.MATCHED] + counts[classes.CHANGED]
    return RecordLevel(
        name=name,
        compared=matched + missing + unexpected + duplicated,
        matched=matched,
        missing=missing,
        unexpected=unexpected,
        duplicated=duplicated,
        explained=explained,
        explained_by=by_rule,
    )


def _state(name: str, vouched: Vouched, broken: Mapping[str, int]) -> StateLevel:
    matched, changed = vouched.counts[classes.MATCHED], vouched.counts[classes.CHANGED]
    explained = broken[f"explained-{STATE}/{name}"]
    return StateLevel(
        name=name,
        compared=matched + changed - explained,
        matched=matched,
        breaks=broken[f"{STATE}/{name}"],
        explained=explained,
        columns={c: broken[f"{STATE}/{name}/{c}"] for c in vouched.columns},
    )


def _outcome(outcome: Outcome, decided: Mapping[str, int]) -> OutcomeLevel:
    """An outcome that the legacy does not answer has nothing compared."""
    of = {name: decided.get(f"{outcome.name}/{name}", 0) for name in o.CLASSES}
    judged = (o.AGREE, o.WITHIN_TOLERANCE, o.DIFFER, o.ONLY_LEGACY, o.ONLY_NEW)
    return OutcomeLevel(
        name=outcome.name,
        question=outcome.question,
        unit=outcome.unit,
        compared=sum(of[name] for name in judged),
        agree=of[o.AGREE],
        within_tolerance=of[o.WITHIN_TOLERANCE],
        differ=of[o.DIFFER],
        only_legacy=of[o.ONLY_LEGACY],
        only_new=of[o.ONLY_NEW],
        not_eligible=of[o.NOT_ELIGIBLE],
        explained=of[o.EXPLAINED],
    )
