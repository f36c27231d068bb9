"""The subjects of a slice that another one which is rolled out has as well."""

from __future__ import annotations

from cutline.control import RunRecord
from cutline.rollout.work import RolloutWork
from cutline.run.overlap import SubjectOverlap, overlaps_with
from cutline.run.past import lake_of


def overlaps(work: RolloutWork, record: RunRecord) -> list[SubjectOverlap]:
    """The subjects of a run that the newest release of another open slice of its context has."""
    elsewhere = [
        rollout
        for rollout in work.control.rollouts(work.context)
        if rollout.region != work.region and rollout.ending != "cancelled"
    ]
    context, lake = work.translation.context, lake_of(work.project, record)
    return overlaps_with(elsewhere, work.control, work.project, context, lake)
