"""What is declared stable can be so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.testing.row import Row
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


def moved(steps: Iterable[Step]) -> Iterator[Violation]:
    """The stable columns that move in changes that were really seen, or written down.

    A row's image is compared with the one before it, as the change tells it or a step before did.
    """
    shown: dict[tuple[type[SourceContract], str], Row] = {}
    for step in steps:
        place = (step.contract, step.row.key)
        before = step.before or shown.get(place)
        if before is not None and step.after is not None:
            yield from _moved(step, before.values, step.after.values)
        if step.after is not None:
            shown[place] = step.after


def _moved(step: Step, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Violation]:
    for name in sorted(step.contract.stable()):
        if then[name] != now[name]:
            column = f"{step.contract.__name__}.{name}"
            what = f"{column} is stable, and went from {then[name]!r} to {now[name]!r} in {step}"
            yield Violation(column, what, _MOVES)


STABLE = Property("stable", "stable columns do not move", _broken, declared=True)
