"""Taking back a plan that was begun, as long as its point of no return lies ahead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cutline.rollout.plan import Plan
from cutline.rollout.steps.hold import give_back
from cutline.rollout.work import RolloutWork


def undo(work: RolloutWork, plan: Plan) -> Mapping[str, Any]:
    """The columns of the rollout as they were before the plan, once the world is so again.

    May be called again after a kill. The epoch does not go back: what was done under it is over.
    """
    return _UNDO.get(plan.command, _nothing)(work)


def _nothing(_: RolloutWork) -> Mapping[str, Any]:
    return {}


def _unpoint(work: RolloutWork) -> Mapping[str, Any]:
    """The views show again what the row says; nothing but them was moved."""
    if (read_model := work.read_model) is not None:
        version = work.read_model_version(work.release(work.standing.release))
        read_model.point(version, work.standing.version)
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
    "reverse reads": _unpoint,
    "complete": _unpoint,
    "switch writes": _legacy_writes_again,
    "reverse writes": _new_writes_again,
}
