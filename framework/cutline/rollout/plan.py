"""A plan: what a command of a rollout will do, with what must hold before. A dry run shows the very
object that is then performed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Command = Literal[
    "open",
    "stage",
    "mirror",
    "switch reads",
    "switch writes",
    "reverse reads",
    "reverse writes",
    "expand",
    "migrate",
    "contract",
    "reverse contract",
    "complete",
    "cancel",
]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Guard(_Model):
    """What must hold before a plan is performed."""

    name: str
    passed: bool
    says: str
    """What was looked at, with its figures; where it does not hold, what is missing."""
    next_command: str | None = None
    """The command that gives what is missing."""


class PlannedStep(_Model):
    """One step of a plan, by its name in `cutline.rollout.steps`."""

    name: str
    says: str
    """What the step does."""
    point_of_no_return: bool = False
    """Whether everything before is undone by itself, and everything behind goes forward only."""


class Plan(_Model):
    """What a command does to the rollout of a slice, made at one version of it."""

    context: str
    region: str
    command: Command
    version: int
    """The version of the rollout that the plan was made at; 0 before there is one."""
    arguments: Mapping[str, Any] = {}
    """What the steps need to know, such as `run_id`, `release` or `percent`."""
    guards: tuple[Guard, ...] = ()
    steps: tuple[PlannedStep, ...] = ()
    undone_by_itself: bool = False
    """Whether a failure before the point of no return is undone at once."""
    undoes: str | None = None
    """Of a plan under way: why it is taken back when it is resumed; null where it goes forward."""

    @property
    def refused(self) -> tuple[Guard, ...]:
        """The guards that do not hold."""
        return tuple(guard for guard in self.guards if not guard.passed)

    @property
    def looked_at(self) -> dict[str, str]:
        """By guard, what was looked at."""
        return {guard.name: guard.says for guard in self.guards}

    def place(self, step: str) -> int:
        """Where a step stands among the others."""
        return next(i for i, planned in enumerate(self.steps) if planned.name == step)

    def is_behind_return(self, step: str) -> bool:
        """Whether the point of no return lies before this step."""
        return any(planned.point_of_no_return for planned in self.steps[: self.place(step)])


class PlanUnderWay(_Model):
    """A plan that was begun, as the rollout's row keeps it until its last step is done."""

    plan: Plan
    changed_by: str
    why: str | None
    evidence: Mapping[str, Any] = {}
    """What its steps recorded, by name."""
    undoing: str | None = None
    """Why it is being undone, once that was begun: then it goes nowhere else."""
