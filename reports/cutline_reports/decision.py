"""The decision and the levels, read back from what reconciliation recorded as facts.

Reports do not know reconciliation: they know its facts, which are plain JSON.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from cutline.project.gates import Gates
from cutline.tables.breaks import LEVELS, OUTCOME, RECORD, STATE
from cutline_reports.model import (
    CAP,
    CONDITION,
    RATE,
    Comparison,
    Decision,
    ExceptionGroup,
    Gate,
    Level,
    Ratio,
)

Facts = Mapping[str, Any]

_EXCEPTIONS = "exceptions"
_QUESTIONS = {
    RECORD: "Is every eligible legacy entity there, and nothing else?",
    STATE: "Does the projected state equal the legacy’s own truth?",
    OUTCOME: "Do both sides take the same business decisions?",
}


def decision(
    facts: Facts, gates: Gates, levels: Iterable[Level], exceptions: Iterable[ExceptionGroup]
) -> Decision:
    """The decision with every gate, each with its measure and threshold where it has them."""
    measures = _Measures(gates, levels, exceptions)
    refused = next((i for i, g in enumerate(facts["gates"]) if not g["passed"]), None)
    return Decision(
        decision=facts["decision"],
        decided_by=facts["decided_by"],
        gates=tuple(
            measures.gate(gate, decided=place == refused)
            for place, gate in enumerate(facts["gates"])
        ),
    )


def levels(facts: Facts) -> tuple[Level, ...]:
    """The three levels, those at which nothing is declared to be compared included."""
    return tuple(
        Level(name, _QUESTIONS[name], tuple(map(_COMPARED[name], facts["levels"].get(name, ()))))
        for name in LEVELS
    )


class _Measures:
    """Finds the numbers behind a gate by the gate's name."""

    def __init__(
        self, gates: Gates, levels: Iterable[Level], exceptions: Iterable[ExceptionGroup]
    ) -> None:
        self._gates = gates
        self._levels = {level.name: level for level in levels}
        # One rule may hold rows and events: its gates come in the order of these levels.
        self._exceptions: dict[str, deque[ExceptionGroup]] = defaultdict(deque)
        for group in sorted(exceptions, key=lambda g: (g.rule, g.level)):
            self._exceptions[group.rule].append(group)

    def gate(self, fact: Facts, *, decided: bool) -> Gate:
        """The gate as the report shows it."""
        kind, _, target = str(fact["name"]).partition(":")
        measured, required = self._numbers(kind, target)
        return Gate(
            name=fact["name"],
            passed=fact["passed"],
            decided=decided,
            kind={_EXCEPTIONS: CAP}.get(kind, RATE if kind in self._levels else CONDITION),
            sentence=fact["sentence"],
            level=kind if kind in self._levels else "",
            target=target,
            measured=measured,
            required=required,
        )

    def _numbers(self, kind: str, target: str) -> tuple[Ratio | None, Decimal | None]:
        if kind == _EXCEPTIONS:
            if not self._exceptions[target]:
                return None, None
            group = self._exceptions[target].popleft()
            return group.share, group.accepted.max_rate if group.accepted else None
        level = self._levels.get(kind)
        if level is None:
            return None, None
        rates = [row.rate for row in level.rows if not target or row.name == target]
        return _sum(rates), Decimal(str(self._level_gate(kind, target)))

    def _level_gate(self, level: str, target: str) -> float:
        if level == OUTCOME and target in self._gates.outcomes:
            return self._gates.outcomes[target].min_match_rate
        gate = {RECORD: self._gates.record, STATE: self._gates.state, OUTCOME: self._gates.outcome}
        return gate[level].min_match_rate


def _sum(rates: Iterable[Ratio]) -> Ratio:
    known = list(rates)
    return Ratio(sum(r.part for r in known), sum(r.whole for r in known))


def _record(fact: Facts) -> Comparison:
    return Comparison(
        name=fact["name"],
        compared=fact["compared"],
        agreeing=fact["matched"],
        explained=fact["explained"],
        breaks={kind: fact[kind] for kind in ("missing", "unexpected", "duplicated")},
        notes={f"explained by {rule}": n for rule, n in fact.get("explained_by", {}).items()},
    )


def _state(fact: Facts) -> Comparison:
    return Comparison(
        name=fact["name"],
        compared=fact["compared"],
        agreeing=fact["matched"],
        explained=fact["explained"],
        breaks=dict(sorted(fact.get("columns", {}).items())),
    )


def _outcome(fact: Facts) -> Comparison:
    return Comparison(
        name=fact["name"],
        compared=fact["compared"],
        agreeing=fact["agree"] + fact["within_tolerance"],
        explained=fact["explained"],
        breaks={kind: fact[kind] for kind in ("differ", "only_legacy", "only_new")},
        question=fact["question"],
        unit=fact["unit"],
        notes={kind: fact[kind] for kind in ("within_tolerance", "not_eligible")},
    )


_COMPARED = {RECORD: _record, STATE: _state, OUTCOME: _outcome}
