"""A rehearsal of a replay: a share of what it would send, in a namespace of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from cutline.control import TOPIC_LEASES
from cutline.control.evidence import Outcome
from cutline.control.lease import Lease
from cutline.errors import ConfigurationError, CutlineError
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.readiness import LiveGroup
from cutline.rehearsal.brokers import BrokerFigures
from cutline.rehearsal.checking import ReadBack
from cutline.rehearsal.chosen import ChosenHistory, choose_records, sends_structured
from cutline.rehearsal.interface import RehearsalTopics
from cutline.rehearsal.live import offset_figures
from cutline.rehearsal.performing import (
    RehearsalEnd,
    RehearsalRequest,
    end_by_error,
    removal_figures,
    send_beside_live,
    volume_figures,
)
from cutline.rehearsal.record import Namespace
from cutline.rehearsal.replay_record import (
    RehearsedReplay,
    ReplayRehearsalFile,
    rehearsal_file,
)
from cutline.rehearsal.sending import Sent
from cutline.replay.destination import exceptions_topic
from cutline.replay.events import EXCEPTION, WAITING
from cutline.replay.performing import ReplayLook, ReplayWork, looked_at

_LOG = logger(__name__)


@dataclass(frozen=True)
class ReplayRehearsalWork:
    """What a replay is rehearsed with: the project with the topics of its destination, those that
    are tried, and the live groups."""

    replay: ReplayWork
    target: LoadedProject
    topics: RehearsalTopics
    groups: tuple[LiveGroup, ...]

    @property
    def say(self) -> Callable[[str], None]:
        """Tells people what is done."""
        return self.replay.say


def rehearse_replay(
    work: ReplayRehearsalWork, request: RehearsalRequest
) -> tuple[str, RehearsalEnd]:
    """Read and evolve what a replay would send, publish a share of it, measure, read back, remove,
    and keep what was measured; the id that the replay would have, and how it ended.

    It holds the lease of the destination. What fails is kept as well, and raised.
    """
    replay = work.replay
    destination, name = replay.request.destination, replay.request.name
    limits = replay.project.file.replays[name].rehearsal
    namespace = Namespace(work.target.file.topics.prefix, uuid4().hex[:8])
    file = rehearsal_file(replay.project, name, destination)
    with (
        replay.control.lease(TOPIC_LEASES, destination) as lease,
        looked_at(replay) as look,
    ):
        removed = file.remove_left(work.topics)
        _refuse_nothing(look)
        work.say("choosing whole keys")
        chosen = choose_records(
            look.records,
            namespace,
            min(request.share, limits.share),
            limits.events,
            look.order,
            f"{replay.key}.rehearsal",
            structured=sends_structured(work.target),
        )
        rehearsed = RehearsedReplay(
            look.id, namespace.name, request.command, request.made_by, replay.now
        )
        lease.check()
        # Before a topic is made: so the next one knows what a kill left.
        file.keep(rehearsed)
        fields = {"replay": look.id, "topic": destination, "namespace": namespace.name}
        _LOG.info("rehearsal of a replay begun", extra=fields)
        try:
            per_second = min(request.per_second, limits.messages_per_second)
            figures = _measured(work, look, chosen, namespace, lease, per_second)
        except BaseException as error:
            _keep_failure(work, file, rehearsed, error)
            raise
        passed = all(gate["passed"] for gate in figures["gates"].values())
        outcome: Outcome = "passed" if passed else "failed"
        is_removed = not figures["gates"]["rollback"]["left"]
        file.keep(replace(rehearsed, is_removed=is_removed, outcome=outcome, figures=figures))
        _LOG.info("rehearsal of a replay ended", extra={**fields, "outcome": outcome})
    return look.id, RehearsalEnd(namespace.name, outcome, figures, removed)


def _refuse_nothing(look: ReplayLook) -> None:
    if not sum(count.sent for count in look.counts):
        aside = _aside(look)
        raise ConfigurationError(
            f"the replay would send nothing: of {look.read:,} records that were read "
            f"{aside['exceptions']:,} are exceptions, {aside['waiting']:,} wait behind them, and "
            "the others are not asked for",
            left_behind="Nothing was sent.",
            next_step="See what they are: cutline replay with --dry-run.",
        )


def _keep_failure(
    work: ReplayRehearsalWork,
    file: ReplayRehearsalFile,
    rehearsed: RehearsedReplay,
    error: BaseException,
) -> None:
    """Remove what was made, if that can be, and keep why it failed."""
    outcome, says = end_by_error(error)
    ended = replace(rehearsed, outcome=outcome, figures={"failure": says})
    with contextlib.suppress(CutlineError):
        file.keep(ended)
        work.topics.remove(rehearsed.namespace)
        file.keep(replace(ended, is_removed=True))


def _measured(
    work: ReplayRehearsalWork,
    look: ReplayLook,
    chosen: ChosenHistory,
    namespace: Namespace,
    lease: Lease,
    per_second: int,
) -> dict[str, Any]:
    """The figures of all gates, once everything is removed again."""
    topics, records, destination = work.topics, chosen.events, work.replay.request.destination
    watched = [destination, exceptions_topic(destination)]
    before = topics.look(watched)
    topics.make([namespace.replayed()], [])
    work.say(f"publishing {len(records):,} records of {chosen.subjects:,} keys")
    control = work.replay.control
    sent, brokers = send_beside_live(topics, records, per_second, control, lease, work.groups)
    work.say("reading it back")
    read_back = ReadBack(look.context, namespace.number)
    compatibility = read_back.compare(records, topics.read([namespace.replayed()]))
    work.say("removing it")
    rollback = removal_figures(topics, namespace, len(records))
    after = topics.look(watched)
    gates = {
        "compatibility": compatibility,
        "offsets": offset_figures(before, after, sent.worst_lag, work.groups),
        "storage": volume_figures(chosen, sent),
        "rollback": rollback,
        "observability": _observability(sent, brokers),
    }
    rate = sent.figures()["records_per_second"]
    return {
        "gates": gates,
        "records": len(records),
        "records_of_replay": chosen.events_of_run,
        "keys": chosen.subjects,
        **_aside(look),
        **sent.figures(),
        # Of a replay that is as fast as the rehearsal was.
        "projected_seconds": round(chosen.events_of_run / max(rate, 0.001), 1),
    }


def _aside(look: ReplayLook) -> dict[str, int]:
    return {
        name: sum(count.records for count in look.counts if count.outcome == outcome)
        for name, outcome in (("exceptions", EXCEPTION), ("waiting", WAITING))
    }


def _observability(sent: Sent, brokers: BrokerFigures | None) -> dict[str, Any]:
    """What was seen of live traffic and brokers, as figures of a gate that always holds."""
    latency = sent.figures()["milliseconds"]
    measured = sent.lag_in_words or "no live group was looked at"
    return {
        "passed": True,
        "says": f"{measured}; p99 {latency['p99']} ms" + (f"; {brokers}" if brokers else ""),
        "worst_lag": sent.worst_lag,
        "milliseconds": latency,
    }
