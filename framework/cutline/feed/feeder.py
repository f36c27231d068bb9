"""Feeding a slice: live events are applied to every version of its read model that stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from cutline.control import Control, RunRecord
from cutline.control.rollouts import Release, Rollout
from cutline.errors import ConfigurationError, CutlineError
from cutline.feed.cycle import CycleDone, VersionFeed
from cutline.feed.tail import TopicTail
from cutline.feed.topics import live_tail
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.readmodels import FeedOvertaken, ReadModel, ReadModelVersion, released_read_model
from cutline.run.past import workspace_as_recorded
from cutline.sources.frozen import with_captured_cuts

_NOTHING = "Nothing was changed."
_MOST_OVERTAKEN = 5
"""How often another process may be faster before a feed gives up."""


@dataclass(frozen=True)
class VersionFed:
    """A version that was fed up to where the live topics ended, and what that came to."""

    version: int
    run_id: str
    done: CycleDone


def feed_slice(
    project: LoadedProject,
    control: Control,
    context: str,
    region: str,
    only: int | None = None,
) -> Iterator[VersionFed]:
    """Feed each version that stands, or `only` that one, as far as the live topics hold events.

    ConfigurationError where there is nothing to feed: no read model or live topics are declared, or
    no release was staged. Where a version cannot be fed the others are, and then its error is
    raised.
    """
    failure: CutlineError | None = None
    standing = standing_versions(project, control, context, region)
    numbers = [version.version for _, version in standing]
    if only is not None and only not in numbers:
        raise ConfigurationError(
            f"Version {only} of {context}/{region} is not one that is fed.",
            left_behind=_NOTHING,
            next_step=f"These are: {', '.join(map(str, numbers))}.",
        )
    tail = live_tail(project, context)
    for read_model, version in standing:
        if only not in (None, version.version):
            continue
        try:
            feed = version_feed(project, control, read_model, version, tail)
            done = feed_on(control, feed)
        except CutlineError as error:
            # One that was dropped meanwhile needs nothing any more.
            if version.version in read_model.versions():
                failure = failure or error
            continue
        yield VersionFed(version.version, version.run_id, done)
    if failure is not None:
        raise failure


def feed_on(control: Control, feed: VersionFeed) -> CycleDone:
    """Feed a version until nothing is left; what that came to. Of a slice whose rollout was never
    opened nobody issued an epoch, and none is looked at."""
    done, overtaken = CycleDone(), 0
    while True:
        try:
            done += feed.next(lambda: control.tenures(feed.record.context, feed.record.region))
        except FeedOvertaken:
            # Another process did the same work: this one goes on behind it.
            overtaken += 1
            if overtaken == _MOST_OVERTAKEN:
                raise
            continue
        if not done.left:
            return done


def standing_versions(
    project: LoadedProject, control: Control, context: str, region: str
) -> list[tuple[ReadModel, ReadModelVersion]]:
    """The versions of a slice's read model that are read, were read before or may be next, with the
    read model; oldest first. Raises what `feed_slice` says."""
    rollout = open_rollout(control, context, region)
    section = project.file.contexts[context].translation
    translation = choose_translation(section.use, section.major, context)
    read_model = released_read_model(project, translation.context, region)
    if read_model is None:
        raise ConfigurationError(
            "cutline.yaml: rollout.read_model is missing: it says where services read what was "
            "projected",
            left_behind=_NOTHING,
            next_step="Declare it as docs/read-models.md shows, and stage a release.",
        )
    # Those whose runs `cutline clean` keeps.
    needed = {rollout.staged, rollout.release, rollout.previous, rollout.expanded}
    numbers = needed & set(read_model.versions())
    releases = control.releases(context, region)
    versions = [
        version
        for release in sorted(releases, key=lambda release: release.release)
        if (version := version_of(control, release)) is not None and version.version in numbers
    ]
    if not versions:
        raise ConfigurationError(
            f"No release of {context}/{region} has tables in the read model.",
            left_behind=_NOTHING,
            next_step=f"cutline rollout stage {context} --region {region} RUN",
        )
    return [(read_model, version) for version in versions]


def version_of(control: Control, release: Release) -> ReadModelVersion | None:
    """The tables of a release; None where none were built for it. Raises DamagedRow."""
    if release.read_model is None:
        return None
    try:
        return ReadModelVersion.model_validate(dict(release.read_model))
    except ValidationError as error:
        raise control.damaged_release(release, "read_model", error) from None


def open_rollout(control: Control, context: str, region: str) -> Rollout:
    """The rollout of a slice. ConfigurationError where it was never opened, or was cancelled."""
    rollout = control.rollout(context, region)
    if rollout is None or rollout.ending == "cancelled":
        ended = "was never opened" if rollout is None else "was cancelled"
        raise ConfigurationError(
            f"The rollout of {context}/{region} {ended}.",
            left_behind=_NOTHING,
            next_step=f"cutline rollout open {context} --region {region}",
        )
    return rollout


def version_feed(
    project: LoadedProject,
    control: Control,
    read_model: ReadModel,
    version: ReadModelVersion,
    tail: TopicTail,
    record: RunRecord | None = None,
    place_again: str | None = None,
) -> VersionFeed:
    """The feed of a version with the history of a run: left out, that of the run that it was built
    of, which the control database has. `place_again` are the commands that build it anew; left out,
    those of a release."""
    if record is None:
        record = control.run(version.run_id)
        assert record is not None
    positions = record.inputs.get("positions", {})
    workspace = workspace_as_recorded(with_captured_cuts(project, positions), record, positions)
    place = f"{record.context} --region {record.region}"
    again = place_again or f"cutline run {place}, and then cutline rollout stage {place} RUN"
    return VersionFeed(workspace, record, read_model, version, tail, again)
