"""A rehearsal from its beginning to the evidence that it files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from cutline.control import Control, EvidenceKey, RunRecord
from cutline.control.evidence import Outcome
from cutline.control.lease import Lease
from cutline.errors import CutlineError
from cutline.logs import logger
from cutline.project.readiness import LiveGroup, ReadinessSection
from cutline.readiness.slice import REHEARSAL, translators_of
from cutline.rehearsal.brokers import BrokerFigures
from cutline.rehearsal.checking import ReadBack
from cutline.rehearsal.chosen import ChosenHistory, choose_history, sends_structured
from cutline.rehearsal.interface import LiveLook, RehearsalTopics
from cutline.rehearsal.leftovers import remove_leftovers
from cutline.rehearsal.live import offset_figures
from cutline.rehearsal.record import Namespace, RehearsedRecord
from cutline.rehearsal.sending import Sent, send_at
from cutline.rehearsal.way_back import try_way_back
from cutline.topics import names
from cutline.workspace import Workspace

_LOG = logger(__name__)


@dataclass(frozen=True)
class RehearsalRequest:
    """What is asked for: a share of the events, messages a second, the command as it was typed, and
    who typed it."""

    share: float
    per_second: int
    command: str
    made_by: str


@dataclass(frozen=True)
class ObservedRun:
    """What whoever is on call would see of a run: how many numbers of its slice `cutline metrics`
    has, whether they are of this run, and whether its report is as it was written."""

    numbers: int
    is_of_run: bool
    has_report: bool


@dataclass(frozen=True)
class RehearsalWork:
    """What a rehearsal is done with. `observe` looks at metrics and report; `say` tells people."""

    workspace: Workspace
    control: Control
    record: RunRecord
    section: ReadinessSection
    topics: RehearsalTopics
    observe: Callable[[], ObservedRun]
    say: Callable[[str], None]


@dataclass(frozen=True)
class RehearsalEnd:
    """How a rehearsal ended; `removed` has what earlier ones had left."""

    namespace: str
    outcome: Outcome
    figures: Mapping[str, Any]
    removed: Mapping[str, int]


def perform_rehearsal(work: RehearsalWork, request: RehearsalRequest) -> RehearsalEnd:
    """Remove what earlier rehearsals left, try the way back of writes, publish, measure, read back,
    remove, and file it.

    What fails is filed as well, and raised; what it made is removed then too, or by the next one.
    """
    workspace, control = work.workspace, work.control
    context, region = workspace.context.name, workspace.region
    prefix = workspace.project.file.topics.prefix
    namespace = Namespace(prefix, uuid4().hex[:8])
    with control.lease(context, region) as lease:
        removed = remove_leftovers(control, work.topics, lease)
        limits = work.section.rehearsal
        work.say("choosing whole subjects")
        chosen = choose_history(
            workspace,
            namespace,
            min(request.share, limits.share),
            limits.events,
            structured=sends_structured(workspace.project),
        )
        releases = control.releases(context, region)
        key = EvidenceKey(
            kind=REHEARSAL,
            command=request.command,
            run_id=work.record.run_id,
            release=releases[0].release if releases else None,
            translators=translators_of(work.record),
            namespace=namespace.name,
            made_by=request.made_by,
        )
        number = control.begin_evidence(key, lease).number
        fields = {"context": context, "region": region, "namespace": namespace.name}
        _LOG.info("rehearsal begun", extra=fields)
        try:
            figures = _measured(work, request, chosen, namespace, lease, number)
        except BaseException as error:
            _file_failure(work, error, lease, number, namespace)
            raise
        passed = all(gate["passed"] for gate in figures["gates"].values())
        outcome: Outcome = "passed" if passed else "failed"
        control.finish_evidence(number, outcome, figures, lease)
        _LOG.info("rehearsal ended", extra={**fields, "outcome": outcome})
    return RehearsalEnd(namespace.name, outcome, figures, removed)


def _measured(
    work: RehearsalWork,
    request: RehearsalRequest,
    chosen: ChosenHistory,
    namespace: Namespace,
    lease: Lease,
    number: int,
) -> dict[str, Any]:
    """The figures of all gates, once everything is removed again."""
    topics, limits, groups = work.topics, work.section.rehearsal, work.section.live
    aggregates = [aggregate.name for aggregate in work.workspace.context.aggregates]
    history = [namespace.history(lease.context, name) for name in aggregates]
    states = [namespace.states(lease.context, name) for name in aggregates]
    watched = _watched_topics(work, aggregates)
    way_back = try_way_back(
        work.workspace.project, work.control, lease.context, lease.region, work.say
    )
    before = topics.look(watched)
    topics.make(history, states)
    records = (*chosen.events, *chosen.states)
    work.say(
        f"publishing {len(chosen.events):,} events and {len(chosen.states):,} states of "
        f"{chosen.subjects:,} subjects"
    )
    per_second = min(request.per_second, limits.messages_per_second)
    sent, brokers = send_beside_live(topics, records, per_second, work.control, lease, groups)
    work.say("reading it back")
    read_back = ReadBack(work.workspace.context, namespace.number)
    compatibility = read_back.compare(records, topics.read([*history, *states]))
    work.say("removing it")
    removal = removal_figures(topics, namespace, len(records))
    if not removal["left"]:
        work.control.evidence_removed(number, lease)
    after = topics.look(watched)
    volume = volume_figures(chosen, sent)
    gates = {
        "compatibility": compatibility,
        "offsets": offset_figures(before, after, sent.worst_lag, groups),
        "storage": volume,
        "cost": volume,
        "rollback": _rollback(removal, way_back),
        "observability": _observability(work, before, sent, brokers),
    }
    return {
        "gates": gates,
        "events": len(chosen.events),
        "events_of_run": chosen.events_of_run,
        "states": len(chosen.states),
        "subjects": chosen.subjects,
        **sent.figures(),
    }


def send_beside_live(
    topics: RehearsalTopics,
    records: Sequence[RehearsedRecord],
    per_second: int,
    control: Control,
    lease: Lease,
    groups: Sequence[LiveGroup],
) -> tuple[Sent, BrokerFigures | None]:
    """Send records with an eye on the live groups, as long as the lease is ours: what it came to,
    and how the brokers fared; null for topics without brokers."""
    sent = send_at(
        topics,
        records,
        per_second,
        lambda: topics.look([]).lag,
        lambda: control.confirm(lease),
        {group.place: group.messages for group in groups},
    )
    sent.noticed(topics.look([]).lag)
    return sent, topics.brokers()


def _watched_topics(work: RehearsalWork, aggregates: Sequence[str]) -> list[str]:
    """The project's own topics of history, of states and of live events."""
    place = work.workspace.project.file.topics.prefix, work.workspace.context.name
    return [
        name(*place, aggregate)
        for aggregate in aggregates
        for name in (names.synthetic, names.state, names.live)
    ]


def removal_figures(topics: RehearsalTopics, namespace: Namespace, records: int) -> dict[str, Any]:
    """Figures of the way back: everything is removed, looked for again, and how long that took."""
    began = time.monotonic()
    removed = topics.remove(namespace.name)
    left = topics.standing(namespace.name)
    seconds = time.monotonic() - began
    says = f"{removed} topics with {records:,} records were removed in {seconds:.1f} s"
    if left:
        says = f"{len(left)} topics are there still, among them {left[0]}"
    return {
        "passed": not left,
        "says": says,
        "topics": removed,
        "left": left,
        "seconds": round(seconds, 3),
    }


def _rollback(removed: dict[str, Any], way_back: Mapping[str, Any] | None) -> dict[str, Any]:
    """Figures of both ways back: of the topics, and of the writes; null of what was not tried."""
    figures = removed | {"way_back": way_back}
    if way_back is None:
        return figures
    if removed["passed"] == way_back["passed"]:
        says = f"{removed['says']}; {way_back['says']}"
    else:
        says = way_back["says"] if removed["passed"] else removed["says"]
    return figures | {"passed": removed["passed"] and way_back["passed"], "says": says}


def volume_figures(chosen: ChosenHistory, sent: Sent) -> dict[str, Any]:
    """How much was sent, and how fast, as figures of a gate."""
    figures = sent.figures()
    event_bytes = sum(record.size for record in chosen.events)
    state_bytes = sum(record.size for record in chosen.states)
    return {
        "passed": True,
        "says": f"{event_bytes + state_bytes:,} bytes of keys, headers and values",
        "events": len(chosen.events),
        "states": len(chosen.states),
        "event_bytes": event_bytes,
        "state_bytes": state_bytes,
        "records_per_second": figures["records_per_second"],
    }


def _observability(
    work: RehearsalWork, before: LiveLook, sent: Sent, brokers: BrokerFigures | None
) -> dict[str, Any]:
    observed = work.observe()
    problems = []
    if not observed.numbers:
        problems.append("cutline metrics has no number of the slice")
    elif not observed.is_of_run:
        problems.append("cutline metrics has numbers of another run")
    if not observed.has_report:
        problems.append(f"the report of run {work.record.run_id} is not as it was written")
    measured = sent.lag_in_words or "topics in files have no groups whose lag to measure"
    latency = sent.figures()["milliseconds"]
    says = (
        f"{observed.numbers} numbers of the slice, its report; {measured}; p99 {latency['p99']} ms"
        + (f"; {brokers}" if brokers else "")
    )
    return {
        "passed": not problems,
        "says": "; ".join(problems) or says,
        "numbers": observed.numbers,
        "lag_before": before.lag,
        "worst_lag": sent.worst_lag,
        "milliseconds": latency,
        "brokers": None if brokers is None else asdict(brokers),
    }


def end_by_error(error: BaseException) -> tuple[Outcome, str]:
    """How a rehearsal ends that an error stops, and why in words."""
    says = error.what if isinstance(error, CutlineError) else type(error).__name__
    # Whoever stopped it by hand has learned nothing.
    return "failed" if isinstance(error, Exception) else "killed", says


def _file_failure(
    work: RehearsalWork, error: BaseException, lease: Lease, number: int, namespace: Namespace
) -> None:
    """Remove what was made, if that can be, and file why it failed; the error itself is raised by
    the caller."""
    outcome, says = end_by_error(error)
    try:
        work.topics.remove(namespace.name)
        work.control.evidence_removed(number, lease)
    except CutlineError as second:
        # The next rehearsal removes it, by the namespace that the control database has.
        _LOG.warning(
            "leftover of a rehearsal stays",
            extra={"namespace": namespace.name, "error": type(second).__name__},
        )
    with contextlib.suppress(CutlineError):
        work.control.finish_evidence(number, outcome, {"failure": says}, lease)
