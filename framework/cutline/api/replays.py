"""Replays, asked for by Python code or the command line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.api.quotas import JobQuota, job_quotas
from cutline.display import paragraph, table
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.project.moment import in_utc
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.replay.performing import ReplayEnd
    from cutline.replay.request import ReplayRequest

OnWork = Callable[[str], None]


@dataclass(frozen=True)
class ReplayOutcome:
    """How many records of a type ended as what: `replayed`, `no-event`, `exception` or `waiting`,
    the last two by the name of a `reason`. `written` is by what their payloads were written: a
    version, or the number of a schema; null where that is not told, as the type may be. `events`
    are those that a translator made of them; null for a replay without one."""

    type: str | None
    written: str | None
    outcome: str
    reason: str | None
    records: int
    events: int | None


@dataclass(frozen=True)
class Replay:
    """A replay, or with `dry_run` what one would be.

    `read` records of the source were read, `replayed` of them sent, `exceptions` could not be read,
    evolved or translated, `waiting` wait behind an exception of their key, and the rest was not
    asked for. With a translator `domain_events` were sent in place of the records, and of
    `without_event` records it announces nothing.
    `topics` has by topic and partition the records that were read back, and their digest.
    `exceptions_table` is where what was not sent is to be found; empty where all was. `seconds` is
    the time that it takes at the rate; null without one. `quotas` are the client quotas that stand
    while it works. `already_complete`: it was, and nothing
    was sent; `went_on`: an earlier attempt had begun it.
    """

    id: str
    name: str
    destination: str
    dry_run: bool
    already_complete: bool
    went_on: bool
    position: str
    read: int
    outcomes: Sequence[ReplayOutcome]
    topics: Mapping[str, Any]
    exceptions_table: str
    seconds: float | None
    quotas: tuple[JobQuota, ...] = ()

    @property
    def replayed(self) -> int:
        """Records that were sent, or would be."""
        return self._of("replayed")

    @property
    def exceptions(self) -> int:
        """Records that nobody can read or evolve."""
        return self._of("exception")

    @property
    def waiting(self) -> int:
        """Records that wait behind an exception of their key."""
        return self._of("waiting")

    @property
    def domain_events(self) -> int | None:
        """Events that a translator made of the records that were sent; null without one."""
        events = [o.events for o in self.outcomes if o.events is not None]
        return sum(events) if events else None

    @property
    def without_event(self) -> int:
        """Records of which the translator announces nothing."""
        return self._of("no-event")

    @property
    def passed_over(self) -> int:
        """Records that were not asked for."""
        return self.read - sum(outcome.records for outcome in self.outcomes)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline replay --json`."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return {**asdict(self), **counts}

    def _of(self, outcome: str) -> int:
        return sum(o.records for o in self.outcomes if o.outcome == outcome)

    def _repr_html_(self) -> str:
        rows = [list(asdict(outcome).values()) for outcome in self.outcomes]
        names = list(ReplayOutcome.__dataclass_fields__)
        return paragraph(f"replay {self.id} to {self.destination}") + table(names, rows)


_COUNTS = (
    *("replayed", "domain_events", "without_event", "exceptions", "waiting"),
    "passed_over",
)


def moment_of(
    name: str, moment: str | dt.datetime | None, left_behind: str = "Nothing was sent."
) -> dt.datetime | None:
    """A moment in UTC. ConfigurationError that names the argument for one without a zone, or whose
    year in UTC nobody can write."""
    if moment is None:
        return None
    try:
        time = moment if isinstance(moment, dt.datetime) else dt.datetime.fromisoformat(moment)
    except (TypeError, ValueError):
        time = None
    if time is None or time.tzinfo is None:
        raise ConfigurationError(
            f"{name}: {moment!r} is no moment with a zone.",
            left_behind=left_behind,
            next_step=f"Write it such as {name}=2026-11-01T06:00:00Z",
        )
    try:
        return in_utc(time)
    except ValueError as error:
        raise ConfigurationError(
            f"{name}: {moment!s} {error}.",
            left_behind=left_behind,
            next_step=f"Write it such as {name}=2026-11-01T06:00:00Z",
        ) from None


def replay_records(
    project: LoadedProject, request: ReplayRequest, *, dry_run: bool, plan_anew: bool, say: OnWork
) -> Replay:
    """Perform a replay, or with `dry_run` only look; a Spark session is ready."""
    from cutline.control import Control
    from cutline.replay.performing import ReplayWork, perform_replay, plan_replay

    section, key = project.file.replays[request.name], f"replays.{request.name}"
    quotas = job_quotas(project, request.destination, section, key)
    control = Control.open(project.file.control, project.folder)
    work = ReplayWork(project, control, request, dt.datetime.now(dt.UTC), say)
    end = plan_replay(work) if dry_run else perform_replay(work, plan_anew=plan_anew)
    return _replay(request, end, quotas, dry_run=dry_run)


def _replay(
    request: ReplayRequest, end: ReplayEnd, quotas: tuple[JobQuota, ...], *, dry_run: bool
) -> Replay:
    outcomes = [ReplayOutcome(**count.as_json()) for count in end.figures.counts]
    sent = sum(count.sent for count in end.figures.counts)
    return Replay(
        id=end.id,
        name=request.name,
        destination=request.destination,
        dry_run=dry_run,
        already_complete=end.is_old,
        went_on=end.went_on,
        position=end.position,
        read=end.figures.read,
        outcomes=outcomes,
        topics=end.figures.topics,
        exceptions_table=end.exceptions,
        seconds=None if request.rate is None else sent / request.rate,
        quotas=quotas,
    )
