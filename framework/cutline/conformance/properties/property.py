"""What breaks a property."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cutline.conformance.trial import Trial


@dataclass(frozen=True)
class Violation:
    """A property does not hold: of which rule, what is wrong, and the edit that comes next.

    `history` is the number of the history that shows it; null where the declaration alone does.
    """

    rule: str
    what: str
    next_step: str
    history: int | None = None


@dataclass(frozen=True)
class Property:
    """A property of translators: its name, what it says, and what breaks it in a trial.

    `twice` says that the trial must be judged twice, `declared` that the declaration alone tells.
    """

    name: str
    says: str
    broken_by: Callable[[Trial], Iterable[Violation]]
    twice: bool = False
    declared: bool = False
