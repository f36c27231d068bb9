"""From the counts of the passes to the levels that people read."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from cutline.context import Context, Outcome
from cutline.stages.books import balance
from cutline.tables import outcome as o
from cutline.tables.breaks import DUPLICATED, MISSING, OUTCOME, RECORD, STATE, UNEXPECTED
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.break_down import Parts
from cutline_reconciliation.levels.column_rules import FORGIVEN
from cutline_reconciliation.levels.outcome import LEGACY_MONEY, NEW_MONEY
from cutline_reconciliation.levels.passes import Compared, Vouched
from cutline_reconciliation.results import OutcomeLevel, RecordLevel, StateLevel, Summary


def summarise(
    compared: Compared,
    broken: Mapping[str, int],
    context: Context,
    decided: Mapping[str, int],
    parts: Parts,
) -> Summary:
    """The levels, from the counts of `levels.write_breaks` and `levels.write_outcomes`.

    ConservationError if a subject that differs is neither a break nor explained.
    """
    aggregates = compared.aggregates.items()
    return Summary(
        record=tuple(_record(name, vouched, broken, parts) for name, vouched in aggregates),
        state=tuple(_state(name, vouched, broken, parts) for name, vouched in aggregates),
        outcome=tuple(_outcome(outcome, decided, parts) for outcome in context.outcomes),
        untold=tuple(a.name for a in context.aggregates if a.name not in compared.aggregates),
    )


def _record(name: str, vouched: Vouched, broken: Mapping[str, int], parts: Parts) -> RecordLevel:
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
    explained, filtered = sum(by_rule.values()), broken[f"filtered/{name}"]
    accounted = missing + explained + filtered
    balance(f"missing subjects of {name}", counts[classes.ONLY_LEFT], accounted)
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
        late=counts[o.LATE],
        not_eligible=counts[o.NOT_ELIGIBLE] + filtered,
        not_eligible_by=parts.reasons.get((RECORD, name), {}),
        categories=parts.categories.get((RECORD, name), ()),
        categories_in_all=parts.in_all.get((RECORD, name), 0),
    )


def _state(name: str, vouched: Vouched, broken: Mapping[str, int], parts: Parts) -> StateLevel:
    """Of an aggregate whose truth vouches for no column nothing is compared."""
    matched, changed = vouched.counts[classes.MATCHED], vouched.counts[classes.CHANGED]
    categories = parts.categories.get((STATE, name), ())
    in_all = parts.in_all.get((STATE, name), 0)
    if not vouched.columns:
        matched, categories, in_all = 0, (), 0
    explained = broken[f"explained-{STATE}/{name}"]
    return StateLevel(
        name=name,
        compared=matched + changed - explained,
        matched=matched,
        breaks=broken[f"{STATE}/{name}"],
        explained=explained,
        columns={c: broken[f"{STATE}/{name}/{c}"] for c in vouched.columns},
        late=vouched.counts[o.LATE],
        forgiven=vouched.counts[FORGIVEN],
        forgiven_by={
            key.removeprefix(f"{FORGIVEN}/").replace("/", "."): number
            for key, number in vouched.counts.items()
            if key.startswith(f"{FORGIVEN}/")
        },
        categories=categories,
        categories_in_all=in_all,
    )


def _outcome(outcome: Outcome, decided: Mapping[str, int], parts: Parts) -> OutcomeLevel:
    """An outcome that the legacy does not answer has nothing compared."""
    of = {name: decided.get(f"{outcome.name}/{name}", 0) for name in o.CLASSES}
    return OutcomeLevel(
        name=outcome.name,
        question=outcome.question,
        unit=outcome.unit,
        compared=sum(of[name] for name in o.JUDGED),
        agree=of[o.AGREE],
        within_tolerance=of[o.WITHIN_TOLERANCE],
        differ=of[o.DIFFER],
        only_legacy=of[o.ONLY_LEGACY],
        only_new=of[o.ONLY_NEW],
        duplicated=of[o.DUPLICATED],
        not_eligible=of[o.NOT_ELIGIBLE],
        explained=of[o.EXPLAINED],
        late=of[o.LATE],
        noise=decided.get(f"{outcome.name}/noise"),
        noise_compared=decided.get(f"{outcome.name}/noise-compared"),
        drift=decided.get(f"{outcome.name}/drift"),
        legacy_total=_money(outcome.name, LEGACY_MONEY, decided),
        new_total=_money(outcome.name, NEW_MONEY, decided),
        at_risk=_at_risk(outcome.name, decided, sum(of[name] for name in o.BREAKING)),
        not_eligible_by=parts.reasons.get((OUTCOME, outcome.name), {}),
        categories=parts.categories.get((OUTCOME, outcome.name), ()),
        categories_in_all=parts.in_all.get((OUTCOME, outcome.name), 0),
        aggregate=outcome.aggregate,
    )


def _money(outcome: str, what: str, decided: Mapping[str, int]) -> Decimal | None:
    if not decided.get(f"{outcome}/with-{what}"):
        return None
    return Decimal(decided[f"{outcome}/{what}"]).scaleb(-6)


def _at_risk(outcome: str, decided: Mapping[str, int], breaks: int) -> Decimal | None:
    """Nothing is at risk where values are amounts and none breaks; it is not known where one of the
    breaks has no amount, as a doubled decision has none."""
    if decided.get(f"{outcome}/with-at_risk", 0) < breaks:
        return None
    amounts = any(decided.get(f"{outcome}/with-{what}") for what in (LEGACY_MONEY, NEW_MONEY))
    return (_money(outcome, "at_risk", decided) or Decimal(0)) if amounts else None
