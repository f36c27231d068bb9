"""The property `snapshot-and-changes`: a snapshot and later changes announce the same facts.

An event of any capture must be among those of all changes. An event of a lasting fact must be in
every complete capture; a transient fact may have ceased before the snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutline.conformance.properties.capture_pairs import EventIdentity, capture_pairs
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.translator.within import EACH

_POSITION = re.compile(r":\d{20}\.\d{20}\.\d{10}\"\]$")
_DECLARE = (
    "Say transient=True, if the fact can cease to hold from one commit to another; or declare in "
    "the contract what cannot happen: `lifecycle` for a status, `stable=True` for a column. What "
    "holds between two rows of one transaction only is announced in no case, if its source tells "
    "its transactions."
)
_DECLARE_WITHIN_TRANSACTION = (
    "within_transaction=EACH tells steps that no snapshot shows: say transient=True of what can "
    "cease to hold within a transaction, or, if it never does so from one commit to another, leave "
    "EACH out."
)
_IDENTIFY = (
    "Make its identity of what does not move: `identified_by`, `key` and `subject` of key or "
    "stable columns."
)


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per pair of captures and fact whose events differ in the wrong way."""
    for pair in capture_pairs(trial):
        moment, history = pair.capture.moment, pair.capture.history
        after = f"after a snapshot taken after move {moment}"
        for ordinal, rule in enumerate(trial.translator.facts, start=1):
            of_all_changes = set(pair.all_changes.get(ordinal, ()))
            of_snapshot = set(pair.from_snapshot.get(ordinal, ()))
            extra = of_snapshot - of_all_changes
            lost = {e for e in of_all_changes - of_snapshot if not _is_identified_by_position(e)}
            if extra:
                first = _first_text(extra)
                problem = f"fact {rule.name}: {first} is told {after}, and never by all changes"
                yield Violation(rule.name, problem, _IDENTIFY, history)
            elif lost and pair.is_complete and not rule.transient:
                first = _first_text(lost)
                problem = (
                    f"fact {rule.name} is lasting, but {first} is told by all changes, not {after}"
                )
                by_step = trial.translator.within_transaction == EACH
                has_joined = any(change.joined for change in trial.histories[history].changes)
                next_step = _DECLARE_WITHIN_TRANSACTION if by_step and has_joined else _DECLARE
                yield Violation(rule.name, problem, next_step, history)


def _is_identified_by_position(identity: EventIdentity) -> bool:
    """Whether the occurrence is a position in the log, which rows of a snapshot do not have."""
    return _POSITION.search(identity[2] or "") is not None


def _first_text(identities: set[EventIdentity]) -> str:
    kind, subject, occurrence = min(identities, key=str)
    return f"{kind} of {subject}" + (f" {occurrence}" if occurrence is not None else "")


SNAPSHOT_AND_CHANGES = Property(
    "snapshot-and-changes",
    "a snapshot at any moment and the changes after it tell the facts that all changes tell: all "
    "lasting ones, and of transient ones no others",
    _violations,
)
