"""The property `stable`: columns that are declared stable do not change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.testing.row import Row
from cutline.testing.step import Step
from cutline.translator import SourceContract
from cutline.translator.names import SELF

_NEXT_STEP = (
    "Take `stable=True` off the column: then a snapshot's events say that they are inferred."
)


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per stable column with a lifecycle, and per fact of the change of stable columns only."""
    for part in trial.translator.parts.values():
        lifecycle = part.contract.lifecycle()
        if (
            lifecycle is not None
            and lifecycle.follows
            and lifecycle.column in part.contract.stable()
        ):
            name = f"{part.contract.__name__}.{lifecycle.column}"
            problem = f"{name} is stable, and has a lifecycle to go through"
            yield Violation(name, problem, _NEXT_STEP)
    for rule in trial.translator.facts:
        stable = [column for column in rule.of if _is_stable(trial, column)]
        if rule.of and len(stable) == len(rule.of):
            yield Violation(
                rule.name,
                f"{rule.name} is announced when {', '.join(stable)} changes, which is stable",
                _NEXT_STEP,
            )


def _is_stable(trial: Trial, column: str) -> bool:
    part, _, name = column.rpartition(".")
    return name in trial.translator.parts[part or SELF].contract.stable()


def stable_column_changes(steps: Iterable[Step]) -> Iterator[Violation]:
    """One violation per change of a stable column in steps of real or written rows.

    A row's image is compared with the step's own image before, or else that of an earlier step.
    """
    images: dict[tuple[type[SourceContract], str], Row] = {}
    for step in steps:
        row = (step.contract, step.row.key)
        before = step.before or images.get(row)
        if before is not None and step.after is not None:
            yield from _changes(step, before.values, step.after.values)
        if step.after is not None:
            images[row] = step.after


def _changes(
    step: Step, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Violation]:
    for name in sorted(step.contract.stable()):
        if before[name] != after[name]:
            column = f"{step.contract.__name__}.{name}"
            problem = (
                f"{column} is stable, and went from {before[name]!r} to {after[name]!r} in {step}"
            )
            yield Violation(column, problem, _NEXT_STEP)


STABLE = Property("stable", "stable columns do not move", _violations, is_static=True)
