"""The steps of each command of a rollout, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutline.control.plan import Command, PlannedStep
from cutline.control.rollouts import Rollout
from cutline.project.rollout import RolloutSection
from cutline.rollout.steps import STEPS

READ_MODEL_STEPS = (
    *("build-read-model", "feed-read-model"),
    *("point-read-model", "drop-views", "drop-read-models"),
)
"""Steps that only a project with a read model has."""
NO_RETURN = ("journal", "flip-back")
"""Steps behind which no plan is undone."""

_READS = ("point-read-model", "set-reads")
_EXPANSION = ("expand-read-model", "set-expanded")
_REMOVAL = ("drop-read-models", "drop-release-topics", "end")
_LEGACY_READS = ("set-reads", "drop-views")
"""Nobody may be sent to views that are gone: the row comes first where there will be none."""
_STEPS: Mapping[Command, Sequence[str]] = {
    "open": (),
    "stage": ("build-read-model", "publish-release", "record-release"),
    "mirror": _READS,
    "switch reads": _READS,
    "reverse reads": _READS,
    "expand": _EXPANSION,
    "migrate": ("confirm-reader",),
    "contract": ("contract-read-model", "set-contracted"),
    "reverse contract": _EXPANSION,
    "switch writes": (
        *("catch-up", "claim-epoch", "hold-legacy", "wait-for-transactions", "record-position"),
        *("drain-tail", "check-owed", "build-read-model", "publish-release", "record-release"),
        *("feed-read-model", "check-reverse-feed", "freeze-legacy"),
        *("journal", "flip", "point-read-model"),
    ),
    "reverse writes": ("hold-new", "drain-reverse-feed", "flip-back", "release-legacy"),
    # Views while there is a way back: somebody's own would stop it behind the journal.
    "complete": ("point-read-model", "journal", *_REMOVAL),
    # As with `_LEGACY_READS`.
    "cancel": ("journal", "leave-release", *_REMOVAL),
}


def leads_to_release(standing: Rollout) -> bool:
    """Whether a release is read once `reverse reads` has put back who was read before."""
    return bool(standing.previous_reads) and standing.previous is not None


def command_steps(
    command: Command,
    section: RolloutSection,
    *,
    has_release_topics: bool = False,
    is_to_legacy: bool = False,
) -> tuple[PlannedStep, ...]:
    """What a command does, step by step, in a project with that section; `open` only begins the row
    of the slice. What earlier releases have of topics is removed also where none gets any more.
    `is_to_legacy` says that reads go back until no release is read."""
    absent = set(READ_MODEL_STEPS) if section.read_model is None else set()
    if not section.release_topics:
        absent.add("publish-release")
        if not has_release_topics:
            absent.add("drop-release-topics")
    return tuple(
        PlannedStep(name=name, says=STEPS[name].says, point_of_no_return=name in NO_RETURN)
        for name in (_LEGACY_READS if is_to_legacy else _STEPS[command])
        if name not in absent
    )
