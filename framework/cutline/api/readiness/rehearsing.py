"""A rehearsal of a slice, asked for by Python code or the command line."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cutline.api.choice import next_command
from cutline.api.metrics import Metrics
from cutline.api.runs.find import find_run
from cutline.control import TOPIC_LEASES, Control, RunRecord, newest_go
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.project.readiness import LiveGroup, ReadinessSection
from cutline.project.topics import FileTopicsSection, KafkaTopicsSection
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class Rehearsal:
    """How a rehearsal ended: `passed` or `failed`, with its figures; `removed` has by namespace how
    many topics earlier rehearsals had left."""

    context: str
    region: str
    run_id: str
    namespace: str
    outcome: Literal["passed", "failed", "killed"]
    figures: Mapping[str, Any]
    removed: Mapping[str, int]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline rehearse --json`."""
        values = asdict(self)
        return {"slice" if name == "region" else name: v for name, v in values.items()}


@dataclass(frozen=True)
class ReplayRehearsal:
    """How the rehearsal of a replay ended: `passed` or `failed`, with its figures; `removed` has by
    namespace how many topics earlier rehearsals to this destination had left. `id` is that of the
    replay that was tried."""

    id: str
    name: str
    destination: str
    namespace: str
    outcome: Literal["passed", "failed", "killed"]
    figures: Mapping[str, Any]
    removed: Mapping[str, int]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline rehearse --replay --json`."""
        return asdict(self)


def choose_run_to_rehearse(
    project: LoadedProject, control: Control | None, context: str, region: str, run: str | None
) -> RunRecord:
    """The run of that id, or how it begins; without one the newest that is GO.

    ConfigurationError for a run of another slice, or one that is not complete and GO.
    """
    if run is None:
        record = newest_go(control.runs(context, region)) if control else None
        if record is None:
            raise ConfigurationError(
                f"No run of {context} {region} is GO, and only what could be published is "
                "rehearsed.",
                left_behind="Nothing was sent.",
                next_step=next_command(f"run {context} --region {region}", project.folder),
            )
        return record
    record = find_run(control, run, project.folder)
    if (record.context, record.region) != (context, region):
        raise ConfigurationError(
            f"Run {record.run_id} is of {record.context}/{record.region}, not {context}/{region}.",
            left_behind="Nothing was sent.",
            next_step=f"See its runs: cutline runs {context} --region {region}",
        )
    if record.status != "complete" or record.decision != "go":
        raise ConfigurationError(
            f"Run {record.run_id} is {record.status}, its decision {record.decision or 'missing'}: "
            "only what could be published is rehearsed.",
            left_behind="Nothing was sent.",
            next_step=f"See why: cutline show {record.run_id} breaks",
        )
    return record


def rehearse_run(
    project: LoadedProject,
    control: Control,
    record: RunRecord,
    metrics: Callable[[], Metrics],
    *,
    share: float,
    rate: int | None,
    group: str | None,
    made_by: str,
    say: Callable[[str], None],
) -> Rehearsal:
    """Rehearse a run; a Spark session is ready."""
    from cutline.quotas import declared_quotas, limited, rehearsal_job
    from cutline.rehearsal.choice import rehearsal_topics
    from cutline.rehearsal.performing import (
        ObservedRun,
        RehearsalRequest,
        RehearsalWork,
        perform_rehearsal,
    )
    from cutline.run.past import workspace_as_recorded

    section = project.file.readiness.get(record.context, ReadinessSection())
    groups = section.live if group is None else _of_group(section.live, group)
    per_second = section.rehearsal.messages_per_second if rate is None else rate

    def observe() -> ObservedRun:
        of_slice = [
            sample
            for sample in metrics()
            if (sample.labels.get("context"), sample.labels.get("slice"))
            == (record.context, record.region)
        ]
        ended = record.finished_at.timestamp() if record.finished_at else None
        is_of_run = any(
            s.name == "cutline_run_finished_timestamp_seconds" and s.value == ended
            for s in of_slice
        )
        return ObservedRun(len(of_slice), is_of_run, _has_report(project, record))

    job = rehearsal_job(project, record.context, record.region)
    quotas = declared_quotas(project, job)
    topics = rehearsal_topics(project, groups, job)
    words = ["cutline", "rehearse", record.context, "--region", record.region]
    words += ["--run", record.run_id, "--share", f"{share:g}", "--rate", str(per_second)]
    words += ["--group", group] if group is not None else []
    work = RehearsalWork(
        workspace=workspace_as_recorded(project, record),
        control=control,
        record=record,
        section=section.model_copy(update={"live": groups}),
        topics=topics,
        observe=observe,
        say=say,
    )
    try:
        with limited(project, control, quotas, say):
            end = perform_rehearsal(
                work, RehearsalRequest(share, per_second, shlex.join(words), made_by)
            )
    finally:
        topics.close()
    return Rehearsal(
        record.context,
        record.region,
        record.run_id,
        end.namespace,
        end.outcome,
        end.figures,
        end.removed,
    )


def rehearse_replay_records(
    project: LoadedProject,
    control: Control,
    name: str,
    destination: str,
    *,
    share: float,
    rate: int | None,
    group: str | None,
    made_by: str,
    say: Callable[[str], None],
) -> ReplayRehearsal:
    """Rehearse a replay; a Spark session is ready."""
    from cutline.quotas import declared_quotas, limited
    from cutline.rehearsal.choice import rehearsal_topics
    from cutline.rehearsal.performing import RehearsalRequest
    from cutline.rehearsal.replays import ReplayRehearsalWork, rehearse_replay
    from cutline.replay.destination import refuse_target
    from cutline.replay.performing import ReplayWork
    from cutline.replay.request import ReplayRequest

    section = project.file.replays[name]
    _, target = refuse_target(project, section, destination, f"replays.{name}")
    # Those of readiness read topics of the project, and not of a cluster that a replay names.
    readiness = () if target is not project else tuple(project.file.readiness.values())
    live = _live_groups(target.file.topics, readiness)
    groups = live if group is None else _of_group(live, group)
    limits = section.rehearsal
    per_second = limits.messages_per_second if rate is None else rate
    words = ["cutline", "rehearse", "--replay", name, "--to", destination]
    words += ["--share", repr(share), "--rate", str(per_second)]
    words += ["--group", group] if group is not None else []
    request = ReplayRequest(name, destination)
    quotas = declared_quotas(project, destination, section, f"replays.{name}")
    topics = rehearsal_topics(target, groups, destination)
    replay = ReplayWork(project, control, request, dt.datetime.now(dt.UTC), say)
    try:
        with limited(project, control, quotas, say):
            identity, end = rehearse_replay(
                ReplayRehearsalWork(replay, target, topics, groups),
                RehearsalRequest(share, per_second, shlex.join(words), made_by),
            )
    finally:
        topics.close()
    return ReplayRehearsal(
        identity, name, destination, end.namespace, end.outcome, end.figures, end.removed
    )


def _live_groups(
    topics: FileTopicsSection | KafkaTopicsSection, readiness: Sequence[ReadinessSection]
) -> tuple[LiveGroup, ...]:
    """The groups of live traffic that cutline.yaml names: those that slow what is published to
    topics, and those of readiness, each once."""
    groups: dict[str, LiveGroup] = {}
    if not isinstance(topics, FileTopicsSection):
        for guard in topics.throttle.lag:
            group = LiveGroup(group=guard.group, topic=guard.topic, messages=guard.messages)
            groups[group.place] = group
    for section in readiness:
        for group in section.live:
            declared = groups.get(group.place, group)
            # Of two limits the smaller one holds.
            groups[group.place] = min(group, declared, key=lambda limited: limited.messages)
    return tuple(groups.values())


def clean_replay_rehearsals(
    project: LoadedProject, control: Control, name: str, destination: str
) -> dict[str, int]:
    """Remove what rehearsals of a replay to a destination left; by namespace, how many topics."""
    from cutline.rehearsal.choice import rehearsal_topics
    from cutline.rehearsal.replay_record import rehearsal_file

    target = project.with_topics_of(project.file.replays[name].destinations[destination].topics)
    topics = rehearsal_topics(target, (), destination)
    try:
        with control.lease(TOPIC_LEASES, destination):
            return rehearsal_file(project, name, destination).remove_left(topics)
    finally:
        topics.close()


def clean_rehearsals(
    project: LoadedProject, control: Control, context: str, region: str
) -> dict[str, int]:
    """Remove what rehearsals of a slice left; by namespace, how many topics that were."""
    from cutline.quotas import rehearsal_job
    from cutline.rehearsal.choice import rehearsal_topics
    from cutline.rehearsal.leftovers import remove_leftovers
    from cutline.rehearsal.way_back import remove_trial

    topics = rehearsal_topics(project, (), rehearsal_job(project, context, region))
    try:
        with control.lease(context, region) as lease:
            removed = remove_leftovers(control, topics, lease)
            remove_trial(project, control, context, region)
            return removed
    finally:
        topics.close()


def _of_group(live: tuple[LiveGroup, ...], name: str) -> tuple[LiveGroup, ...]:
    chosen = tuple(group for group in live if group.group == name)
    if not chosen:
        raise ConfigurationError(
            f"group {name!r} is none of the live groups of cutline.yaml: "
            f"{', '.join(g.group for g in live) or 'there are none'}.",
            left_behind="Nothing was sent.",
            next_step="Declare it in cutline.yaml with the topic that it reads.",
        )
    return chosen


def _has_report(project: LoadedProject, record: RunRecord) -> bool:
    """Whether each file of the run's report is in the lake as it was written."""
    from cutline.api.reports_index.copied import report_text
    from cutline.lake.unchanged import sha256
    from cutline.results import ReportResult
    from cutline.run.past import lake_of

    reported = record.result_of(ReportResult)
    if reported is None or not reported.report:
        return False
    text = report_text(lake_of(project, record), reported.report)
    return text is not None and reported.files.get(reported.report) in (None, sha256(text))
