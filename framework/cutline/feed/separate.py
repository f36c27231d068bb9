"""Feeding a database that was rebuilt: the version that services read gets what came since."""

from __future__ import annotations

from cutline.control import Control, RunRecord
from cutline.errors import ConfigurationError, CutlineError
from cutline.feed.feeder import VersionFed, feed_on, version_feed
from cutline.feed.tail import TopicTail
from cutline.feed.topics import live_tail
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.readmodels import ReadModel, ReadModelVersion, separate_read_model
from cutline.run.past import lake_of
from cutline.tables import REFUSED, TIMELINE

_NOTHING = "Nothing was changed."
_MOST_SHOWN_ANEW = 5
"""How often services may be shown another version meanwhile before a feed gives up."""


def feed_database(
    project: LoadedProject, control: Control, context: str, region: str, target: str
) -> VersionFed:
    """Feed the version that services read in database `target` of `rebuilds` in cutline.yaml, as
    far as the live topics hold events. Where they are shown another one meanwhile, that is fed.

    ConfigurationError where no version is shown, or one that was not built to be fed; RunFailed
    where the tables of its run are not as the run wrote them, or what is still to be applied is
    gone from a topic.
    """
    read_model, tail = _read_model(project, context, region, target), live_tail(project, context)
    shown_anew = 0
    while True:
        version = _shown_version(read_model, context, region, target)
        try:
            record = _history(control, read_model, version, context, region, target)
            return _fed(project, control, read_model, version, record, tail, target)
        except CutlineError:
            # One that was dropped meanwhile needs nothing any more.
            shown_anew += 1
            if read_model.pointed() == version.version or shown_anew == _MOST_SHOWN_ANEW:
                raise


def rebuild_commands(context: str, region: str, target: str) -> str:
    """What builds such a database anew over what the topics hold now."""
    place = f"{context} --region {region}"
    return f"cutline run {place}, and then {_rebuild_command(context, region, target)}"


def _rebuild_command(context: str, region: str, target: str) -> str:
    return f"cutline rebuild {context} --region {region} --into {target} --feed"


def _read_model(project: LoadedProject, context: str, region: str, target: str) -> ReadModel:
    section = project.file.contexts[context].translation
    translation = choose_translation(section.use, section.major, context)
    key, database = f"rebuilds.{target}", project.file.rebuilds[target]
    return separate_read_model(project, database, key, translation.context, region)


def _shown_version(
    read_model: ReadModel, context: str, region: str, target: str
) -> ReadModelVersion:
    version = read_model.shown_version()
    if version is None:
        raise ConfigurationError(
            f"{target}: services read nothing of {context}/{region} there yet",
            left_behind=_NOTHING,
            next_step=f"Build it: {_rebuild_command(context, region, target)}",
        )
    return version


def _history(
    control: Control,
    read_model: ReadModel,
    version: ReadModelVersion,
    context: str,
    region: str,
    target: str,
) -> RunRecord:
    """The run whose history the version is fed with."""
    state = read_model.feed_state(version.version)
    if state is None:
        raise ConfigurationError(
            f"{target}: version {version.version} was rebuilt without --feed: no run has the "
            "history of its rows",
            left_behind=_NOTHING,
            next_step=f"Build it so that it is fed: {_rebuild_command(context, region, target)}",
        )
    record = control.run(state.run_id)
    if record is None:
        raise ConfigurationError(
            f"{target}: version {version.version} is fed with the history of run {state.run_id}, "
            "which the control database does not have",
            left_behind=_NOTHING,
            next_step=f"Build it anew: {rebuild_commands(context, region, target)}",
        )
    return record


def _fed(
    project: LoadedProject,
    control: Control,
    read_model: ReadModel,
    version: ReadModelVersion,
    record: RunRecord,
    tail: TopicTail,
    target: str,
) -> VersionFed:
    lake_of(project, record).check(TIMELINE.name, REFUSED.name)
    again = rebuild_commands(record.context, record.region, target)
    feed = version_feed(project, control, read_model, version, tail, record, again)
    return VersionFed(version.version, record.run_id, feed_on(control, feed))
