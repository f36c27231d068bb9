"""Until when writes are held, as the row of a slice has it."""

from __future__ import annotations

import datetime as dt

from cutline.control.plan import StepEvidence
from cutline.control.rollouts import Rollout


def hold_end(rollout: Rollout) -> dt.datetime | None:
    """When the hold that a plan under way has begun is over, by the clock of the control database,
    in UTC; None where nothing is held, and for a denial that was made one without an end."""
    evidence: StepEvidence = {} if rollout.plan is None else rollout.plan.evidence
    # Earlier versions did not record all of it.
    began, seconds = evidence.get("held_at"), evidence.get("hold_seconds")
    if rollout.writes != "held" or began is None or seconds is None or "frozen_at" in evidence:
        return None
    return dt.datetime.fromtimestamp(began + seconds, dt.UTC)
