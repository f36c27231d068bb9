"""Verdicts on aggregates without anything compared, which no gate of a level covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cutline.project.gates import Uncompared
from cutline.results.reconcile import GateVerdict, LevelResults, RecordLevel, StateLevel, gate_name
from cutline.wording import counted


def uncompared(summary: LevelResults, declared: Sequence[Uncompared]) -> Iterator[GateVerdict]:
    """One failed verdict, by name, per aggregate without anything compared.

    That is at record level and by no outcome of it, or at state level although truth has columns of
    its state. A level adds its aggregates up, so that such an aggregate would not show beside
    others.
    """
    accepted = {one.aggregate: one for one in declared}
    decided_on = {one.aggregate for one in summary.outcome if one.compared}
    reasons = dict.fromkeys(
        summary.without_truth, "nobody tells its truth, and no outcome decides on it"
    )
    reasons |= {one.name: _reason(one) for one in summary.record if not one.compared}
    reasons = {name: reason for name, reason in reasons.items() if name not in decided_on}
    existing = {one.name for one in summary.record if one.compared}
    for state in summary.state:
        if state.columns and not state.compared and state.name in existing:
            reasons[state.name] = f"no state of it is judged{_excused(state)}"
    for name, reason in reasons.items():
        terms = accepted.get(name)
        sentence = f"Compared: nothing of {name}, for {reason}"
        if terms is not None:
            sentence += f"; accepted by {terms.owner}: {terms.reason}"
        yield GateVerdict(gate_name("compared", name), terms is not None, sentence)


def _reason(level: RecordLevel) -> str:
    return (
        f"no subject of it is judged{_excused(level)}" if _aside(level) else "neither side has any"
    )


def _excused(level: RecordLevel | StateLevel) -> str:
    aside = _aside(level)
    return f": {counted(aside, 'subject')} of it set aside or waived" if aside else ""


def _aside(level: RecordLevel | StateLevel) -> int:
    """The number of the level's subjects that are not judged."""
    ineligible = level.not_eligible if isinstance(level, RecordLevel) else 0
    return level.explained + level.late + level.waived + ineligible
