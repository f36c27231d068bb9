"""The queue of backfills: who asked for what, who works on it, and what became of it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Select, func, insert, select, text, update

from cutline.control.columns import as_json, plain
from cutline.control.database import Database
from cutline.control.holder import FREE, TTL, Holder, holder_columns, holder_of, this_process
from cutline.control.models import BACKFILLS
from cutline.control.rows import DamagedRow, damaged, damaged_document, read_row
from cutline.errors import ConfigurationError, RunFailed
from cutline.logs import logger

_LOG = logger(__name__)

BackfillStatus = Literal["queued", "running", "done", "failed", "refused", "cancelled"]
BACKFILL_STATUSES: tuple[BackfillStatus, ...] = get_args(BackfillStatus)
ENDED: tuple[BackfillStatus, ...] = ("done", "failed", "refused", "cancelled")
"""The ways in which a backfill ends."""
MOST_LEFT = 20
"""How often a backfill is begun that no process ends: it may be what ends them."""
QUOTA_TIME = dt.timedelta(days=1)
"""What a team has sent counts for so long."""


@dataclass(frozen=True)
class NewBackfill:
    """A backfill that is asked for.

    `origin` is where: what was asked for there already is not taken again. `origin_place` and
    `origin_offset` are those of a record of a topic, null of anything else. `ended` and `reason`
    are for what is never begun; null where it may be.
    """

    origin: str
    document: Mapping[str, Any]
    team: str | None
    asked_by: str | None
    origin_place: str | None = None
    origin_offset: int | None = None
    ended: BackfillStatus | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Backfill:
    """A backfill as it stands in the queue. Times are UTC.

    `started_at` is when it was begun last, null before and where its team could not send so many;
    `attempts` is how often it was begun, and `failures` how often it failed. `reason` says why it
    waits, failed or was refused. `records` is how many it sends, null until that is known;
    `outcome` what came of it, null before its end. `holder` is the process that works on it, null
    where none does.
    """

    number: int
    origin: str
    team: str | None
    asked_by: str | None
    document: Mapping[str, Any]
    status: BackfillStatus
    reason: str | None
    asked_at: dt.datetime
    not_before: dt.datetime | None
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    attempts: int
    failures: int
    records: int | None
    outcome: Mapping[str, Any] | None
    cancelled_by: str | None
    cancelled_why: str | None
    holder: Holder | None


def damaged_order(
    database: Database, damaged_backfill: Backfill, error: ValidationError
) -> DamagedRow:
    """The error of a backfill whose document is no order."""
    key = {"number": damaged_backfill.number}
    return damaged_document(database, BACKFILLS, key, "document", error)


class BackfillEnded(ConfigurationError):
    """There is nothing to cancel: the backfill has ended, or is itself a cancellation."""


class BackfillTaken(RunFailed):
    """Another process works on the backfill, or it has ended, since this one began it."""


def backfills(
    database: Database, statuses: Collection[BackfillStatus] = (), team: str | None = None
) -> list[Backfill]:
    """Those of the statuses (all, if none are given) and of the team, newest first."""
    c = BACKFILLS.c
    wanted: list[ColumnElement[bool]] = []
    if statuses:
        wanted.append(c.status.in_(sorted(statuses)))
    if team is not None:
        wanted.append(c.team == team)
    query = select(BACKFILLS).where(*wanted).order_by(c.number.desc())
    with database.read() as connection:
        return [_backfill(database, row) for row in connection.execute(query)]


def backfill(database: Database, number: int) -> Backfill | None:
    """The one of that number; None if there is none."""
    with database.read() as connection:
        return _by_number(database, connection, number)


def submit_backfill(
    database: Database, new: NewBackfill, most_waiting: int | None = None
) -> Backfill:
    """The backfill in the queue: the one that is there already, if it came from the same origin.

    With `most_waiting`, one that finds so many of its team in the queue is refused.
    """
    c = BACKFILLS.c
    with _queue(database) as connection:
        row = connection.execute(select(BACKFILLS).where(c.origin == new.origin)).first()
        if row is not None:
            return _backfill(database, row)
        ended, reason, now = new.ended, new.reason, database.now(connection)
        if ended is None and most_waiting is not None:
            of_team = select(func.count()).where(c.team == new.team, c.status == "queued")
            if (connection.scalar(of_team) or 0) >= most_waiting:
                ended = "refused"
                reason = f"{most_waiting} backfills of {new.team} are queued already"
        number = (connection.scalar(select(func.max(c.number))) or 0) + 1
        connection.execute(
            insert(BACKFILLS).values(
                number=number,
                origin=new.origin,
                origin_place=new.origin_place,
                origin_offset=new.origin_offset,
                team=new.team,
                asked_by=None if new.asked_by is None else plain(new.asked_by),
                document=json.loads(plain(json.dumps(dict(new.document), ensure_ascii=False))),
                status=ended or "queued",
                reason=None if reason is None else plain(reason),
                asked_at=now,
                ended_at=None if ended is None else now,
                attempts=0,
                failures=0,
            )
        )
        return _required(database, connection, number)


def offsets_read(database: Database, topic: str) -> dict[str, int]:
    """By place in a topic whose backfills were taken, the offset behind the last."""
    c = BACKFILLS.c
    query = (
        select(c.origin_place, func.max(c.origin_offset))
        .where(c.origin_place.startswith(f"{topic}/", autoescape=True))
        .group_by(c.origin_place)
    )
    with database.read() as connection:
        ends = {row[0]: row[1] for row in connection.execute(query)}
        for place, offset in ends.items():
            if not isinstance(offset, int):
                of_place = select(BACKFILLS).where(c.origin_place == place)
                row = connection.execute(of_place.where(c.origin_offset == offset)).first()
                why = "which is no whole number"
                raise damaged(database, BACKFILLS, row, "origin_offset", offset, why)
    return {str(place): offset + 1 for place, offset in ends.items()}


def claim_backfill(database: Database, quotas: Mapping[str, int]) -> Backfill | None:
    """The next backfill, for this process to work on; None where none can be begun.

    `quotas` has by team how many records it may send in a day: what it sent, or would send now,
    counts for that long. What a process had begun that is gone is begun again.
    """
    c = BACKFILLS.c
    with _queue(database) as connection:
        now = database.now(connection)
        _give_back(database, connection, now)
        queued = select(BACKFILLS).where(c.status == "queued").order_by(c.number)
        for row in _every(database, connection, queued):
            if row.not_before is not None and row.not_before > now:
                continue
            quota = None if row.team is None else quotas.get(row.team)
            if quota is not None and row.team is not None:
                used = _sent(connection, row.team, row.number, now)
                if used + (1 if row.records is None else row.records) > quota:
                    _change(connection, row.number, reason=_quota_reason(row.team, used, quota))
                    continue
            _change(
                connection,
                row.number,
                status="running",
                reason=None,
                not_before=None,
                started_at=now,
                # Of what its team could not send nothing counts until that is tried again.
                records=None if row.started_at is None else row.records,
                attempts=row.attempts + 1,
                **holder_columns(this_process(now)),
            )
            return _required(database, connection, row.number)
    return None


def allow_records(database: Database, number: int, records: int, quota: int | None) -> bool:
    """Whether the backfill that this process works on may send so many records, which are kept
    with it. Where it may not, it counts as not begun. Raises BackfillTaken."""
    with _queue(database) as connection:
        row = _row_of_this_process(database, connection, number)
        used = _sent(connection, row.team, number, database.now(connection))
        is_allowed = quota is None or used + records <= quota
        started_at = row.started_at if is_allowed else None
        _change(connection, number, records=records, started_at=started_at)
        return is_allowed


def beat_backfill(database: Database, number: int) -> str | None:
    """Say that this process works on it still; who wants it cancelled, null while nobody does.
    Raises BackfillTaken."""
    with _queue(database) as connection:
        row = _row_of_this_process(database, connection, number)
        _change(connection, number, heartbeat_at=database.now(connection))
        return row.cancelled_by


def finish_backfill(
    database: Database,
    number: int,
    status: BackfillStatus,
    reason: str | None,
    outcome: Mapping[str, Any] | None = None,
    pause: dt.timedelta | None = None,
    *,
    has_failed: bool = False,
) -> Backfill:
    """The backfill that this process worked on, with how that ended; `queued` is to be begun again
    after the pause. Raises BackfillTaken."""
    with _queue(database) as connection:
        row = _row_of_this_process(database, connection, number)
        now = database.now(connection)
        _change(
            connection,
            number,
            status=status,
            reason=None if reason is None else plain(reason),
            outcome=None if outcome is None else as_json(dict(outcome)),
            ended_at=now if status in ENDED else None,
            not_before=None if pause is None else now + pause,
            failures=row.failures + has_failed,
            **FREE,
        )
        return _required(database, connection, number)


def cancel_backfill(database: Database, number: int, cancelled_by: str, why: str) -> Backfill:
    """A queued backfill is cancelled at once, of a running one it is asked. BackfillEnded for one
    that has ended, which stays as it is; none of that number is a KeyError."""
    with _queue(database) as connection:
        _give_back(database, connection, database.now(connection))
        row = _by_number(database, connection, number)
        if row is None:
            raise KeyError(number)
        if row.status in ENDED:
            raise _nothing_to_cancel(row)
        change: dict[str, Any] = {"cancelled_by": plain(cancelled_by), "cancelled_why": plain(why)}
        if row.status == "queued":
            change |= {"status": "cancelled", "ended_at": database.now(connection)}
            if row.started_at is None:
                # What it would have sent it never sends.
                change["records"] = None
        _change(connection, number, **change)
        return _required(database, connection, number)


def _nothing_to_cancel(row: Backfill) -> BackfillEnded:
    cancels = row.document.get("cancel")
    return BackfillEnded(
        f"backfill {row.number} has ended already: {row.status}"
        if cancels is None
        else f"backfill {row.number} is itself a cancellation, of backfill {cancels}",
        left_behind="Nothing was changed.",
        next_step=f"Look at it: cutline backfill show {row.number}",
    )


@contextmanager
def _queue(database: Database) -> Iterator[Connection]:
    """A transaction that alone looks at the queue and changes it."""
    with database.write() as connection:
        if database.postgres:
            lock = f"LOCK TABLE {BACKFILLS.name} IN SHARE ROW EXCLUSIVE MODE"
            connection.execute(text(lock))
        yield connection


def _give_back(database: Database, connection: Connection, now: dt.datetime) -> None:
    """What a process had begun that is gone is queued again, or cancelled where that was asked."""
    running = select(BACKFILLS).where(BACKFILLS.c.status == "running")
    for row in _every(database, connection, running):
        holder = row.holder
        if holder is not None and not _has_left(holder, now):
            continue
        status, reason = "queued", "the process that worked on it left it"
        if row.cancelled_by is not None:
            status = "cancelled"
        elif row.attempts >= MOST_LEFT:
            status, reason = "failed", f"{row.attempts} processes that worked on it left it"
        ended_at = None if status == "queued" else now
        _change(connection, row.number, status=status, ended_at=ended_at, reason=reason, **FREE)


def _has_left(holder: Holder, now: dt.datetime) -> bool:
    """Whether a process works no more on what it began: it is gone, or it is this one, which could
    not say how that ended."""
    is_silent = now - holder.heartbeat_at > TTL
    return holder.is_gone(now) or (holder.is_this_process() and is_silent)


def _sent(connection: Connection, team: str | None, number: int, now: dt.datetime) -> int:
    """How many records other backfills of a team sent in the last day, or send now. One that waits
    to be tried again may have sent all of its records."""
    c = BACKFILLS.c
    query = select(func.sum(c.records)).where(
        c.team == team,
        c.number != number,
        c.status.in_(("queued", "running", "done", "failed", "cancelled")),
        c.started_at > now - QUOTA_TIME,
    )
    return int(connection.scalar(query) or 0)


def _quota_reason(team: str, used: int, quota: int) -> str:
    return f"waits: {team} has sent {used:,} of the {quota:,} records of a day"


def _row_of_this_process(database: Database, connection: Connection, number: int) -> Backfill:
    """The row of a backfill that this process works on. BackfillTaken where it does not."""
    row = _by_number(database, connection, number)
    holder = None if row is None else row.holder
    if row is None or row.status != "running" or holder is None or not holder.is_this_process():
        raise BackfillTaken(
            f"backfill {number} is not this process's any more",
            left_behind="What was sent stays; another process goes on with it.",
            next_step=f"cutline backfill show {number}",
        )
    return row


def _every(database: Database, connection: Connection, query: Select[Any]) -> list[Backfill]:
    """The backfills of a query that can be read: others wait for nobody's mending."""
    readable = []
    for row in connection.execute(query).all():
        try:
            readable.append(_backfill(database, row))
        except DamagedRow as error:
            _LOG.warning("backfill left out", extra={"backfill": row.number, "error": error.what})
    return readable


def _change(connection: Connection, number: int, **values: Any) -> None:
    connection.execute(update(BACKFILLS).where(BACKFILLS.c.number == number).values(**values))


def _by_number(database: Database, connection: Connection, number: int) -> Backfill | None:
    row = connection.execute(select(BACKFILLS).where(BACKFILLS.c.number == number)).first()
    return None if row is None else _backfill(database, row)


def _required(database: Database, connection: Connection, number: int) -> Backfill:
    stored = _by_number(database, connection, number)
    assert stored is not None
    return stored


def _backfill(database: Database, row: Any) -> Backfill:
    holder = holder_of(database, BACKFILLS, row)
    return read_row(database, BACKFILLS, row, Backfill, holder=holder)
