"""The past of a partition, handled by the added handler alone, until the service takes over.

A partition is handed over in one transaction, which holds the rows of both sides: where the
catch-up has handled all that the service has handled, the service's own place is where it calls
the added handler from then on. Until there the catch-up never passes the service, since what it
writes belongs to rows that the service makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from cutline.consumer.handover.added import Added, AddedHandler
from cutline.consumer.handover.handover import Handover
from cutline.consumer.handover.rows import of_partition
from cutline.consumer.handover.tables import CATCH_UP, LIVE
from cutline.consumer.received import Received
from cutline.consumer.transactions import refused_endings


@dataclass(frozen=True)
class CaughtUp:
    """How far the catch-up is in a partition: the offset that comes `next`; `stopped_at` is that of
    the first record that it left, since the service has not handled it, null for none. `ended` says
    that the partition is handed over, or the handover given up."""

    next: int
    stopped_at: int | None
    ended: bool


@dataclass(frozen=True)
class CatchUp:
    """The added handler, over what a topic holds of the past."""

    handover: Handover
    add: AddedHandler

    def begin(self, partition: int) -> CaughtUp:
        """How far the catch-up is in a partition."""
        handover = self.handover
        with handover.database.transaction() as connection:
            row = handover.lock(connection, CATCH_UP, partition)
            handover.database.refuse_autocommit(connection)
            ended = row.ended_at is not None or handover.is_cancelled(connection)
            return CaughtUp(row.next_offset, None, ended)

    def handle(self, partition: int, records: Sequence[Received]) -> CaughtUp:
        """Handle records of a partition in their order, each once, in one transaction, up to where
        the service is. What the handler raises undoes all of it."""
        handover = self.handover
        with handover.database.transaction() as connection:
            row = handover.lock(connection, CATCH_UP, partition)
            live = connection.execute(
                select(LIVE).where(of_partition(LIVE, handover.key(partition)))
            ).one()
            if row.ended_at is not None or handover.is_cancelled(connection):
                return CaughtUp(row.next_offset, None, ended=True)
            # The service only goes on, so all below where it was seen is handled by it.
            limit = live.next_offset if live.handed_over_at is None else live.handed_over_at
            left = [record for record in records if record.offset >= row.next_offset]
            due = [record for record in left if record.offset < limit]
            added = Added(connection, handover.terms.writable)
            for record in due:
                with refused_endings(connection, record):
                    self.add(record, added)
            next_offset = due[-1].offset + 1 if due else row.next_offset
            connection.execute(
                update(CATCH_UP)
                .where(of_partition(CATCH_UP, handover.key(partition)))
                .values(
                    next_offset=next_offset,
                    handled=CATCH_UP.c.handled + len(due),
                    without_row=CATCH_UP.c.without_row + added.without_row,
                )
            )
            stopped_at = left[len(due)].offset if len(left) > len(due) else None
            return CaughtUp(next_offset, stopped_at, ended=False)

    def hand_over(self, partition: int, reached: int, committed: int) -> bool:
        """End the catch-up in a partition of which all before offset `reached` is handled; false,
        and nothing changed, where the service is further, or where it is not known how far it is.

        `committed` is where Kafka has the service's group, asked before: a service whose wrapper
        does not know of that place has a process without it.
        """
        handover = self.handover
        row = of_partition(LIVE, handover.key(partition))
        with handover.database.transaction() as connection:
            if handover.lock(connection, CATCH_UP, partition).ended_at is not None:
                return True
            live = handover.lock(connection, LIVE, partition)
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
