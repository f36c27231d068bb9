"""The decision and the levels of the report, from the result of reconciliation.

Reports do not import reconciliation: its `ReconcileResult` is the framework's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from cutline.project.gates import Gates, LevelGate, OutcomeGate
from cutline.results.reconcile import (
    Category,
    GateVerdict,
    OutcomeLevel,
    ReconcileResult,
    RecordLevel,
    StateLevel,
)
from cutline.tables.breaks import LEVELS, OUTCOME, RECORD, STATE
from cutline_reports.model import (
    CAP,
    CONDITION,
    RATE,
    CategoryRow,
    DecisionSection,
    ExceptionGroup,
    GateRow,
    LevelRow,
    LevelSection,
    MoneyRow,
    Ratio,
)

_EXCEPTIONS = "exceptions"
WAIVED = "waived"
LATE = "late"
_QUESTIONS = {
    RECORD: "Is every eligible legacy entity there, and nothing else?",
    STATE: "Does the projected state equal the legacy’s own truth?",
    OUTCOME: "Do both sides take the same business decisions?",
}


def decision_section(
    result: ReconcileResult,
    gates: Gates,
    levels: Iterable[LevelSection],
    exceptions: Iterable[ExceptionGroup],
) -> DecisionSection:
    """The decision with every gate, each with its measure and threshold if it has them."""
    measures = _Measures(gates, levels, exceptions)
    refused = next((i for i, verdict in enumerate(result.gates) if not verdict.passed), None)
    return DecisionSection(
        decision=result.decision,
        decided_by=result.decided_by,
        gates=tuple(
            measures.gate_row(verdict, decided=place == refused)
            for place, verdict in enumerate(result.gates)
        ),
    )


def level_sections(result: ReconcileResult) -> tuple[LevelSection, ...]:
    """The three levels, with empty ones where nothing is declared to be compared."""
    rows = {
        RECORD: tuple(map(_record_row, result.levels.record)),
        STATE: tuple(map(_state_row, result.levels.state)),
        OUTCOME: tuple(map(_outcome_row, result.levels.outcome)),
    }
    return tuple(LevelSection(name, _QUESTIONS[name], rows[name]) for name in LEVELS)


class _Measures:
    """Finds the numbers of a gate by its kind and its subject."""

    def __init__(
        self, gates: Gates, levels: Iterable[LevelSection], exceptions: Iterable[ExceptionGroup]
    ) -> None:
        self._gates = gates
        self._levels = {level.name: level for level in levels}
        # A rule may have exceptions of rows and of events, and then has a gate for each.
        self._exceptions: defaultdict[str, dict[str, ExceptionGroup]] = defaultdict(dict)
        for group in exceptions:
            self._exceptions[group.rule][group.level] = group

    def gate_row(self, verdict: GateVerdict, *, decided: bool) -> GateRow:
        """The gate of the report."""
        kind = verdict.kind
        measured, required = (
            self._exception_numbers(verdict)
            if kind == _EXCEPTIONS
            else self._level_numbers(kind, verdict.subject)
        )
        return GateRow(
            name=verdict.name,
            passed=verdict.passed,
            decided=decided,
            kind={_EXCEPTIONS: CAP}.get(kind, RATE if kind in self._levels else CONDITION),
            sentence=verdict.sentence,
            level=kind if kind in self._levels else "",
            target=verdict.subject,
            measured=measured,
            required=required,
        )

    def _exception_numbers(self, verdict: GateVerdict) -> tuple[Ratio | None, Decimal | None]:
        """The share of the gate's exceptions and its cap.

        Both are None where an older version did not store which of two levels the gate is on.
        """
        by_level = self._exceptions[verdict.subject]
        if verdict.exception_level is not None:
            group = by_level.get(verdict.exception_level)
        else:
            group = next(iter(by_level.values())) if len(by_level) == 1 else None
        if group is None:
            return None, None
        return group.share, group.accepted.max_rate if group.accepted else None

    def _level_numbers(self, kind: str, target: str) -> tuple[Ratio | None, Decimal | None]:
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
    ratios = list(rates)
    return Ratio(sum(r.part for r in ratios), sum(r.whole for r in ratios))


def _record_row(level: RecordLevel) -> LevelRow:
    breaks = {
        "missing": level.missing,
        "unexpected": level.unexpected,
        "duplicated": level.duplicated,
    }
    explained = {f"explained by {rule}": number for rule, number in level.explained_by.items()}
    return _row(level, breaks, explained | _set_aside(level))


def _state_row(level: StateLevel) -> LevelRow:
    notes = {
        LATE: level.late,
        WAIVED: level.waived,
        "match only by rules": level.forgiven,
        **{f"forgiven by {rule}": number for rule, number in level.forgiven_by.items()},
    }
    return _row(level, dict(sorted(level.columns.items())), notes)


def _outcome_row(level: OutcomeLevel) -> LevelRow:
    breaks = {
        "differ": level.differ,
        "only_legacy": level.only_legacy,
        "only_new": level.only_new,
        "duplicated": level.duplicated,
    }
    notes = {"within_tolerance": level.within_tolerance} | _noise(level) | _set_aside(level)
    row = _row(level, breaks, notes)
    return replace(row, question=level.question, unit=level.unit, money=_money(level))


def _row(
    level: RecordLevel | StateLevel | OutcomeLevel, breaks: dict[str, int], notes: dict[str, int]
) -> LevelRow:
    """The row of any level."""
    return LevelRow(
        name=level.name,
        compared=level.compared,
        agreeing=level.matched,
        explained=level.explained,
        breaks=breaks,
        notes=notes,
        categories=_category_rows(level.categories),
        categories_in_all=level.categories_in_all,
    )


def _set_aside(level: RecordLevel | OutcomeLevel) -> dict[str, int]:
    """Subjects that are neither matches nor breaks, by reason where reasons are known."""
    reasons = {f"not eligible: {reason}": n for reason, n in level.not_eligible_by.items()}
    rest = level.not_eligible - sum(reasons.values())
    notes = {**reasons, "not_eligible": rest, LATE: level.late, WAIVED: level.waived}
    return {note: number for note, number in notes.items() if number}


def _noise(level: OutcomeLevel) -> dict[str, int]:
    if level.noise is None or level.drift is None:
        return {}
    return {"changed in the legacy itself": level.noise, "differ beyond that": level.drift}


def _money(level: OutcomeLevel) -> MoneyRow | None:
    amounts = (level.legacy_total, level.new_total, level.at_risk)
    return None if all(amount is None for amount in amounts) else MoneyRow(*amounts)


def _category_rows(categories: Iterable[Category]) -> tuple[CategoryRow, ...]:
    return tuple(
        CategoryRow(c.category, Ratio(c.matched, c.compared), c.broken) for c in categories
    )
