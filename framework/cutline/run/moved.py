"""Whether the new side writes a slice, or subjects of it: then no run of it leaves the lake."""

from __future__ import annotations

from cutline.context import Context
from cutline.control import Control, DamagedRow
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.overlap import overlapping_regions
from cutline.run.overlap import SubjectOverlap, overlaps_with, overlaps_with_release

_NOTHING_READ = "Nothing was read, and nothing was published."
_NOT_PUBLISHED = "The tables of the run. Its history and its states were not published."


def refuse_moved(
    control: Control,
    project: LoadedProject,
    context: str,
    region: str,
    left_behind: str = _NOTHING_READ,
) -> None:
    """ConfigurationError where the new side writes the slice, or one that is declared to have rows
    of it: two would decide for one entity. `project` is as the region sees it."""
    rollout = control.rollout(context, region)
    if rollout is not None and rollout.is_given_back:
        raise ConfigurationError(
            f"The writes of {context}/{region} are on their way back to the legacy, which does not "
            "have all yet that the new side has written.",
            left_behind=left_behind,
            next_step=f"Let them arrive: cutline rollout resume {context} --region {region}",
        )
    if rollout is not None and rollout.writes == "new":
        raise ConfigurationError(
            f"The new side writes {context}/{region} since epoch {rollout.epoch}: what the legacy "
            "holds of it is no history any more.",
            left_behind=left_behind,
            next_step=f"Take the slice out of what runs regularly. To give its writes back: "
            f"cutline rollout reverse writes {context} --region {region}",
        )
    others = [place for _, place in control.rolled_out(context)]
    for place in overlapping_regions(project, region, others):
        # Only of those it is asked where they stand: others may be damaged.
        other_rollout = control.rollout(context, place)
        if other_rollout is None or not other_rollout.is_off_legacy:
            continue
        raise ConfigurationError(
            f"The new side writes {context}/{place}, or its writes are on their way back, and "
            f"{context}/{region} is declared to have the same rows: what the legacy holds of them "
            "is no history now.",
            left_behind=left_behind,
            next_step=f"Take {context}/{region} out of what runs regularly, or let its "
            "`region` predicates in cutline.yaml leave those rows out.",
        )


def refuse_moved_subjects(
    control: Control, project: LoadedProject, context: Context, region: str, lake: Lake
) -> None:
    """As `refuse_moved`, and where the states of a run, which are in this lake, have subjects of
    another slice that the new side writes."""
    refuse_moved(control, project, context.name, region, _NOT_PUBLISHED)
    common = moved_subjects(control, project, context, region, lake)
    if common:
        raise ConfigurationError(
            "The new side writes subjects that this run has too, or their writes are on their way "
            f"back: {'; '.join(map(str, common))}.",
            left_behind=_NOT_PUBLISHED,
            next_step="Let the `region` predicates of cutline.yaml tell the slices apart. Where "
            "they do, these subjects moved from there to this region, and must go back there.",
        )


def moved_subjects(
    control: Control, project: LoadedProject, context: Context, region: str, lake: Lake
) -> list[SubjectOverlap]:
    """The subjects in the states of a lake that the new side writes as those of another slice.

    DamagedRow where nobody knows who writes another slice, and a release of it has subjects of the
    lake.
    """
    common = []
    for _, place in control.rolled_out(context.name):
        if place == region:
            continue
        try:
            rollout = control.rollout(context.name, place)
        except DamagedRow:
            for release in control.releases(context.name, place):
                if overlaps_with_release(release, control, project, context, lake):
                    raise
            continue
        if rollout is not None and rollout.is_off_legacy:
            common += overlaps_with([rollout], control, project, context, lake)
    return common
