"""A snapshot and the changes after it tell what all changes tell."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.generate.constants import occurrence_of, said
from cutline.conformance.properties.comparable import Identity, pairs
from cutline.conformance.properties.violation import Property, Violation
from cutline.conformance.trial import Trial
from cutline.translator import Translator
from cutline.translator.rules import FactRule

_SAY = (
    "Say transient=True, if the fact can cease to hold; or declare in the contract what cannot "
    "happen: `lifecycle` for a status, `stable=True` for a column."
)
_NAME = (
    "Make its identity of what does not move: `identified_by`, `key` and `subject` of key or "
    "stable columns."
)


def _broken(trial: Trial) -> Iterator[Violation]:
    lasting = {
        ordinal: _lasts(trial.translator, rule)
        for ordinal, rule in enumerate(trial.translator.facts, start=1)
    }
    for whole, telling, seen in pairs(trial):
        for ordinal, rule in enumerate(trial.translator.facts, start=1):
            all_told, told = set(whole.get(ordinal, ())), set(seen.get(ordinal, ()))
            after = f"after a snapshot taken after move {telling.moment}"
            if told - all_told:
                one = _shown(told - all_told)
                what = f"fact {rule.name}: {one} is told {after}, and never by all changes"
                yield Violation(rule.name, what, _NAME, telling.history)
            elif lasting[ordinal] and all_told - told:
                one = _shown(all_told - told)
                what = (
                    f"fact {rule.name} is lasting, but {one}, told by all changes, is not {after}"
                )
                yield Violation(rule.name, what, _SAY, telling.history)


def _lasts(translator: type[Translator], rule: FactRule) -> bool:
    """Whether a snapshot must show it; not what only a place in the log tells from its like."""
    if rule.transient:
        return False
    if not rule.many or rule.event.identified_by or rule.per_row:
        return True
    occurrence = occurrence_of(said(translator, rule))
    return occurrence is not None and (occurrence.key is not None or occurrence.at is not None)


def _shown(identities: set[Identity]) -> str:
    kind, subject, occurrence = min(identities, key=str)
    return f"{kind} of {subject}" + (f" {occurrence}" if occurrence is not None else "")


EVIDENCE = Property(
    "snapshot-and-changes",
    "a snapshot at any moment and the changes after it tell the facts that all changes tell: all "
    "lasting ones, and of transient ones no others",
    _broken,
)
