"""What a step is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutline.rollout.work import RolloutWork, StepDone


@dataclass(frozen=True)
class RolloutStep:
    """One step of a plan.

    `perform` may be called again after a kill, and ends the same. What it returns is recorded in
    one transaction with the end of the step. `needs_lease` is false for what takes the slice's
    lease by itself.
    """

    name: str
    says: str
    perform: Callable[[RolloutWork], StepDone]
    needs_lease: bool = True
