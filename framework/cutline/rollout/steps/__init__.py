"""The steps of plans, by name. Each can be done again after a kill, with the same end."""

from cutline.rollout.steps.expansion import EXPANSION_STEPS
from cutline.rollout.steps.hold import HOLD_STEPS
from cutline.rollout.steps.reads import READ_STEPS
from cutline.rollout.steps.release import RELEASE_STEPS
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.steps.writes import WRITE_STEPS

STEPS: dict[str, RolloutStep] = {
    step.name: step
    for step in (*RELEASE_STEPS, *READ_STEPS, *EXPANSION_STEPS, *HOLD_STEPS, *WRITE_STEPS)
}
"""Every step that a plan may have."""

__all__ = ["STEPS", "RolloutStep"]
