"""The transaction of an event is the service's to end, and not its handler's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from cutline.consumer.errors import ConsumerError
from cutline.consumer.received import Received


@contextmanager
def refused_endings(connection: Connection, record: Received) -> Iterator[None]:
    """ConsumerError where what is done within ends the connection's transaction.

    Behind a rollback the event would pass for handled and be lost, and behind a commit what fails
    would not be tried again.
    """
    error: Exception | None = None
    try:
        yield
    except Exception as raised:
        error = raised
    if connection.in_transaction() or connection.invalidated:
        if error is not None:
            raise error
        return
    raise ConsumerError(
        f"topic {record.topic}, partition {record.partition}, offset {record.offset}: the handler "
        "ended the transaction that it was called in",
        left_behind="If it committed, position and what it had written stand, and the event does "
        "not come again; if it rolled back, nothing of it was done.",
        next_step="Have it neither commit nor roll back work.connection; begin_nested() of it is "
        "for what may fail.",
    ) from error
