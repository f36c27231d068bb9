"""A plan: what a command of a rollout will do, with what must hold before. A dry run shows the very
object that is then performed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator
from typing_extensions import TypedDict

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

StepName = Literal[
    "build-read-model",
    "publish-release",
    "record-release",
    "feed-read-model",
    "point-read-model",
    "set-reads",
    "drop-views",
    "leave-release",
    "expand-read-model",
    "set-expanded",
    "confirm-reader",
    "contract-read-model",
    "set-contracted",
    "catch-up",
    "claim-epoch",
    "hold-legacy",
    "wait-for-transactions",
    "record-position",
    "drain-tail",
    "check-owed",
    "check-reverse-feed",
    "freeze-legacy",
    "journal",
    "flip",
    "hold-new",
    "drain-reverse-feed",
    "flip-back",
    "release-legacy",
    "drop-read-models",
    "drop-release-topics",
    "end",
]
STEP_NAMES: tuple[StepName, ...] = get_args(StepName)
"""The steps that a plan may have."""

Reads = Literal["legacy", "mirror", "canary", "new"]
Writes = Literal["legacy", "held", "new"]
Ending = Literal["complete", "cancelled"]

LiveEnds = Mapping[str, Mapping[str, int]]
"""By topic and partition, the offset behind the last record."""


def _moment(text: str) -> str:
    """The text of a moment with its zone. ValueError for another one."""
    if dt.datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("it has no time zone")
    return text


Moment = Annotated[str, AfterValidator(_moment)]


class ReadColumns(TypedDict):
    """The columns of the row of a rollout that say who is read, and who was before."""

    reads: Reads
    percent: int | None
    release: int | None
    expanded: int | None
    previous: int | None
    previous_reads: Reads | None
    previous_percent: int | None


class PlanArguments(TypedDict, total=False):
    """What the steps of a plan need to know."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    run_id: str
    release: int | None
    reads: Reads
    percent: int | None
    expanded: int | None
    reader: str
    reversed: bool
    was: ReadColumns
    ending: Ending
    keep: int | None


class StepEvidence(TypedDict, total=False):
    """What steps of a plan recorded and others, or the ledger's readers, look up; what they only
    show is there under other names."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    epoch: int
    held_at: float
    hold_seconds: float
    hold_transaction: str | None
    position: str | None
    legacy_clock: Moment | None
    drained_run: str
    read_model: Mapping[str, Any] | None
    positions: LiveEnds
    release: int
    frozen_at: Moment
    live_ends: LiveEnds | None
    reader: str
    statements: str
    settled: str
    taken_by: list[tuple[str, str | None]]


NEEDED_ARGUMENTS: Mapping[Command, tuple[str, ...]] = {
    "stage": ("run_id", "release"),
    "mirror": ("reads", "percent", "release"),
    "switch reads": ("reads", "percent", "release"),
    "reverse reads": ("reads", "percent", "release"),
    "expand": ("release", "expanded"),
    "migrate": ("reader",),
    "reverse contract": ("release", "expanded"),
    "complete": ("ending", "keep", "release"),
    "cancel": ("ending", "keep"),
}
"""By command, the arguments without which its steps cannot be done."""
LEFT_BEHIND: Mapping[StepName, tuple[str, ...]] = {
    "claim-epoch": ("epoch", "held_at"),
    # That of an earlier version had no end.
    "hold-new": ("epoch",),
    "hold-legacy": ("hold_transaction",),
    "record-position": ("position",),
    "drain-tail": ("drained_run",),
    "record-release": ("release",),
    "confirm-reader": ("reader",),
}
"""By step, the evidence that it records and without which others cannot be done."""
READ_OF_LEDGER: tuple[StepName, ...] = ("drain-tail", "confirm-reader")
"""The steps whose evidence is looked up in the ledger once the plan has ended: lines of earlier
versions may lack what only the plan under way needs."""


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

    name: StepName
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
    arguments: PlanArguments = {}
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
    evidence: StepEvidence = {}
    """What its steps recorded, by name."""
    undoing: str | None = None
    """Why it is being undone, once that was begun: then it goes nowhere else."""

    @model_validator(mode="after")
    def _has_arguments(self) -> PlanUnderWay:
        needed = NEEDED_ARGUMENTS.get(self.plan.command, ())
        if missing := [name for name in needed if name not in self.plan.arguments]:
            raise ValueError(f"plan.arguments of {self.plan.command} have no {missing[0]}")
        return self

    def fault_at(self, step: str) -> str | None:
        """Why the plan cannot stand at a step; None where it can."""
        names = [planned.name for planned in self.plan.steps]
        if step not in names:
            return f"plan.steps have no step {step!r}"
        for done in names[: self.plan.place(step)]:
            for name in LEFT_BEHIND.get(done, ()):
                if name not in self.evidence:
                    return f"evidence has no {name}, which step {done} left there"
        return None
