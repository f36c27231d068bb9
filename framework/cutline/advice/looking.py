"""A look at a slice: all that an advice is derived from, and what of it was measured by what."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from cutline.advice.figures import figures_of
from cutline.advice.inputs import source_volumes
from cutline.advice.needs import Answers
from cutline.advice.newest_run import (
    MeasuredRun,
    measured_run,
    oldest_fact,
    published_sizes,
    rehearsed_sizes,
)
from cutline.advice.result import AdviceFigure
from cutline.advice.retained import live_events, replay_events
from cutline.advice.situation import RecordSizes, RetainedEvents, Situation
from cutline.control import Control
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.project.readiness import ReadinessSection
from cutline.readiness.slice import REHEARSAL
from cutline.results import MergeResult
from cutline.spark.session import session
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class AdviceWork:
    """A slice about which an advice is to be given. `command` makes a command of the project out of
    its words."""

    project: LoadedProject
    control: Control | None
    context: str
    region: str
    answers: Answers
    command: Callable[[str], str]
    now: dt.datetime


def look(work: AdviceWork) -> tuple[Situation, list[AdviceFigure]]:
    """The situation of the slice, and the figures that it comes from.

    What a run has is asked of the control database; of its tables only the timeline is looked into,
    for the moment of its oldest fact. ConfigurationError for files, plugins and topics that are not
    there; RunFailed where Kafka does not answer, or the timeline is not what the run wrote.
    """
    project, answers = work.project, work.answers
    chosen = project.file.contexts[work.context].translation
    translation = choose_translation(chosen.use, chosen.major, work.context)
    run = measured_run(work.control, work.context, work.region) if work.control else None
    volumes = source_volumes(project, translation, work.region, run.rows if run else None)
    retained = _retained(work, translation, run)
    oldest = None
    if run is not None:
        oldest = oldest_fact(session(project.file.spark), project, run.record)
    section = project.file.readiness.get(work.context, ReadinessSection())
    rows = [volume.rows for volume in volumes]
    sizes = [volume.bytes for volume in volumes]
    ends = run.ends if run else None
    row_count = sum(ends.values()) if ends else 0
    situation = Situation(
        needs=frozenset(answers.needs),
        horizon=answers.horizon,
        downtime=answers.downtime,
        side_effects=answers.side_effects,
        archive=answers.archive,
        now=work.now,
        rows=None if None in rows else sum(number or 0 for number in rows),
        bytes=None if None in sizes else sum(size or 0 for size in sizes),
        run=run.record.run_id if run else None,
        decision=run.record.decision if run else None,
        decided_by=(run.record.decided_by or "") if run else "",
        seconds=run.seconds if run else None,
        published=run.published if run else False,
        reading_seconds=run.reading_seconds if run else None,
        unmapped=_share(run.unmapped if run else None, row_count),
        exceptional=_share(run.exceptional if run else None, row_count),
        timeless=run.timeless if run else None,
        disordered=run.disordered if run else None,
        oldest=oldest,
        events=run.events if run else None,
        subjects=run.subjects if run else None,
        acting=_acting(translation),
        retained=tuple(retained),
        replays=tuple(project.file.replays) if answers.replay is None else (),
        sizes=_sizes(work, run),
        prices=section.cost,
        copies=section.capacity.copies if section.capacity else 1,
        shares_topics=len(project.file.regions) > 1
        and not project.file.regions[work.region].everything,
    )
    place = f"{work.context} --region {work.region}"
    return situation, figures_of(situation, volumes, run, place, work.command)


def _retained(
    work: AdviceWork, translation: Translation, run: MeasuredRun | None
) -> list[RetainedEvents]:
    merged = run.record.result_of(MergeResult) if run else None
    live = live_events(work.project, translation, merged)
    retained = [] if live is None else [live]
    if work.answers.replay is not None:
        retained.append(replay_events(work.project, work.answers.replay))
    return retained


def _sizes(work: AdviceWork, run: MeasuredRun | None) -> RecordSizes | None:
    """What records weigh: by the newest rehearsal, else by what the newest run sent to Kafka."""
    if work.control is None or run is None:
        return None
    for evidence in work.control.evidence(work.context, work.region):
        if evidence.kind == REHEARSAL and evidence.outcome == "passed":
            sizes = rehearsed_sizes(evidence)
            if sizes is not None:
                return sizes
    entries = work.control.publications(work.context, work.region)
    return published_sizes(entries, run.record.run_id)


def _acting(translation: Translation) -> tuple[str, ...]:
    """The types of events on whose live ones consumers act."""
    events = (event for a in translation.context.aggregates for event in a.events)
    return tuple(event.event_type() for event in events if event.side_effect)


def _share(part: int | None, whole: int) -> float | None:
    """The share of rows; none of no row is none."""
    if part is None:
        return None
    return part / whole if whole else 0.0
