"""Rollout: where each slice stands between the legacy and the new side, and how it is moved.

One row of the control database says it, changed by compare-and-set, each change with its line in a
ledger. A command is a plan that is looked at, then performed step by step.
"""

from cutline.control.plan import Guard, Plan, PlannedStep
from cutline.rollout.events import OnRolloutEvent, RolloutEvent, ignore_rollout_events
from cutline.rollout.performing import (
    PlanRefused,
    cancel,
    end_overdue,
    perform,
    plan_resume,
    resume,
)
from cutline.rollout.work import CarryOn, RolloutWork

__all__ = [
    "CarryOn",
    "Guard",
    "OnRolloutEvent",
    "Plan",
    "PlanRefused",
    "PlannedStep",
    "RolloutEvent",
    "RolloutWork",
    "cancel",
    "end_overdue",
    "ignore_rollout_events",
    "perform",
    "plan_resume",
    "resume",
]
