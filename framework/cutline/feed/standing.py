"""How far the feed of each version of a slice is behind its live topics."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from cutline.control import Control, DamagedRow
from cutline.errors import CutlineError
from cutline.feed.feeder import standing_versions
from cutline.feed.tail import TopicTail, positions_of
from cutline.feed.topics import live_tail
from cutline.project.loaded import LoadedProject
from cutline.readmodels import FeedState, ReadModel


@dataclass(frozen=True)
class FeedStanding:
    """A version that is fed: when its feed last ended a transaction, in UTC, and how many records
    of the live topics came since, null where the topics do not answer. `aside` has by rule how many
    records are put aside."""

    version: int
    fed_at: dt.datetime
    behind: int | None
    aside: Mapping[str, int]


def feed_standings(
    project: LoadedProject, control: Control, context: str, region: str
) -> list[FeedStanding]:
    """The versions of a slice that are fed, oldest first; none where nothing is declared or was
    fed, and where the read model's database does not answer."""
    rollout, section = control.rollout(context, region), project.file.rollout.read_model
    live = project.file.contexts[context].live.aggregates
    if rollout is None or section is None or not live:
        return []
    try:
        fed = [
            (read_model, version.version, state)
            for read_model, version in standing_versions(project, control, context, region)
            if (state := read_model.feed_state(version.version)) is not None
        ]
        return _standings(live_tail(project, context), fed) if fed else []
    except DamagedRow:
        raise
    except CutlineError:
        # A board and numbers say what there is, whatever else is away.
        return []


def records_behind(tail: TopicTail, state: FeedState) -> int:
    """The records of the live topics that are not applied yet, those of other slices among them.

    RunFailed where what was to be read is no longer there.
    """
    ends = tail.ends()
    fed = positions_of(state.partitions, ends, "cutline run")
    return tail.part({place: p.position for place, p in fed.items()}, ends, 0).left


def _standings(tail: TopicTail, fed: list[tuple[ReadModel, int, FeedState]]) -> list[FeedStanding]:
    standings = []
    for read_model, version, state in fed:
        try:
            behind = records_behind(tail, state)
        except CutlineError:
            behind = None
        aside = read_model.aside_counts(version)
        standings.append(FeedStanding(version, state.moment, behind, aside))
    return standings
