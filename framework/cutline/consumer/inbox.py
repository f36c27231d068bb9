"""The inbox: ids of events that a service has had, so that none is handled twice."""

from __future__ import annotations

from sqlalchemy import Connection, delete

from cutline.consumer.envelope import Envelope
from cutline.consumer.store import Owner, insert_if_missing
from cutline.consumer.tables import INBOX


def enter(connection: Connection, owner: Owner, event: Envelope, moment: str) -> bool:
    """Enters an event by source and id; false where it stands there already."""
    return insert_if_missing(
        connection,
        INBOX,
        owner.columns | {"source": event.source, "id": event.id, "received_at": moment},
    )


def forget(connection: Connection, owner: Owner, before: str) -> int:
    """Removes what came before a moment; the number of rows.

    An event that comes again after that is handled again, unless it is the same record: those are
    known by their positions for ever.
    """
    rows = connection.execute(delete(INBOX).where(owner.rows(INBOX), INBOX.c.received_at < before))
    return rows.rowcount
