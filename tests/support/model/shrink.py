"""The shortest history that still shows what is wrong; each round asks of many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from support.model.judge.cases import Case
from support.model.steps import Steps

ROUNDS = 12
Shows = Callable[[Sequence[Case]], list[bool]]
"""Whether each of the cases shows it."""


def shrunk(case: Case, shows: Shows) -> Case:
    """The case with as few steps as can be found; every step that is left is needed.

    That is so after enough rounds: each leaves out as much as one run of steps.
    """
    for _ in range(ROUNDS):
        shorter = [replace(case, steps=steps) for steps in _shorter(case.steps)]
        still = [one for one, shown in zip(shorter, shows(shorter), strict=True) if shown]
        if not still:
            return case
        together = [replace(case, steps=steps) for steps in _together(case.steps, still)]
        still += [one for one, shown in zip(together, shows(together), strict=True) if shown]
        case = min(still, key=lambda candidate: len(candidate.steps))
    return case


def _shorter(steps: Steps) -> Iterator[Steps]:
    """The steps without one run of them: halves, quarters, and so on down to single ones."""
    size = max(len(steps) // 2, 1)
    while steps:
        for start in range(0, len(steps), size):
            yield steps[:start] + steps[start + size :]
        if size == 1:
            return
        size //= 2


def _together(steps: Steps, still: Sequence[Case]) -> Iterator[Steps]:
    """The steps without the first of the spare ones, the first two, and so on."""
    spare = [
        place
        for place in range(len(steps))
        if any(one.steps == steps[:place] + steps[place + 1 :] for one in still)
    ]
    for count in range(2, len(spare) + 1):
        left_out = set(spare[:count])
        yield tuple(step for place, step in enumerate(steps) if place not in left_out)


def literal(case: Case) -> str:
    """The case as code that can be pasted into literal_histories.py."""
    steps = "".join(f"        {_constructor_call(step)},\n" for step in case.steps)
    others = "".join(
        f"    {name}={value},\n" for name, value in _fields_not_default(case) if name != "steps"
    )
    return f"Case(\n    steps=(\n{steps}    ),\n{others})"


def _constructor_call(instance: Any) -> str:
    """A dataclass as it is made, without what is so by default."""
    arguments = ", ".join(f"{name}={value}" for name, value in _fields_not_default(instance))
    return f"{type(instance).__name__}({arguments})"


def _fields_not_default(instance: Any) -> list[tuple[str, str]]:
    pairs = []
    for field in fields(instance):
        value = getattr(instance, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            pairs.append(
                (field.name, _constructor_call(value) if is_dataclass(value) else repr(value))
            )
    return pairs
