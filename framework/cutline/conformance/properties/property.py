"""A property of translators, and a violation of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cutline.conformance.trial import Trial


@dataclass(frozen=True)
class Violation:
    """A rule that breaks a property: the rule's name, the problem, and the edit to make.

    `history` is the number of a history that shows it; null for a violation of the declaration
    alone.
    """

    rule: str
    problem: str
    next_step: str
    history: int | None = None


@dataclass(frozen=True)
class Property:
    """A property: its name, a sentence that states it, and the function that finds violations.

    `needs_shuffled` asks for a trial with shuffled captures. A property that `is_static` looks at
    the translator's declaration only, and can be checked on a trial without histories.
    """

    name: str
    statement: str
    violations: Callable[[Trial], Iterable[Violation]]
    needs_shuffled: bool = False
    is_static: bool = False
