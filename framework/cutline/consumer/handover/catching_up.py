"""The past of a partition, handled by the added handler alone, until the service takes over.

A partition is handed over in one transaction, which holds the rows of both sides: where the
catch-up has handled all that the service has handled, the service's own place is where it calls
the added handler from then on. Until there the catch-up never passes the service, since what it
writes belongs to rows that the service makes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from cutline.consumer.handover.added import Added, AddedHandler
from cutline.consumer.handover.handover import CANCELLED, FINISHED, Handover
from cutline.consumer.handover.rows import of_partition
from cutline.consumer.handover.tables import CATCH_UP, LIVE
from cutline.consumer.received import Received
from cutline.consumer.transactions import refused_endings

_OVER = (CANCELLED, FINISHED)


@dataclass(frozen=True)
class CaughtUp:
    """How far the catch-up is in a partition: the offset that comes `next`; `stopped_at` is that of
    the first record that it left, since the service has not handled it, null for none. `ended` says
    that the partition is handed over, or the handover is over. `failed_at` is the record that the
    handler could not do, null for none."""

    next: int
    stopped_at: int | None
    ended: bool
    failed_at: int | None = None


@dataclass(frozen=True)
class CatchUp:
    """The added handler, over what a topic holds of the past. `seconds` is how long a transaction
    may go on taking records."""

    handover: Handover
    add: AddedHandler
    seconds: float = 0.2

    def begin(self, partition: int) -> CaughtUp:
        """How far the catch-up is in a partition."""
        handover = self.handover
        with handover.transaction() as connection:
            row = handover.lock(connection, CATCH_UP, partition)
            ended = row.ended_at is not None or handover.status(connection) in _OVER
            return CaughtUp(row.next_offset, None, ended, row.failed_at)

    def handle(self, partition: int, records: Sequence[Received]) -> CaughtUp:
        """Handle records of a partition in their order, each once, in one transaction, as many as
        there is time for and up to where the service is. What the handler raises undoes all."""
        handover, until = self.handover, time.monotonic() + self.seconds
        with handover.transaction() as connection:
            row = handover.lock(connection, CATCH_UP, partition)
            live = connection.execute(
                select(LIVE).where(of_partition(LIVE, handover.key(partition)))
            ).one()
            if row.ended_at is not None or handover.status(connection) in _OVER:
                return CaughtUp(row.next_offset, None, ended=True)
            # The service only goes on, so all below where it was seen is handled by it.
            limit = live.next_offset if live.handed_over_at is None else live.handed_over_at
            next_offset, handled, without_row = row.next_offset, 0, 0
            stopped_at = None
            for record in records:
                if record.offset < next_offset:
                    continue
                if record.offset >= limit:
                    stopped_at = record.offset
                    break
                if handled and time.monotonic() > until:
                    break
                added = Added(connection, handover.terms.writable, record)
                with refused_endings(connection, record):
                    self.add(record, added)
                next_offset, handled = record.offset + 1, handled + 1
                without_row += added.without_row
            connection.execute(
                update(CATCH_UP)
                .where(of_partition(CATCH_UP, handover.key(partition)))
                .values(
                    next_offset=next_offset,
                    handled=CATCH_UP.c.handled + handled,
                    without_row=CATCH_UP.c.without_row + without_row,
                    failed_at=None if handled else CATCH_UP.c.failed_at,
                )
            )
            return CaughtUp(next_offset, stopped_at, ended=False)

    def fail(self, partition: int, offset: int) -> None:
        """Note the record that the handler cannot do: whoever sets it aside moves the group of the
        catch-up behind it."""
        handover = self.handover
        with handover.transaction() as connection:
            handover.lock(connection, CATCH_UP, partition)
            failed = update(CATCH_UP).where(of_partition(CATCH_UP, handover.key(partition)))
            connection.execute(failed.values(failed_at=offset))

    def hand_over(self, partition: int, reached: int, committed: int) -> bool:
        """End the catch-up in a partition of which all before offset `reached` is handled; false,
        and nothing changed, where the service is further, or where it is not known how far it is.

        `committed` is where Kafka has the service's group, asked before: a service whose wrapper
        does not know of that place has a process without it.
        """
        handover = self.handover
        row = of_partition(LIVE, handover.key(partition))
        with handover.transaction() as connection:
            live = handover.lock(connection, LIVE, partition)
            if handover.lock(connection, CATCH_UP, partition).ended_at is not None:
                return True
            at = live.handed_over_at
            if at is None:
                is_known = live.registered_at is not None and committed <= live.next_offset
                if not is_known or live.next_offset > reached:
                    return False
                connection.execute(update(LIVE).where(row).values(handed_over_at=live.next_offset))
            elif at > reached:
                return False
            connection.execute(
                update(CATCH_UP)
                .where(of_partition(CATCH_UP, handover.key(partition)))
                .values(ended_at=handover.database.now())
            )
            return True
