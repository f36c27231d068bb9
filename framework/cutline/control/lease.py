"""The lease of a slice: no two processes work on one, and one that lost it cannot write."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select, update

from cutline.control.database import ControlFailed, Database
from cutline.control.holder import FREE, TTL, Holder, holder_columns, this_process
from cutline.control.models import SLICES
from cutline.control.rows import lost_error
from cutline.control.slice_row import slice_row
from cutline.errors import RunFailed, SliceBusy
from cutline.logs import logger

_LOG = logger(__name__)

RENEW_SECONDS = 5.0
"""How often a lease says that its process is alive."""

TOPIC_LEASES = "replay:"
"""What stands for the context in the lease of a topic that is replayed to, and is the name of none;
the topic stands for the region."""
GROUP_LEASES = "reconsume:"
"""The same in the lease of a group that is moved; group and topic stand for the region."""
REPAIR_LEASES = "repair:"
"""The same in the lease of a table that is repaired; the repair's name stands for the region."""
REBUILD_LEASES = "rebuild:"
"""The same in the lease of a database that is rebuilt; its name and the slice stand for the
region."""
WAY_BACK_LEASES = "way-back:"
"""The same in the lease of a trial region, under which one rehearsal at a time tries how writes
come back; context and trial region stand for the region."""
QUOTA_LEASES = "quota:"
"""The same in the lease of a client quota, which whoever sets or removes it holds; the client id
stands for the region."""
LEASES_OF_NO_SLICE = (
    *(TOPIC_LEASES, GROUP_LEASES, REPAIR_LEASES, REBUILD_LEASES, WAY_BACK_LEASES, QUOTA_LEASES),
)


class Lease:
    """The right of this process to work on one slice.

    `epoch` counts the slice's holders: what is written under an earlier one is refused.
    """

    def __init__(self, context: str, region: str, epoch: int) -> None:
        self.context = context
        self.region = region
        self.epoch = epoch
        self._lost = threading.Event()

    @property
    def lost(self) -> bool:
        """Whether another process has the slice, or may have it, now."""
        return self._lost.is_set()

    def lose(self) -> None:
        """Marks the lease as lost; there is no way back."""
        if not self.lost:
            _LOG.error("lease lost", extra=_fields(self))
        self._lost.set()

    def check(self) -> None:
        """Raises SliceBusy if the lease is lost: stop, and leave the slice to the other."""
        if self.lost:
            raise SliceBusy(
                f"This process lost the slice {self.context}/{self.region}: another one may have "
                "taken it over.",
                left_behind="What this process did since then is not recorded.",
                next_step="See who works on it with `cutline status`, then run the command again.",
            )


@contextmanager
def hold_slice(database: Database, context: str, region: str) -> Iterator[Lease]:
    """The slice's lease, renewed in the background until the block ends.

    SliceBusy if a process that lives holds it.
    """
    lease = _acquire(database, context, region)
    ended = threading.Event()
    beat = threading.Thread(
        target=_renew_until, args=(database, lease, ended), name="cutline-lease", daemon=True
    )
    beat.start()
    try:
        yield lease
    finally:
        ended.set()
        beat.join(RENEW_SECONDS)
        _release(database, lease)


@contextmanager
def fenced_transaction(database: Database, lease: Lease) -> Iterator[Connection]:
    """A transaction that writes, if the slice is still this lease's, and keeps it so meanwhile."""
    with database.write() as connection:
        row = select(SLICES).where(_slice(lease.context, lease.region)).with_for_update()
        _refuse_lost(database, lease, connection.execute(row).one_or_none())
        yield connection


def confirm_lease(database: Database, lease: Lease) -> None:
    """Raises SliceBusy or RunFailed if the slice is no longer this lease's, as the database has it.

    For what a transaction cannot hold together: a process that slept may find out nowhere else.
    """
    with database.read() as connection:
        row = select(SLICES).where(_slice(lease.context, lease.region))
        _refuse_lost(database, lease, connection.execute(row).one_or_none())


def _refuse_lost(database: Database, lease: Lease, row: Any) -> None:
    stands = None if row is None else slice_row(database, row)
    if stands is None or stands.epoch != lease.epoch or stands.holder is None:
        lease.lose()
        raise _lost_error(lease, None if stands is None else stands.holder)


def renew_lease(database: Database, lease: Lease) -> None:
    """Says that this process is alive. A lease that is no longer the slice's is marked as lost."""
    with database.write() as connection:
        beat = (
            update(SLICES).where(_is_lease_of(lease)).values(heartbeat_at=database.now(connection))
        )
        if connection.execute(beat).rowcount == 0:
            lease.lose()
            return
    _LOG.debug("lease renewed", extra=_fields(lease))


def _acquire(database: Database, context: str, region: str) -> Lease:
    where = _slice(context, region)
    _refuse_lost_slice(database, context, region)
    with database.write() as connection:
        database.insert_if_missing(
            connection, SLICES, context=context, region=region, authority="legacy", epoch=0
        )
        row = connection.execute(select(SLICES).where(where).with_for_update()).one()
        now = database.now(connection)
        stands = slice_row(database, row)
        holder = stands.holder
        if holder is not None and not holder.is_gone(now):
            raise _busy_error(context, region, holder)
        epoch = stands.epoch + 1
        statement = (
            update(SLICES).where(where).values(epoch=epoch, **holder_columns(this_process(now)))
        )
        connection.execute(statement)
    lease = Lease(context, region, epoch)
    if holder is not None:
        _LOG.warning("lease taken over", extra={**_fields(lease), "holder": str(holder)})
    _LOG.info("lease taken", extra=_fields(lease))
    return lease


def _refuse_lost_slice(database: Database, context: str, region: str) -> None:
    """Raises DamagedRow where the row of a slice is gone and others still refer to it: a new one
    would count epochs from the beginning."""
    for lost in database.lost:
        if (lost.refers_to, lost.values) == (SLICES.name, (context, region)):
            raise lost_error(database, lost)


def _renew_until(database: Database, lease: Lease, ended: threading.Event) -> None:
    renewed = time.monotonic()
    while not lease.lost and not ended.wait(RENEW_SECONDS):
        try:
            renew_lease(database, lease)
            renewed = time.monotonic()
        except ControlFailed as error:
            _LOG.warning("lease not renewed", extra={**_fields(lease), "reason": error.reason})
            # It may come back; but after this time others may take the slice over.
            if time.monotonic() - renewed > TTL.total_seconds():
                lease.lose()


def _release(database: Database, lease: Lease) -> None:
    try:
        with database.write() as connection:
            freed = connection.execute(update(SLICES).where(_is_lease_of(lease)).values(**FREE))
        if freed.rowcount:
            _LOG.info("lease released", extra=_fields(lease))
    except ControlFailed as error:
        _LOG.warning("lease not released", extra={**_fields(lease), "reason": error.reason})
        # The work's own result or error matters more, and the lease ends with this process.
        return


def _slice(context: str, region: str) -> ColumnElement[bool]:
    return and_(SLICES.c.context == context, SLICES.c.region == region)


def _is_lease_of(lease: Lease) -> ColumnElement[bool]:
    return and_(_slice(lease.context, lease.region), SLICES.c.epoch == lease.epoch)


def _fields(lease: Lease) -> dict[str, Any]:
    return {"context": lease.context, "region": lease.region, "epoch": lease.epoch}


def _busy_error(context: str, region: str, holder: Holder) -> SliceBusy:
    if holder.is_this_process():
        return SliceBusy(
            f"The slice {context}/{region} is being worked on by another call of {holder}.",
            next_step="Wait until that call has ended, then make the same one again.",
        )
    return SliceBusy(
        f"The slice {context}/{region} is being worked on by {holder}.",
        next_step="Wait until that process has ended, or end it, then run the same command again.",
    )


def _lost_error(lease: Lease, holder: Holder | None) -> RunFailed:
    slice_ = f"{lease.context}/{lease.region}"
    left_behind = "Nothing of this step was recorded."
    if holder is not None:
        return SliceBusy(
            f"This process lost the slice {slice_}: it is now worked on by {holder}.",
            left_behind=left_behind,
            next_step="Wait until that process has ended, then run the same command again.",
        )
    return RunFailed(
        f"This process no longer holds the slice {slice_}: its lease was released or taken over.",
        left_behind=left_behind,
        next_step="Run the same command again.",
    )
