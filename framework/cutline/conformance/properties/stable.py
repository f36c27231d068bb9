"""What is declared stable can be so."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.violation import Property, Violation
from cutline.conformance.trial import Trial
from cutline.testing.step import Step
from cutline.translator import SourceContract
from cutline.translator.names import SELF

_MOVES = "Take `stable=True` off the column: then a snapshot's events say that they are inferred."


def _broken(trial: Trial) -> Iterator[Violation]:
    for part in trial.translator.parts.values():
        lifecycle = part.contract.lifecycle()
        if (
            lifecycle is not None
            and lifecycle.follows
            and lifecycle.column in part.contract.stable()
        ):
            name = f"{part.contract.__name__}.{lifecycle.column}"
            yield Violation(name, f"{name} is stable, and has a lifecycle to go through", _MOVES)
    for rule in trial.translator.facts:
        held = [column for column in rule.of if _is_stable(trial, column)]
        if rule.of and len(held) == len(rule.of):
            yield Violation(
                rule.name,
                f"{rule.name} is announced when {', '.join(held)} changes, which is stable",
                _MOVES,
            )


def _is_stable(trial: Trial, column: str) -> bool:
    part, _, name = column.rpartition(".")
    return name in trial.translator.parts[part or SELF].contract.stable()


def moved(steps: list[Step]) -> Iterator[Violation]:
    """The stable columns that move in steps that somebody wrote down or took from real data."""
    shown: dict[tuple[type[SourceContract], str], Step] = {}
    for step in steps:
        place = (step.contract, step.row.key)
        before = step.before or (shown[place].after if place in shown else None)
        if before is not None and step.after is not None:
            for name in sorted(step.contract.stable()):
                then, now = before.values[name], step.after.values[name]
                if then != now:
                    column = f"{step.contract.__name__}.{name}"
                    what = f"{column} is stable, and went from {then!r} to {now!r} in {step}"
                    yield Violation(column, what, _MOVES)
        shown[place] = step


STABLE = Property("stable", "stable columns do not move", _broken, declared=True)
