"""Filling a database anew: built beside what services read, fed, and only then shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cutline.control import Control, RunRecord
from cutline.feed import CycleDone, feed_on, live_tail, version_feed
from cutline.logs import logger
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.readmodels import ReadModel, separate_read_model, show_only
from cutline.rehydration.run import refuse_absent_states
from cutline.run.intact import refuse_changed
from cutline.run.past import lake_of
from cutline.spark.session import session

_LOG = logger(__name__)


@dataclass(frozen=True)
class RehydrationWork:
    """What a database is filled with: `target` names it among `rehydrations` of cutline.yaml,
    `record` is the run whose states it gets. `say` tells people what is done."""

    project: LoadedProject
    control: Control
    record: RunRecord
    target: str
    say: Callable[[str], None]


@dataclass(frozen=True)
class Rehydrated:
    """What a database came to. `rows` has by view the states of the run, `fed` what the live events
    since came to; `previous` is the version that services read before, null for none."""

    version: int
    run_id: str
    rows: Mapping[str, int]
    previous: int | None
    fed: CycleDone


def rehydrate(work: RehydrationWork) -> Rehydrated:
    """The states of the run, with the live events that came since, in tables of a new version, and
    the views that show them.

    What services read stays as it is until the end, and then changes in one transaction; the tables
    of older versions are dropped. What was killed is gone on with. ConfigurationError for a
    database that is that of the rollout or of a rebuild, and for an aggregate that the run has no
    states of; RunFailed where the run's tables are not as it wrote them, or live events that came
    since are gone.
    """
    read_model = _read_model(work)
    refuse_absent_states(work.record, read_model.names.views, "Nothing was changed.")
    refuse_changed(work.project, work.record)
    spark, lake = session(work.project.file.spark), lake_of(work.project, work.record)
    pointed = read_model.pointed()
    number = _number(read_model, pointed, work.record.run_id)
    work.say(f"writing the states of run {work.record.run_id}")
    version = read_model.build(spark, lake, number, work.record.run_id)
    fed = CycleDone()
    if work.project.file.contexts[work.record.context].live.aggregates:
        work.say("applying the live events that came since")
        tail = live_tail(work.project, work.record.context)
        place = f"{work.record.context} --region {work.record.region}"
        again = f"cutline run {place}, and then cutline rehydrate {place} --into {work.target}"
        feed = version_feed(
            work.project, work.control, read_model, version, tail, place_again=again
        )
        fed = feed_on(work.control, feed)
    show_only(read_model, version)
    rows = {table.view: table.rows for table in version.tables}
    extra = {"run": work.record.run_id, "database": work.target, "version": number}
    _LOG.info("database rehydrated", extra=extra)
    return Rehydrated(number, work.record.run_id, rows, pointed, fed)


def _read_model(work: RehydrationWork) -> ReadModel:
    project, record = work.project, work.record
    section = project.file.contexts[record.context].translation
    context = choose_translation(section.use, section.major, record.context).context
    key, target = f"rehydrations.{work.target}", project.file.rehydrations[work.target]
    return separate_read_model(project, target, key, context, record.region)


def _number(read_model: ReadModel, pointed: int | None, run_id: str) -> int:
    """The version to be built: one that an attempt over the same run began, else the next."""
    for number in read_model.numbers():
        if number != pointed and read_model.run_of(number) == run_id:
            return number
    return max(read_model.numbers(), default=0) + 1
