"""Moving services to other columns: both at once, then those of the new release alone."""

from __future__ import annotations

from typing import Any

from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.views import contract_views, show_release
from cutline.rollout.work import RolloutWork, StepDone


def _expand_read_model(work: RolloutWork) -> StepDone:
    release, expanded = work.arguments["release"], work.arguments["expanded"]
    show_release(work, release, expanded)
    return StepDone({"views": f"release {release} with the columns of release {expanded}"})


def _set_expanded(work: RolloutWork) -> StepDone:
    standing = work.standing
    release, expanded = work.arguments["release"], work.arguments["expanded"]
    values: dict[str, Any] = {"release": release, "expanded": expanded}
    if standing.release != release:
        values |= {
            "previous": standing.release,
            "previous_reads": standing.reads,
            "previous_percent": standing.percent,
        }
    return StepDone(values=values)


def _confirm_reader(work: RolloutWork) -> StepDone:
    return StepDone({"reader": work.arguments["reader"], "of_release": work.standing.release})


def _contract_read_model(work: RolloutWork) -> StepDone:
    contract_views(work, work.standing.release, work.standing.expanded)
    return StepDone({"views": f"release {work.standing.release}"})


def _set_contracted(work: RolloutWork) -> StepDone:
    return StepDone({"contracted": work.standing.expanded}, {"expanded": None})


EXPAND_READ_MODEL = RolloutStep(
    "expand-read-model",
    "let the views show the release, and beside its columns those of the one before",
    _expand_read_model,
)
SET_EXPANDED = RolloutStep(
    "set-expanded",
    "record the release that is read, and whose columns stay beside its own",
    _set_expanded,
)
CONFIRM_READER = RolloutStep(
    "confirm-reader", "record who confirms that a service reads the new columns", _confirm_reader
)
CONTRACT_READ_MODEL = RolloutStep(
    "contract-read-model", "let the views show the columns of the release", _contract_read_model
)
SET_CONTRACTED = RolloutStep(
    "set-contracted", "record that no other release's columns are shown", _set_contracted
)
EXPANSION_STEPS = (
    *(EXPAND_READ_MODEL, SET_EXPANDED, CONFIRM_READER),
    *(CONTRACT_READ_MODEL, SET_CONTRACTED),
)
