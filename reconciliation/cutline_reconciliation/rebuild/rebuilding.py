"""Rebuilding a read model: rows read and compared, built beside what services read, then shown; fed
before, where live events are to keep them."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from cutline.context import state_name
from cutline.control import REBUILD_LEASES, Control, Decision, RunRecord
from cutline.control.address import same_file
from cutline.errors import ConfigurationError
from cutline.feed import CycleDone, feed_on, live_tail, rebuild_commands, version_feed
from cutline.lake.places import place_of
from cutline.masking import masking
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.readmodels import ReadModel, ReadModelVersion, separate_read_model, show_only
from cutline.readmodels.states import states_of
from cutline.rehydration import refuse_absent_states
from cutline.run.intact import refuse_changed
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.translator.translation import Translation
from cutline_reconciliation.rebuild.agreement import StatesAgreement, agreement_of
from cutline_reconciliation.rebuild.history import (
    compared_run,
    refuse_uncompared,
    refuse_without_topics,
)
from cutline_reconciliation.rebuild.queries import StatesQuery, queries_of
from cutline_reconciliation.rebuild.rows import UNCHANGED, read_rows


@dataclass(frozen=True)
class RebuildWork:
    """What is rebuilt: `target` names the database among `rebuilds` of cutline.yaml.

    `snapshot` names the run that it is compared with; null for the newest complete one.
    `most_unlike` is the share of an aggregate's subjects, from 0 to 1, that may differ from what
    it projected. Where `feeds`, live events are applied with that run's history. `say` tells people
    what is done.
    """

    project: LoadedProject
    control: Control
    context: str
    region: str
    target: str
    most_unlike: float
    snapshot: str | None
    feeds: bool
    say: Callable[[str], None]


@dataclass(frozen=True)
class RebuildDone:
    """What a rebuild came to.

    `version` is null where more differs than may: then nothing was built, and services read what
    they read. `rows` has by view the rows of the legacy, `previous` the version that services read
    before, null for none. `run_id` is the run that it was compared with, and `decision` what its
    gates say; null where no run is complete. `positions` has by partition of the live topics where
    it ended before the legacy was read. `fed` is what the live events since the run came to; null
    where none are applied.
    """

    version: int | None
    previous: int | None
    rows: Mapping[str, int]
    run_id: str | None
    decision: Decision | None
    agreements: tuple[StatesAgreement, ...]
    positions: Mapping[str, int]
    fed: CycleDone | None


def rebuild(work: RebuildWork) -> RebuildDone:
    """The legacy's rows as a new version of a read model, and the views that show it.

    What services read stays as it is until the end, and then changes in one transaction; the tables
    of older versions are dropped. What was killed begins anew. ConfigurationError for what
    cutline.yaml has wrong; NoHistory where live events are to be applied and no run has the history
    for it; RunFailed where the legacy cannot be read, its rows are no states, or the run's tables
    are not as it wrote them.
    """
    section = work.project.file.contexts[work.context].translation
    translation = choose_translation(section.use, section.major, work.context)
    key, target = f"rebuilds.{work.target}", work.project.file.rebuilds[work.target]
    read_model = separate_read_model(work.project, target, key, translation.context, work.region)
    _refuse_source(work.project, read_model, key)
    queries = queries_of(work.project, target, key, translation.context)
    if work.feeds:
        refuse_without_topics(work.project, work.context, queries, key)
    record = compared_run(work.control, work.context, work.region, work.snapshot, feeds=work.feeds)
    if record is not None:
        refuse_absent_states(record, (query.aggregate.name for query in queries), UNCHANGED)
        refuse_changed(work.project, record)
    lease = f"{work.target} {work.context}/{work.region}"
    with work.control.lease(REBUILD_LEASES, lease):
        return _rebuild(work, translation, queries, read_model, record)


def _rebuild(
    work: RebuildWork,
    translation: Translation,
    queries: Sequence[StatesQuery],
    read_model: ReadModel,
    record: RunRecord | None,
) -> RebuildDone:
    pointed = read_model.pointed()
    spark = session(work.project.file.spark)
    if work.feeds and record is not None:
        refuse_uncompared(spark, lake_of(work.project, record), record, queries)
    positions = _live_ends(work)
    with _scratch(work, spark) as folder:
        work.say("reading the legacy")
        frames = read_rows(queries, work.project, translation, work.region, spark, folder)
        agreements: tuple[StatesAgreement, ...] = ()
        if record is not None:
            work.say(f"comparing its rows with run {record.run_id}")
            mask, lake = masking([translation]), lake_of(work.project, record)
            agreements = tuple(
                agreement_of(name, frame, lake.read(spark, state_name(name)), mask)
                for name, frame in frames.items()
            )
        states = {name: states_of(frame, state_name(name)) for name, frame in frames.items()}
        rows = {read_model.names.views[name]: of_name.rows for name, of_name in states.items()}
        number, fed = None, None
        if all(agreement.share <= work.most_unlike for agreement in agreements):
            work.say("writing them into the database")
            _drop_unread(read_model, pointed)
            number = (pointed or 0) + 1
            version = read_model.build_states(states, number, _name())
            if work.feeds and record is not None:
                fed = _feed(work, read_model, version, record)
            show_only(read_model, version)
    run_id, decision = (None, None) if record is None else (record.run_id, record.decision)
    return RebuildDone(number, pointed, rows, run_id, decision, agreements, positions, fed)


def _feed(
    work: RebuildWork, read_model: ReadModel, version: ReadModelVersion, record: RunRecord
) -> CycleDone:
    work.say(f"applying the live events that came since run {record.run_id}")
    tail = live_tail(work.project, work.context)
    again = rebuild_commands(work.context, work.region, work.target)
    feed = version_feed(work.project, work.control, read_model, version, tail, record, again)
    return feed_on(work.control, feed)


def _name() -> str:
    """What stands for the run of a version that no run made."""
    return f"rebuild-{uuid.uuid4().hex[:16]}"


def _drop_unread(read_model: ReadModel, pointed: int | None) -> None:
    """Drop what attempts that were killed left."""
    for number in read_model.numbers():
        if number != pointed:
            read_model.drop(number)


def _live_ends(work: RebuildWork) -> dict[str, int]:
    """Where the live topics end now, by partition; nothing where none are declared."""
    if not work.project.file.contexts[work.context].live.aggregates:
        return {}
    ends = live_tail(work.project, work.context).ends()
    return {f"{topic}/{number}": at.end for (topic, number), at in sorted(ends.items())}


def _refuse_source(project: LoadedProject, read_model: ReadModel, key: str) -> None:
    """ConfigurationError for a file that is the legacy's own."""
    file = read_model.database.address.file
    for name, source in project.file.sources.items():
        for place in ("path", "truth", "baseline"):
            path = getattr(source, place, None)
            if file is not None and path and same_file(file, Path(project.path(path))):
                raise ConfigurationError(
                    f"{key}.url: {file} is sources.{name}.{place}, which is only read",
                    left_behind=UNCHANGED,
                    next_step="Name another file.",
                )


@contextlib.contextmanager
def _scratch(work: RebuildWork, spark: SparkSession) -> Iterator[str]:
    """A folder in the lake for the legacy's rows, empty; nobody else has it meanwhile."""
    folder = f"{work.project.lake}/_rebuild/{work.target}/{work.context}/{work.region}"
    place_of(spark, folder).delete()
    try:
        yield folder
    finally:
        place_of(spark, folder).delete()
