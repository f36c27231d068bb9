"""Moving who is read, and back."""

from __future__ import annotations

from cutline.control.rollouts import Rollout
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.views import show_release
from cutline.rollout.work import RolloutWork, StepDone

READ_COLUMNS = (
    *("reads", "percent", "release", "expanded"),
    *("previous", "previous_reads", "previous_percent"),
)
"""The columns of the row that say who is read, and who was before."""
LEGACY_READ = {"reads": "legacy", "percent": None, "release": None, "expanded": None}
"""The columns of the row where no release is read."""


def _point_read_model(work: RolloutWork) -> StepDone:
    number = work.evidence.get("release", work.arguments.get("release"))
    standing = work.standing
    show_release(work, number, standing.expanded if number == standing.release else None)
    return StepDone({"views": "none" if number is None else f"release {number}"})


def _set_reads(work: RolloutWork) -> StepDone:
    standing = work.standing
    arguments = work.arguments
    values = {
        "reads": arguments["reads"],
        "percent": arguments.get("percent"),
        "release": arguments.get("release"),
        "expanded": standing.expanded if arguments.get("release") == standing.release else None,
        **_previous_columns(standing, bool(arguments.get("reversed"))),
    }
    return StepDone(values=values)


def _drop_views(work: RolloutWork) -> StepDone:
    show_release(work, None, None)
    return StepDone({"views": "none"})


def _leave_release(work: RolloutWork) -> StepDone:
    return StepDone({"left": work.standing.release}, LEGACY_READ)


def _previous_columns(standing: Rollout, is_reversed: bool) -> dict[str, object]:
    """What `reverse reads` will put back: what stands now, or nothing behind a reversal."""
    if is_reversed:
        return {"previous": None, "previous_reads": None, "previous_percent": None}
    return {
        "previous": standing.release,
        "previous_reads": standing.reads,
        "previous_percent": standing.percent,
    }


POINT_READ_MODEL = RolloutStep(
    "point-read-model",
    "let the views of the read model show the release, all in one transaction",
    _point_read_model,
)
SET_READS = RolloutStep(
    "set-reads",
    "record who is read, and which release: timeline, topic positions and read model in one row",
    _set_reads,
)
DROP_VIEWS = RolloutStep(
    "drop-views",
    "remove the views of the read model, which nobody is sent to any more",
    _drop_views,
)
LEAVE_RELEASE = RolloutStep(
    "leave-release",
    "record that the legacy alone is read, before anything is removed",
    _leave_release,
)
READ_STEPS = (POINT_READ_MODEL, SET_READS, DROP_VIEWS, LEAVE_RELEASE)
