"""Backfills that teams ask for and a process serves, for Python and the command line."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.api.arguments import chosen_names, require_count, require_limit, require_words
from cutline.api.choice import control_of
from cutline.api.moment import moment_text
from cutline.api.user import user_of_process
from cutline.display import ResultList
from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.control import Backfill
    from cutline.project import LoadedProject


_NOT_SENT = ("exception", "waiting")
"""What became of a record that could not be sent."""


@dataclass(frozen=True)
class BackfillEntry:
    """A backfill as it stands in the queue.

    `status` is `queued`, `running`, `done`, `failed`, `refused` or `cancelled`, and `reason` says
    why it waits or how it ended; null where there is nothing to say. `records` is how many it
    sends, null until that is known; `started_at` is when it was begun last, null before and where
    its team could not send so many; `exceptions` how many of what was asked for could not be sent,
    null before its end. `replay_id` names what was sent, null before. `cancelled_by` and
    `cancelled_why` are who cancelled it and why, null where nobody did. `request` is what was
    asked for, as a file says it.
    """

    number: int
    status: str
    team: str | None
    asked_by: str | None
    asked_at: dt.datetime
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    attempts: int
    records: int | None
    exceptions: int | None
    replay_id: str | None
    reason: str | None
    cancelled_by: str | None
    cancelled_why: str | None
    request: Mapping[str, Any]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline backfill show --json`."""
        moments = {
            name: moment_text(getattr(self, name))
            for name in ("asked_at", "started_at", "ended_at")
        }
        return {**asdict(self), **moments}


@dataclass(frozen=True)
class Backfills:
    """The queue of backfills of a project. `load` reads its cutline.yaml, `session` has a session
    of Spark ready meanwhile."""

    load: Callable[[], LoadedProject]
    session: Callable[[], AbstractContextManager[None]]

    def submit(
        self,
        replay: str,
        *,
        to: str,
        team: str,
        why: str,
        path: str | None = None,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
        keys: Iterable[str] | None = None,
        types: Iterable[str] | None = None,
        where: str | None = None,
        pass_siblings: bool = False,
        rate: int | None = None,
        asked_by: str | None = None,
    ) -> BackfillEntry:
        """Ask for a replay of cutline.yaml, to be sent by whoever serves the queue.

        `path` is a part of its archive; the rest is as `Project.replay` takes it.
        ConfigurationError for a destination that is live or has no owner, for an unknown team, and
        for one whose queue is full.
        """
        require_words(replay=replay, to=to, team=team, why=why)
        if rate is not None:
            require_count(rate=rate)

        from cutline.api.replays import moment_of
        from cutline.backfill.intake import submit
        from cutline.backfill.order import BackfillOrder, read_document
        from cutline.control import Control

        begin, end = moment_of("--from", since), moment_of("--until", until)
        chosen = {"keys": chosen_names("keys", keys), "types": chosen_names("types", types)}
        order = read_document(
            {
                **{"replay": replay, "to": to, "team": team, "why": why, "path": path},
                **{"from": begin, "until": end, "where": where, "rate": rate},
                **{name: listed for name, listed in chosen.items() if listed},
                **{"pass_siblings": pass_siblings, "asked_by": asked_by or user_of_process()},
            }
        )
        assert isinstance(order, BackfillOrder)
        project = self.load()
        control = Control.open(project.file.control, project.folder)
        return entry_of(submit(project, control, order, f"call:{uuid.uuid4().hex}"))

    def list(
        self, *, status: str | None = None, team: str | None = None, limit: int = 50
    ) -> ResultList[BackfillEntry]:
        """Those of a status and of a team, newest first; at most `limit`."""
        from cutline.control.backfills import BACKFILL_STATUSES

        require_limit(limit=limit)
        if status is not None and status not in BACKFILL_STATUSES:
            raise ConfigurationError(
                f"status: {status!r} is none of {', '.join(BACKFILL_STATUSES)}."
                f"{did_you_mean(status, BACKFILL_STATUSES)}",
                next_step="Name one of them, or leave it out.",
            )
        chosen = [name for name in BACKFILL_STATUSES if status in (None, name)]
        control = control_of(self.load())
        rows = [] if control is None else control.backfills(chosen, team)
        return ResultList(entry_of(row) for row in rows[:limit])

    def show(self, number: int) -> BackfillEntry:
        """The one of that number."""
        control = control_of(self.load())
        row = None if control is None else control.backfill(number)
        if row is None:
            raise _nothing(number)
        return entry_of(row)

    def cancel(self, number: int, *, why: str, cancelled_by: str | None = None) -> BackfillEntry:
        """Cancel one: at once where it is queued; where it runs, whoever serves it ends it within
        seconds, and what was sent stays. ConfigurationError for one that has ended, or is itself a
        cancellation."""
        require_words(why=why)
        control = control_of(self.load())
        if control is None:
            raise _nothing(number)
        try:
            row = control.cancel_backfill(number, cancelled_by or user_of_process(), why)
        except KeyError as error:
            raise _nothing(number) from error
        return entry_of(row)

    def serve(self, *, say: Callable[[str], None] = lambda _: None) -> ResultList[BackfillEntry]:
        """Take what came to the folder and the topic of requests, and work on the queue until
        nothing can be begun; how each that was taken, or worked on, stands then.

        `say` is called with what is done. RunFailed, behind the work on the queue, where requests
        cannot be taken.
        """
        from cutline.backfill.intake import take_requests
        from cutline.backfill.serving import BackfillWork, serve_next
        from cutline.control import Control

        project = self.load()
        control = Control.open(project.file.control, project.folder)
        touched: dict[int, Backfill] = {}
        failure: RunFailed | None = None
        try:
            for row in take_requests(project, control):
                touched[row.number] = row
        except RunFailed as error:
            # What is in the queue need not wait for that.
            failure = error
        with self.session():
            work = BackfillWork(project, control, say)
            while (worked_on := serve_next(work)) is not None:
                touched[worked_on.number] = worked_on
        if failure is not None:
            raise failure
        return ResultList(entry_of(touched[number]) for number in sorted(touched))


def entry_of(row: Backfill) -> BackfillEntry:
    """A row of the queue as people read it."""
    counts = [] if row.outcome is None else row.outcome.get("counts", [])
    exceptions = sum(count["records"] for count in counts if count["outcome"] in _NOT_SENT)
    return BackfillEntry(
        number=row.number,
        status=row.status,
        team=row.team,
        asked_by=row.asked_by,
        asked_at=row.asked_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        attempts=row.attempts,
        records=row.records,
        exceptions=None if row.outcome is None else exceptions,
        replay_id=None if row.outcome is None else row.outcome.get("replay"),
        reason=row.reason,
        cancelled_by=row.cancelled_by,
        cancelled_why=row.cancelled_why,
        request=row.document,
    )


def _nothing(number: int) -> ConfigurationError:
    return ConfigurationError(
        f"There is no backfill {number}.", next_step="cutline backfill list shows what there is."
    )
