"""Taking back a plan that was begun, as long as its point of no return lies ahead."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from cutline.control.plan import Plan
from cutline.errors import CutlineError, RunFailed
from cutline.rollout.guards import command
from cutline.rollout.steps.hold import give_back
from cutline.rollout.steps.release import BUILD_READ_MODEL
from cutline.rollout.views import contract_views, show_release
from cutline.rollout.work import RolloutWork


def undo(work: RolloutWork, plan: Plan) -> Mapping[str, Any]:
    """The columns of the rollout as they were before the plan, once the world is so again.

    May be called again after a kill. The epoch does not go back: what was done under it is over.
    """
    values = _UNDO.get(plan.command, _nothing)(work)
    if any(step.name == BUILD_READ_MODEL.name for step in plan.steps):
        _refuse_builders(work)
    return values


def _refuse_builders(work: RolloutWork) -> None:
    """A process that sleeps while it builds tables finds out when it wakes."""
    # Nobody reads what it builds: a database that does not answer keeps nothing from being undone.
    with contextlib.suppress(CutlineError):
        work.declared_read_model.refuse_before(work.standing.version)


def _nothing(_: RolloutWork) -> Mapping[str, Any]:
    return {}


def _unpoint(work: RolloutWork) -> Mapping[str, Any]:
    """The views show again what the row says; nothing but them was moved."""
    if work.read_model is not None:
        standing = work.standing
        show_release(work, standing.release, standing.expanded)
    return {}


def _reads_again(work: RolloutWork) -> Mapping[str, Any]:
    """The row may have been moved, and the views be gone."""
    was = work.arguments.get("was")
    if was is None:
        raise RunFailed(
            "The plan was begun by an earlier version, and does not say who was read before.",
            left_behind="The plan is under way as it was.",
            next_step=f"Go on with it: {command(work, 'resume')}",
        )
    if work.read_model is not None:
        show_release(work, was["release"], was["expanded"])
    return was


def _contract_again(work: RolloutWork) -> Mapping[str, Any]:
    """The views show the columns of the release alone, as they did."""
    contract_views(work, work.standing.release, work.standing.previous)
    return {}


def _legacy_writes_again(work: RolloutWork) -> Mapping[str, Any]:
    give_back(work)
    if work.standing.writes == "legacy":
        return {}
    return {"writes": "legacy", "epoch": work.standing.epoch + 1, "denial": None}


def _new_writes_again(work: RolloutWork) -> Mapping[str, Any]:
    if work.standing.writes == "new":
        return {}
    return {"writes": "new", "epoch": work.standing.epoch + 1}


_UNDO: dict[str, Callable[[RolloutWork], Mapping[str, Any]]] = {
    "mirror": _unpoint,
    "switch reads": _unpoint,
    "reverse reads": _reads_again,
    "expand": _unpoint,
    "contract": _unpoint,
    "reverse contract": _contract_again,
    "complete": _unpoint,
    "switch writes": _legacy_writes_again,
    "reverse writes": _new_writes_again,
}
