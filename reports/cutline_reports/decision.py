"""The decision and the levels, read back from what reconciliation recorded as facts.

Reports do not know reconciliation: they know its facts, which are plain JSON.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from cutline.project.gates import Gates, LevelGate, OutcomeGate
from cutline.tables.breaks import LEVELS, OUTCOME, RECORD, STATE
from cutline_reports.model import (
    CAP,
    CONDITION,
    RATE,
    CategoryRow,
    Comparison,
    Decision,
    ExceptionGroup,
    Gate,
    Level,
    Money,
    Ratio,
)

Facts = Mapping[str, Any]

_EXCEPTIONS = "exceptions"
WAIVED = "waived"
LATE = "late"
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
        least = self._level_gate(kind, target).least_rate
        return _sum(rates), None if least is None else Decimal(str(least))

    def _level_gate(self, level: str, target: str) -> LevelGate | OutcomeGate:
        if level == OUTCOME:
            return self._gates.outcomes.get(target, self._gates.outcome)
        return self._gates.record if level == RECORD else self._gates.state


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
        notes={f"explained by {rule}": n for rule, n in fact.get("explained_by", {}).items()}
        | _aside(fact),
        **_categories(fact),
    )


def _state(fact: Facts) -> Comparison:
    return Comparison(
        name=fact["name"],
        compared=fact["compared"],
        agreeing=fact["matched"],
        explained=fact["explained"],
        breaks=dict(sorted(fact.get("columns", {}).items())),
        notes={
            LATE: fact.get(LATE, 0),
            WAIVED: fact.get(WAIVED, 0),
            "match only by rules": fact.get("forgiven", 0),
            **{f"forgiven by {rule}": n for rule, n in fact.get("forgiven_by", {}).items()},
        },
        **_categories(fact),
    )


def _outcome(fact: Facts) -> Comparison:
    return Comparison(
        name=fact["name"],
        compared=fact["compared"],
        agreeing=fact["agree"] + fact["within_tolerance"],
        explained=fact["explained"],
        breaks={kind: fact[kind] for kind in ("differ", "only_legacy", "only_new", "duplicated")},
        question=fact["question"],
        unit=fact["unit"],
        notes={"within_tolerance": fact["within_tolerance"]} | _noise(fact) | _aside(fact),
        money=_money(fact),
        **_categories(fact),
    )


def _aside(fact: Facts) -> dict[str, int]:
    """What is neither a match nor a break: by reason, where reasons are known."""
    reasons = {f"not eligible: {why}": n for why, n in fact.get("not_eligible_by", {}).items()}
    rest = fact.get("not_eligible", 0) - sum(reasons.values())
    told = {**reasons, "not_eligible": rest, LATE: fact.get(LATE, 0)}
    told[WAIVED] = fact.get(WAIVED, 0)
    return {what: number for what, number in told.items() if number}


def _noise(fact: Facts) -> dict[str, int]:
    if fact.get("noise") is None:
        return {}
    return {"changed in the legacy itself": fact["noise"], "differ beyond that": fact["drift"]}


def _money(fact: Facts) -> Money | None:
    amounts = [fact.get(name) for name in ("legacy_total", "new_total", "at_risk")]
    if all(amount is None for amount in amounts):
        return None
    legacy, new, at_risk = (None if a is None else Decimal(a) for a in amounts)
    return Money(legacy, new, at_risk)


def _categories(fact: Facts) -> dict[str, Any]:
    return {
        "categories": tuple(
            CategoryRow(c["category"], Ratio(c["matched"], c["compared"]), c["broken"])
            for c in fact.get("categories", ())
        ),
        "categories_in_all": fact.get("categories_in_all", 0),
    }


_COMPARED = {RECORD: _record, STATE: _state, OUTCOME: _outcome}
