"""Events that the guard of epochs stopped: rows that a person looks at, releases or discards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from cutline.consumer.envelope import Envelope
from cutline.consumer.epochs import SliceEpoch
from cutline.consumer.errors import ConsumerError
from cutline.consumer.received import Received
from cutline.consumer.store import Store
from cutline.consumer.tables import PARKED


class Parking:
    """The parked events of a service, in the order in which they came."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def park(
        self, connection: Connection, record: Received, event: Envelope, verdict: SliceEpoch
    ) -> None:
        """Keeps a record with its payload, and why it was stopped."""
        connection.execute(
            insert(PARKED).values(
                **self._store.owner.columns,
                **record.stored(),
                context=verdict.context,
                region=verdict.region,
                epoch=event.migepoch or 0,
                slice_epoch=verdict.epoch,
                reason=verdict.reason,
                subject=event.subject,
                parked_at=self._store.now(),
            )
        )

    def shown(self) -> Sequence[Row[Any]]:
        """The events that are parked, those that were discarded left out."""
        with self._store.transaction() as connection:
            return connection.execute(
                select(PARKED)
                .where(self._store.owner.rows(PARKED), PARKED.c.discarded.is_(None))
                .order_by(PARKED.c.number)
            ).all()

    def leave(self, connection: Connection, number: int) -> Received:
        """The record of a parked event, which is parked no longer. ConsumerError without one."""
        row = connection.execute(select(PARKED).where(*self._parked(number))).one_or_none()
        removed = connection.execute(delete(PARKED).where(*self._parked(number)))
        if row is None or not removed.rowcount:
            raise _missing(number)
        return Received.restored(row._asdict())

    def discard(self, number: int, reason: str) -> None:
        """Gives a parked event up; the row stays, with the reason. ConsumerError without either."""
        if not reason.strip():
            raise ConsumerError(
                f"parked event {number} is not discarded without a reason",
                left_behind="Nothing was changed.",
                next_step="Say why nothing is lost by it.",
            )
        with self._store.transaction() as connection:
            rows = connection.execute(
                update(PARKED).where(*self._parked(number)).values(discarded=reason)
            )
        if not rows.rowcount:
            raise _missing(number)

    def _parked(self, number: int) -> tuple[Any, ...]:
        return (
            self._store.owner.rows(PARKED),
            PARKED.c.number == number,
            PARKED.c.discarded.is_(None),
        )


def _missing(number: int) -> ConsumerError:
    return ConsumerError(
        f"{PARKED.name} has no parked event {number}",
        left_behind="Nothing was changed.",
        next_step="List the parked events, and take a number from there.",
    )
