"""A snapshot and the changes after it tell what all changes tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutline.conformance.properties.capture_pairs import Identity, pairs
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.translator.within import EACH

_PLACE = re.compile(r":\d{20}\.\d{20}\.\d{10}\"\]$")
_SAY = (
    "Say transient=True, if the fact can cease to hold from one commit to another; or declare in "
    "the contract what cannot happen: `lifecycle` for a status, `stable=True` for a column. What "
    "holds between two rows of one transaction only is announced in no case, if its source tells "
    "its transactions."
)
_STEPS = (
    "within_transaction=EACH tells steps that no snapshot shows: say transient=True of what can "
    "cease to hold within a transaction, or, if it never does so from one commit to another, leave "
    "EACH out."
)
_NAME = (
    "Make its identity of what does not move: `identified_by`, `key` and `subject` of key or "
    "stable columns."
)


def _broken(trial: Trial) -> Iterator[Violation]:
    for pair in pairs(trial):
        moment, history = pair.telling.moment, pair.telling.history
        after = f"after a snapshot taken after move {moment}"
        for ordinal, rule in enumerate(trial.translator.facts, start=1):
            all_told, told = (set(events.get(ordinal, ())) for events in (pair.whole, pair.seen))
            lost = {one for one in all_told - told if not _told_by_place(one)}
            if told - all_told:
                one = _shown(told - all_told)
                what = f"fact {rule.name}: {one} is told {after}, and never by all changes"
                yield Violation(rule.name, what, _NAME, history)
            elif lost and pair.complete and not rule.transient:
                one = _shown(lost)
                what = f"fact {rule.name} is lasting, but {one} is told by all changes, not {after}"
                steps = trial.translator.within_transaction == EACH
                joined = any(move.joined for move in trial.histories[history].moves)
                yield Violation(rule.name, what, _STEPS if steps and joined else _SAY, history)


def _told_by_place(identity: Identity) -> bool:
    """Whether only its place in the log tells the occurrence from its like: no snapshot has it."""
    return _PLACE.search(identity[2] or "") is not None


def _shown(identities: set[Identity]) -> str:
    kind, subject, occurrence = min(identities, key=str)
    return f"{kind} of {subject}" + (f" {occurrence}" if occurrence is not None else "")


EVIDENCE = Property(
    "snapshot-and-changes",
    "a snapshot at any moment and the changes after it tell the facts that all changes tell: all "
    "lasting ones, and of transient ones no others",
    _broken,
)
